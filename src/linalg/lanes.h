// Eight doubles as one value: GCC's vector extension, compiled to whatever the processor has. The functions below exist
// for plain double too, so that one algorithm serves a batch and a single matrix.
//
// For the library's own .cpp files only: the calling convention depends on -march.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#pragma GCC diagnostic ignored "-Wpsabi"

namespace wgp::lanes {

inline constexpr int count = 8;
typedef double Lanes __attribute__((vector_size(count * sizeof(double))));
using Mask = decltype(Lanes{} < Lanes{});

// Not declared aligned: temporaries on the stack need not be, and unaligned moves cost nothing where they are.
using Packet = Eigen::Array<double, count, 1>;
inline Eigen::Map<const Packet> packet(const Lanes& x) {
  return Eigen::Map<const Packet>(reinterpret_cast<const double*>(&x));
}
inline Eigen::Map<Packet> packet(Lanes& x) { return Eigen::Map<Packet>(reinterpret_cast<double*>(&x)); }

// The lanes at these places of a and, from 8 on, of b.
template <int... from>
inline Lanes pick(const Lanes& a, const Lanes& b) {
  static_assert(sizeof...(from) == count);
  return __builtin_shufflevector(a, b, from...);
}

inline Lanes sqrt(const Lanes& x) {
  Lanes result;
  for (int i = 0; i < count; ++i) result[i] = __builtin_sqrt(x[i]);
  return result;
}
inline Lanes log(const Lanes& x) {
  Lanes result;
  packet(result) = packet(x).log();
  return result;
}
inline Lanes exp(const Lanes& x) {
  Lanes result;
  packet(result) = packet(x).exp();
  return result;
}
inline Lanes abs(const Lanes& x) { return x < 0 ? -x : x; }
inline Lanes select(const Mask& mask, const Lanes& yes, const Lanes& no) { return mask ? yes : no; }
inline bool any(const Mask& mask) {
  long long found = 0;
  for (int i = 0; i < count; ++i) found |= mask[i];
  return found != 0;
}

inline double sqrt(double x) { return std::sqrt(x); }
inline double log(double x) { return std::log(x); }
inline double exp(double x) { return std::exp(x); }
inline double abs(double x) { return std::abs(x); }
inline double select(bool mask, double yes, double no) { return mask ? yes : no; }
inline bool any(bool mask) { return mask; }

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace wgp::lanes
