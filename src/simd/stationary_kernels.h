// Columns of stationary covariances and of their derivatives; see gp/stationary.cpp.
#pragma once

#include <cstddef>

namespace wgp {

using Index = std::ptrdiff_t;

enum class StationaryShape { rbf, matern32, matern52 };

// Scaled features of points: feature f of point i is data[f stride + i].
struct ScaledPoints {
  const double* data;
  Index stride, features;
};

struct StationaryKernels {
  // k_i = variance shape(s_i), s_i the squared distance between points first + i and point j of b, i < count.
  void (*covariances)(StationaryShape shape, const ScaledPoints& a, Index first, const ScaledPoints& b, Index j,
                      double variance, Index count, double* k);
  // Of the same covariances: with w_i = 2 g_i dk_i/ds_i and the differences delta of each feature, adds w_i delta_i to
  // by_feature[f stride + i], and to sums[f] and sums[features + f] what w_i delta_i and w_i delta_i^2 add up to.
  // Returns the sum of g_i k_i.
  double (*pull_back)(StationaryShape shape, const ScaledPoints& a, Index first, const ScaledPoints& b, Index j,
                      double variance, Index count, const double* k, const double* g, double* by_feature, Index stride,
                      double* sums);
};

}  // namespace wgp
