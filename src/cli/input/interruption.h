// Ctrl-C or SIGTERM while something worth keeping is being computed: the first one asks for an end, the second one is
// the end.
#pragma once

namespace wgp::cli {

class Interruption {
 public:
  Interruption();  // takes over both signals
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const;

 private:
  void (*before_)(int);
  void (*before_term_)(int);
};

}  // namespace wgp::cli
