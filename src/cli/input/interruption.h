// Ctrl-C or SIGTERM while something worth keeping is being computed: the first one asks for an end, the second one is
// the end. So does SIGUSR1, which mpirun passes on to processes without killing them a second later.
#pragma once

#include <array>

namespace wgp::cli {

class Interruption {
 public:
  Interruption();  // takes over the signals
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const;

 private:
  std::array<void (*)(int), 3> before_;
};

}  // namespace wgp::cli
