// Two numbers for many errors.
#pragma once

#include <algorithm>
#include <cmath>

#include "wgp/types.h"

namespace wgp {

inline double root_mean_square(const Vector& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size())); }

inline double median(Vector x) {
  std::sort(x.begin(), x.end());
  const Index half = x.size() / 2;
  return x.size() % 2 == 1 ? x[half] : (x[half - 1] + x[half]) / 2;
}

}  // namespace wgp
