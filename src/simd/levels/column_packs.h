// Eight columns of a few numbers each as registers: one register for each row.
#pragma once

#include "simd/levels/pack.h"
#include "simd/levels/vector.h"
#include "simd/product_kernels.h"

namespace wgp::WGP_SIMD {

// Eight neighbouring columns of two or three numbers, by shuffles.
inline void split(const double* x, Pack (&y)[2]) {
  const Pack a = load8(x), b = load8(x + 8);
  y[0] = pick<0, 2, 4, 6, 8, 10, 12, 14>(a, b);
  y[1] = pick<1, 3, 5, 7, 9, 11, 13, 15>(a, b);
}
inline void split(const double* x, Pack (&y)[3]) {
  const Pack a = load8(x), b = load8(x + 8), c = load8(x + 16);
  y[0] = pick<0, 1, 2, 3, 4, 5, 10, 13>(pick<0, 3, 6, 9, 12, 15, 0, 0>(a, b), c);
  y[1] = pick<0, 1, 2, 3, 4, 8, 11, 14>(pick<1, 4, 7, 10, 13, 0, 0, 0>(a, b), c);
  y[2] = pick<0, 1, 2, 3, 4, 9, 12, 15>(pick<2, 5, 8, 11, 14, 0, 0, 0>(a, b), c);
}
inline void join(const Pack (&y)[2], double* x) {
  store8(pick<0, 8, 1, 9, 2, 10, 3, 11>(y[0], y[1]), x);
  store8(pick<4, 12, 5, 13, 6, 14, 7, 15>(y[0], y[1]), x + 8);
}
inline void join(const Pack (&y)[3], double* x) {
  const Pack low = pick<0, 8, 1, 9, 2, 10, 3, 11>(y[0], y[1]);  // x0 y0 x1 y1 x2 y2 x3 y3
  const Pack high = pick<4, 12, 5, 13, 6, 14, 7, 15>(y[0], y[1]);
  store8(pick<0, 1, 8, 2, 3, 9, 4, 5>(low, y[2]), x);
  const Pack middle = pick<10, 6, 7, 11, 0, 0, 12, 0>(low, y[2]);
  store8(pick<0, 1, 2, 3, 8, 9, 6, 10>(middle, high), x + 8);
  store8(pick<3, 13, 4, 5, 14, 6, 7, 15>(high, y[2]), x + 16);
}

// Columns first..first+count-1 of X as D registers; missing columns repeat the last one.
template <int D>
void load_columns(const ConstColumns& X, Index first, Index count, Pack (&x)[D]) {
  if constexpr (D == 2 || D == 3)
    if (count == pack_size && X.stride == D) return split(X.data + first * D, x);
  for (Index lane = 0; lane < pack_size; ++lane) {
    const double* column = X.data + (first + least(lane, count - 1)) * X.stride;
    for (int j = 0; j < D; ++j) x[j][lane] = column[j];
  }
}
template <int D>
void store_columns(const Pack (&x)[D], const Columns& X, Index first, Index count) {
  if constexpr (D == 2 || D == 3)
    if (count == pack_size && X.stride == D) return join(x, X.data + first * D);
  for (Index lane = 0; lane < count; ++lane) {
    double* column = X.data + (first + lane) * X.stride;
    for (int j = 0; j < D; ++j) column[j] = x[j][lane];
  }
}
template <int D>
Pack dot(const double* a, const Pack (&x)[D]) {
  Pack sum = a[0] * x[0];
  for (int j = 1; j < D; ++j) sum += a[j] * x[j];
  return sum;
}
template <int D>
Pack squared_norm(const Pack (&x)[D]) {
  Pack sum = x[0] * x[0];
  for (int j = 1; j < D; ++j) sum += x[j] * x[j];
  return sum;
}
template <int D>
Pack length(const Pack (&x)[D]) {
  return sqrt(squared_norm<D>(x));
}

inline void store_some(const Pack& x, double* to, Index count) {
  if (count == pack_size) return store8(x, to);
  for (Index lane = 0; lane < count; ++lane) to[lane] = x[lane];
}

// body(first, count) for every group of up to eight columns.
template <class Body>
void for_eights(Index columns, Body body) {
  for (Index first = 0; first < columns; first += pack_size) body(first, least(pack_size, columns - first));
}

}  // namespace wgp::WGP_SIMD
