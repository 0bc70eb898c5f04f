// Ctrl-C while something worth keeping is being computed: the first one asks for an end, the second one is the end.
#pragma once

namespace wgp::cli {

class Interruption {
 public:
  Interruption();  // takes over SIGINT
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const;

 private:
  void (*before_)(int);
};

}  // namespace wgp::cli
