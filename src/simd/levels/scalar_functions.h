// The functions of simd/levels/pack.h for one double, so that one algorithm serves a batch and a single matrix.
#pragma once

#include <cmath>
#include <limits>

namespace wgp::WGP_SIMD {

inline double sqrt(double x) { return std::sqrt(x); }
inline double log(double x) { return std::log(x); }
inline double exp(double x) { return std::exp(x); }
inline double abs(double x) { return std::abs(x); }
inline double select(bool mask, double yes, double no) { return mask ? yes : no; }
inline bool any(bool mask) { return mask; }

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace wgp::WGP_SIMD
