// Sums and means of numbers whose logarithms are known.
#pragma once

#include <cmath>

#include "wgp/manifold.h"

namespace wgp {

// log sum exp; minus infinity where every term is.
inline double log_sum(ConstVectorRef terms) {
  const double most = terms.maxCoeff();
  return std::isfinite(most) ? most + std::log((terms.array() - most).exp().sum()) : most;
}
inline double log_mean(ConstVectorRef terms) { return log_sum(terms) - std::log(static_cast<double>(terms.size())); }

}  // namespace wgp
