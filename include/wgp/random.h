// Counter-based random numbers: the n-th draw of (seed, stream) is a pure function of those three numbers, so results
// do not depend on the number of threads. Philox4x32-10 (Salmon et al. 2011).
#pragma once

#include <cstdint>

#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  std::uint64_t bits();
  double uniform();         // in (0, 1), never 0 or 1
  double normal();          // N(0, 1), Box-Muller
  Index below(Index n);     // uniform in 0..n-1
  Vector normals(Index n);  // n independent N(0, 1)
  Matrix normals(Index rows, Index cols);

 private:
  std::uint64_t seed_, stream_, block_ = 0;
  std::uint64_t buffer_[2] = {0, 0};
  int left_ = 0;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

}  // namespace WGP_PUBLIC
