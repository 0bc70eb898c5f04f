// Registers of doubles, as wide as this level has them: products, triangular substitutions and transposes on panels
// (simd/sweep_kernels.h).
#pragma once

#include <cstddef>
#include <utility>

#ifndef WGP_SIMD
#error "for the files of simd/levels alone: everything here is compiled once for each level"
#endif

#pragma GCC diagnostic ignored "-Wpsabi"

namespace wgp::WGP_SIMD {

using Index = std::ptrdiff_t;

#if defined(__AVX512F__)
inline constexpr int vec_size = 8;
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr int vec_size = 4;
#else
inline constexpr int vec_size = 2;  // correct, but no faster than Eigen
#endif
inline constexpr int vectors = 3;
inline constexpr int rows = vectors * vec_size;

typedef double Vec __attribute__((vector_size(vec_size * sizeof(double)), may_alias));
typedef long long IntVec __attribute__((vector_size(vec_size * sizeof(double)), may_alias));

inline Vec load(const double* p) { return *reinterpret_cast<const Vec*>(p); }
inline void store(double* p, Vec x) { *reinterpret_cast<Vec*>(p) = x; }
typedef double UnalignedVec __attribute__((vector_size(vec_size * sizeof(double)), aligned(8), may_alias));
inline Vec load_unaligned(const double* p) { return *reinterpret_cast<const UnalignedVec*>(p); }
inline void store_unaligned(double* p, Vec x) { *reinterpret_cast<UnalignedVec*>(p) = x; }
inline Vec broadcast(double x) { return x - Vec{}; }
inline double sum(Vec x) {
  double total = 0;
  for (int i = 0; i < vec_size; ++i) total += x[i];
  return total;
}

inline Index least(Index a, Index b) { return a < b ? a : b; }
inline Index greatest(Index a, Index b) { return a > b ? a : b; }
inline void copy(const double* from, Index count, double* to) {
  for (Index i = 0; i < count; ++i) to[i] = from[i];
}
inline void fill(double* first, double* last, double value) {
  for (; first < last; ++first) *first = value;
}

// V registers of rows by one group of columns.
template <int V>
struct Tile {
  Vec c[vec_size][V];

  [[gnu::always_inline]] void load_from(const double* p) {
#pragma GCC unroll 8
    for (int j = 0; j < vec_size; ++j)
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) c[j][v] = load(p + j * rows + v * vec_size);
  }
  [[gnu::always_inline]] void store_to(double* p) const {
#pragma GCC unroll 8
    for (int j = 0; j < vec_size; ++j)
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) store(p + j * rows + v * vec_size, c[j][v]);
  }
  [[gnu::always_inline]] void clear() {
#pragma GCC unroll 8
    for (int j = 0; j < vec_size; ++j)
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) c[j][v] = Vec{};
  }

  // c -= a b', or c += a b', over `count` columns of two panels.
  [[gnu::always_inline]] void subtract_product(const double* a, const double* b, Index count) {
    for (Index k = 0; k < count; ++k, a += rows, b += rows) {
      Vec x[V];
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) x[v] = load(a + v * vec_size);
#pragma GCC unroll 8
      for (int j = 0; j < vec_size; ++j) {
        const Vec y = broadcast(b[j]);
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) c[j][v] -= x[v] * y;
      }
    }
  }
  [[gnu::always_inline]] void add_product(const double* a, const double* b, Index count) {
    for (Index k = 0; k < count; ++k, a += rows, b += rows) {
      Vec x[V];
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) x[v] = load(a + v * vec_size);
#pragma GCC unroll 8
      for (int j = 0; j < vec_size; ++j) {
        const Vec y = broadcast(b[j]);
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) c[j][v] += x[v] * y;
      }
    }
  }

  // c <- c T^-T for the triangle T(i, j) = t[j rows + i], i >= j, with the inverses of its diagonal.
  [[gnu::always_inline]] void substitute_forward(const double* t, const double* inverse_diagonal) {
#pragma GCC unroll 8
    for (int j = 0; j < vec_size; ++j) {
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) c[j][v] *= inverse_diagonal[j];
#pragma GCC unroll 8
      for (int i = j + 1; i < vec_size; ++i)
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) c[i][v] -= c[j][v] * t[j * rows + i];
    }
  }
  // c <- c T^-1 for T(i, j) = t[i rows + j].
  [[gnu::always_inline]] void substitute_backward(const double* t, const double* inverse_diagonal) {
#pragma GCC unroll 8
    for (int i = vec_size - 1; i >= 0; --i) {
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) c[i][v] *= inverse_diagonal[i];
#pragma GCC unroll 8
      for (int j = 0; j < i; ++j)
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) c[j][v] -= c[i][v] * t[i * rows + j];
    }
  }
  // Cholesky of the first register's square, the rows below carried along. False if a pivot is not positive.
  [[gnu::always_inline]] bool factor(double* inverse_diagonal, double& pivots) {
    bool positive = true;
#pragma GCC unroll 8
    for (int j = 0; j < vec_size; ++j) {
      const double pivot = c[j][0][j];
      positive = positive && pivot > 0 && pivot < 1e300;
      pivots *= pivot;
      const double inverse = 1 / __builtin_sqrt(pivot);
      inverse_diagonal[j] = inverse;
#pragma GCC unroll 3
      for (int v = 0; v < V; ++v) c[j][v] *= inverse;
#pragma GCC unroll 8
      for (int i = j + 1; i < vec_size; ++i) {
        const Vec y = broadcast(c[j][0][i]);
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) c[i][v] -= c[j][v] * y;
      }
    }
    return positive;
  }
};

namespace detail {
// One stage of the butterfly: exchanges the off-diagonal squares of size s.
template <int s, std::size_t... l>
[[gnu::always_inline]] inline void exchange(Vec& a, Vec& b, std::index_sequence<l...>) {
  const Vec low = __builtin_shufflevector(a, b, ((l & s) ? vec_size + l - s : l)...);
  b = __builtin_shufflevector(a, b, ((l & s) ? vec_size + l : l + s)...);
  a = low;
}
template <int s>
[[gnu::always_inline]] inline void exchange_all(Vec (&x)[vec_size]) {
#pragma GCC unroll 8
  for (int i = 0; i < vec_size; ++i)
    if (!(i & s)) exchange<s>(x[i], x[i + s], std::make_index_sequence<vec_size>());
}
}  // namespace detail

// A vec_size x vec_size square: to(i, j) = from(j, i), columns `rows` apart in both.
inline void transpose_square(const double* from, double* to) {
  Vec x[vec_size];
#pragma GCC unroll 8
  for (int i = 0; i < vec_size; ++i) x[i] = load(from + i * rows);
  detail::exchange_all<1>(x);
  if constexpr (vec_size > 2) detail::exchange_all<2>(x);
  if constexpr (vec_size > 4) detail::exchange_all<4>(x);
#pragma GCC unroll 8
  for (int i = 0; i < vec_size; ++i) store(to + i * rows, x[i]);
}
// The same for `rows` x `rows`.
inline void transpose_block(const double* from, double* to) {
  for (int i = 0; i < vectors; ++i)
    for (int j = 0; j < vectors; ++j)
      transpose_square(from + i * vec_size + j * vec_size * rows, to + j * vec_size + i * vec_size * rows);
}

}  // namespace wgp::WGP_SIMD
