// Cholesky with diagonal pivoting and cyclic Jacobi rotations on n x n matrices of T: double, or Pack for eight
// matrices at once. Nothing branches on the data of a single matrix; one that has converged is left alone while others
// go on.
//
// Size is Size<N>, with the loops unrolled, or Size<0> for any n. Arrays are the caller's.
#pragma once

#include <cstddef>

#include "simd/levels/scalar_functions.h"

namespace wgp::WGP_SIMD {

using Index = std::ptrdiff_t;

template <int N>
struct Size {
  constexpr operator Index() const { return N; }
};
template <>
struct Size<0> {
  Index n;
  operator Index() const { return n; }
};

inline constexpr int max_sweeps = 40;  // 4 to 12 are used; NaN compares false and ends at once

// tan, cos and sin of the rotation that makes c vanish in [a c; c b], d = b - a; the identity where `needed` is false.
//   t = sign(d) 2c / (|d| + sqrt(d^2 + 4c^2)), |t| <= 1
template <class T>
struct Rotation {
  T t, cosine, sine;

  template <class M>
  Rotation(const M& needed, const T& c, const T& d) {
    const T size = abs(d) + sqrt(d * d + 4 * c * c);
    const T tangent = select(d < 0, -2 * c, 2 * c) / select(needed, size, T{} + 1);
    t = select(needed, tangent, T{});
    cosine = 1 / sqrt(1 + t * t);
    sine = t * cosine;
  }
  // (x, y) -> (cos x - sin y, sin x + cos y)
  void apply(T& x, T& y) const {
    const T old = x;
    x = cosine * old - sine * y;
    y = sine * old + cosine * y;
  }
};

// A = G G', the columns of G (stored one after the other) found by diagonal pivoting, rows in the order of A. Reads and
// destroys the lower triangle of a (n * n, row-major). Returns where a pivot is at the rounding level of the diagonal
// entry it started from (or NaN or infinite): there A is not positive definite to working precision.
template <class T, class S>
auto pivoted_cholesky(S n, T* a, T* diagonal, T* g) {
  auto failed = T{} > 0;
  for (Index i = 0; i < n; ++i) diagonal[i] = a[i * n + i];
  for (Index k = 0; k < n; ++k) {
    T* c = g + k * n;
    T pivot = a[0], start = diagonal[0], which = T{};
    for (Index i = 0; i < n; ++i) c[i] = a[i * n];
    for (Index j = 1; j < n; ++j) {
      const auto larger = a[j * n + j] > pivot;
      pivot = select(larger, a[j * n + j], pivot);
      start = select(larger, diagonal[j], start);
      which = select(larger, T{} + static_cast<double>(j), which);
      for (Index i = 0; i < n; ++i) c[i] = select(larger, i < j ? a[j * n + i] : a[i * n + j], c[i]);
    }
    failed = failed | !(pivot > static_cast<double>(n) * epsilon * start);
    const T scale = 1 / sqrt(pivot);
    for (Index i = 0; i < n; ++i) c[i] *= scale;
    // The pivot's row and column are done: exact zeros keep them from being chosen again.
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        const auto done = (which == static_cast<double>(i)) | (which == static_cast<double>(j));
        a[i * n + j] = select(done, T{}, a[i * n + j] - c[i] * c[j]);
      }
  }
  return failed;
}

// One-sided Jacobi: rotates the columns of G until they are orthogonal, |g_i . g_j| <= n eps |g_i| |g_j|. Then
// G G' = sum_k g_k g_k', and squares[k] = |g_k|^2 are its eigenvalues.
template <class T, class S>
void orthogonalise_columns(S n, T* g, T* squares) {
  const double tolerance = static_cast<double>(n) * epsilon;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < max_sweeps; ++sweep) {
    rotated = false;
    for (Index j = 1; j < n; ++j)
      for (Index i = 0; i < j; ++i) {
        T *x = g + i * n, *y = g + j * n;
        T a = x[0] * x[0], b = y[0] * y[0], c = x[0] * y[0];
        for (Index k = 1; k < n; ++k) {
          a += x[k] * x[k];
          b += y[k] * y[k];
          c += x[k] * y[k];
        }
        const auto needed = c * c > tolerance * tolerance * (a * b);
        if (!any(needed)) continue;
        rotated = true;
        const Rotation<T> rotation(needed, c, b - a);
        for (Index k = 0; k < n; ++k) rotation.apply(x[k], y[k]);
      }
  }
  for (Index j = 0; j < n; ++j) {
    squares[j] = g[j * n] * g[j * n];
    for (Index k = 1; k < n; ++k) squares[j] += g[j * n + k] * g[j * n + k];
  }
}

// Two-sided Jacobi: a (n * n, both triangles, symmetric) becomes diagonal, its eigenvectors the columns of u (stored
// one after the other). Stops at |a_ij| <= eps |A| / n; below 1e-150 squares would underflow, and nothing depends on
// them.
template <class T, class S>
void diagonalise(S n, T* a, T* u) {
  T squares = T{};
  for (Index i = 0; i < n * n; ++i) squares += a[i] * a[i];
  const T threshold = sqrt(squares) * (epsilon / static_cast<double>(n)) + 1e-150;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) u[i * n + j] = T{} + (i == j ? 1.0 : 0.0);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < max_sweeps; ++sweep) {
    rotated = false;
    for (Index j = 1; j < n; ++j)
      for (Index i = 0; i < j; ++i) {
        const T c = a[j * n + i];
        const auto needed = abs(c) > threshold;
        if (!any(needed)) continue;
        rotated = true;
        const Rotation<T> rotation(needed, c, a[j * n + j] - a[i * n + i]);
        a[i * n + i] -= rotation.t * c;
        a[j * n + j] += rotation.t * c;
        a[i * n + j] = a[j * n + i] = select(needed, T{}, c);
        for (Index k = 0; k < n; ++k) {
          rotation.apply(u[i * n + k], u[j * n + k]);
          if (k == i || k == j) continue;
          rotation.apply(a[k * n + i], a[k * n + j]);
          a[i * n + k] = a[k * n + i];
          a[j * n + k] = a[k * n + j];
        }
      }
  }
}

}  // namespace wgp::WGP_SIMD
