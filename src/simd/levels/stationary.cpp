// Stationary covariances: see simd/stationary_kernels.h.
#include "simd/stationary_kernels.h"

#include <numbers>

#include "simd/levels/decay.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

typedef double Unaligned __attribute__((vector_size(vec_size * sizeof(double)), aligned(8), may_alias));

// A register's worth of numbers that need not be aligned, or the first few of them with zeros behind.
struct WholeVec {
  static Vec load(const double* x) { return *reinterpret_cast<const Unaligned*>(x); }
  static void store(double* x, Vec value) { *reinterpret_cast<Unaligned*>(x) = value; }
};
struct PartVec {
  Index count;
  Vec load(const double* x) const {
    Vec value{};
    for (Index i = 0; i < count; ++i) value[i] = x[i];
    return value;
  }
  void store(double* x, Vec value) const {
    for (Index i = 0; i < count; ++i) x[i] = value[i];
  }
};

template <class Body>
[[gnu::always_inline]] inline void for_vectors(Index count, Body body) {
  Index i = 0;
  for (; i + vec_size <= count; i += vec_size) body(WholeVec{}, i);
  if (i < count) body(PartVec{count - i}, i);
}

Vec square_root(Vec x) {
  Vec result;
  for (int i = 0; i < vec_size; ++i) result[i] = __builtin_sqrt(x[i]);
  return result;
}

constexpr double log2_e = std::numbers::log2e;

// k / variance and dk/ds / variance as functions of s, exp(-x) = 2^(-x log2 e).
struct Rbf {
  Decay decay{1};
  [[gnu::always_inline]] Vec value(Vec s) const { return decay(s * (log2_e / 2)); }
  [[gnu::always_inline]] Vec slope(Vec s) const { return -0.5 * value(s); }
};
struct Matern32 {
  Decay decay{1};
  [[gnu::always_inline]] Vec value(Vec s) const {
    const Vec r = square_root(3 * s);
    return (1 + r) * decay(r * log2_e);
  }
  [[gnu::always_inline]] Vec slope(Vec s) const { return -1.5 * decay(square_root(3 * s) * log2_e); }
};
struct Matern52 {
  Decay decay{1};
  [[gnu::always_inline]] Vec value(Vec s) const {
    const Vec r = square_root(5 * s);
    return (1 + r + r * r / 3) * decay(r * log2_e);
  }
  [[gnu::always_inline]] Vec slope(Vec s) const {
    const Vec r = square_root(5 * s);
    return (-5.0 / 6) * (1 + r) * decay(r * log2_e);
  }
};

template <class P>
[[gnu::always_inline]] inline Vec squared_distance(const P& part, const ScaledPoints& a, Index i, const ScaledPoints& b,
                                                   Index j) {
  Vec s{};
  for (Index f = 0; f < a.features; ++f) {
    const Vec delta = part.load(a.data + f * a.stride + i) - b.data[f * b.stride + j];
    s += delta * delta;
  }
  return s;
}

template <class Shape>
void fill_covariances(const ScaledPoints& a, Index first, const ScaledPoints& b, Index j, double variance, Index count,
                      double* k) {
  const Shape shape;
  for_vectors(
      count, [&](auto part, Index i) __attribute__((always_inline)) {
        part.store(k + i, variance * shape.value(squared_distance(part, a, first + i, b, j)));
      });
}

void covariances(StationaryShape shape, const ScaledPoints& a, Index first, const ScaledPoints& b, Index j,
                 double variance, Index count, double* k) {
  switch (shape) {
    case StationaryShape::rbf:
      return fill_covariances<Rbf>(a, first, b, j, variance, count, k);
    case StationaryShape::matern32:
      return fill_covariances<Matern32>(a, first, b, j, variance, count, k);
    case StationaryShape::matern52:
      return fill_covariances<Matern52>(a, first, b, j, variance, count, k);
  }
}

// For rbf dk/ds is -k/2: no second exponential.
template <class Shape, bool is_rbf>
double pull_back_shape(const ScaledPoints& a, Index first, const ScaledPoints& b, Index j, double variance, Index count,
                       const double* k, const double* g, double* by_feature, Index stride, double* sums) {
  const Shape shape;
  constexpr Index most_features = 8;  // with sums in registers
  Vec pulls[most_features] = {}, squares[most_features] = {}, with_k{};
  for_vectors(
      count, [&](auto part, Index i) __attribute__((always_inline)) {
        const Vec weight = part.load(g + i), covariance = part.load(k + i);
        with_k += weight * covariance;
        Vec w;
        if constexpr (is_rbf)
          w = -weight * covariance;
        else
          w = 2 * variance * weight * shape.slope(squared_distance(part, a, first + i, b, j));
        for (Index f = 0; f < a.features; ++f) {
          const Vec delta = part.load(a.data + f * a.stride + first + i) - b.data[f * b.stride + j];
          const Vec pull = w * delta;
          double* to = by_feature + f * stride + i;
          part.store(to, part.load(to) + pull);
          if (f < most_features) {
            pulls[f] += pull;
            squares[f] += pull * delta;
          } else {
            sums[f] += sum(pull);
            sums[a.features + f] += sum(pull * delta);
          }
        }
      });
  for (Index f = 0; f < least(a.features, most_features); ++f) {
    sums[f] += sum(pulls[f]);
    sums[a.features + f] += sum(squares[f]);
  }
  return sum(with_k);
}

double pull_back(StationaryShape shape, const ScaledPoints& a, Index first, const ScaledPoints& b, Index j,
                 double variance, Index count, const double* k, const double* g, double* by_feature, Index stride,
                 double* sums) {
  switch (shape) {
    case StationaryShape::rbf:
      return pull_back_shape<Rbf, true>(a, first, b, j, variance, count, k, g, by_feature, stride, sums);
    case StationaryShape::matern32:
      return pull_back_shape<Matern32, false>(a, first, b, j, variance, count, k, g, by_feature, stride, sums);
    case StationaryShape::matern52:
      return pull_back_shape<Matern52, false>(a, first, b, j, variance, count, k, g, by_feature, stride, sums);
  }
  return 0;
}

}  // namespace

const StationaryKernels stationary_kernels = {covariances, pull_back};

}  // namespace wgp::WGP_SIMD
