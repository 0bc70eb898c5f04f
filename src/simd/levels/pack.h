// Eight doubles as one value: GCC's vector extension, compiled to whatever this level has.
#pragma once

#include "simd/levels/eigen.h"
#include "simd/levels/scalar_functions.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace wgp::WGP_SIMD {

inline constexpr int pack_size = 8;
typedef double Pack __attribute__((vector_size(pack_size * sizeof(double))));
using PackMask = decltype(Pack{} < Pack{});

typedef double UnalignedPack __attribute__((vector_size(pack_size * sizeof(double)), aligned(8), may_alias));
inline Pack load8(const double* x) { return *reinterpret_cast<const UnalignedPack*>(x); }
inline void store8(const Pack& value, double* x) { *reinterpret_cast<UnalignedPack*>(x) = value; }
inline Pack broadcast8(double x) { return x - Pack{}; }

// Not declared aligned: temporaries on the stack need not be, and unaligned moves cost nothing where they are.
using EigenPack = Eigen::Array<double, pack_size, 1>;
inline Eigen::Map<const EigenPack> as_eigen(const Pack& x) {
  return Eigen::Map<const EigenPack>(reinterpret_cast<const double*>(&x));
}
inline Eigen::Map<EigenPack> as_eigen(Pack& x) { return Eigen::Map<EigenPack>(reinterpret_cast<double*>(&x)); }

// The numbers at these places of a and, from 8 on, of b.
template <int... from>
inline Pack pick(const Pack& a, const Pack& b) {
  static_assert(sizeof...(from) == pack_size);
  return __builtin_shufflevector(a, b, from...);
}

inline Pack sqrt(const Pack& x) {
  Pack result;
  for (int i = 0; i < pack_size; ++i) result[i] = __builtin_sqrt(x[i]);
  return result;
}
inline Pack log(const Pack& x) {
  Pack result;
  as_eigen(result) = as_eigen(x).log();
  return result;
}
inline Pack exp(const Pack& x) {
  Pack result;
  as_eigen(result) = as_eigen(x).exp();
  return result;
}
inline Pack abs(const Pack& x) { return x < 0 ? -x : x; }
inline Pack select(const PackMask& mask, const Pack& yes, const Pack& no) { return mask ? yes : no; }
inline bool any(const PackMask& mask) {
  long long found = 0;
  for (int i = 0; i < pack_size; ++i) found |= mask[i];
  return found != 0;
}

}  // namespace wgp::WGP_SIMD
