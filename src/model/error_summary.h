// Few numbers for many errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "wgp/types.h"

namespace wgp {

inline double root_mean_square(const Vector& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size())); }

inline double median(Vector x) {
  std::sort(x.begin(), x.end());
  const Index half = x.size() / 2;
  return x.size() % 2 == 1 ? x[half] : (x[half - 1] + x[half]) / 2;
}

// Of the mean of independent numbers; of one number nothing is known.
inline double standard_error(ConstVectorRef x) {
  const double n = static_cast<double>(x.size());
  return x.size() < 2 ? std::numeric_limits<double>::infinity()
                      : std::sqrt((x.array() - x.mean()).square().sum() / (n - 1) / n);
}

}  // namespace wgp
