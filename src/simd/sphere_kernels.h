// exp, log and distance on small spheres, eight points at a time; see geometry/sphere.cpp.
#pragma once

#include "simd/product_kernels.h"

namespace wgp {

inline constexpr Index largest_batch_ambient = 4;  // circles, S^2 and S^3 (quaternions)

// The fixed part of a batch: base point p and the scaled Householder vector w of its frame (H = I - w w').
struct SphereBase {
  const double *p, *w;
  Index dim;  // of p and w: 2 to largest_batch_ambient
};
struct SphereSums {
  double weighted[largest_batch_ambient - 1];
  double squares, longest;
};

struct SphereExtremes {
  double largest_angle, smallest_sine;
};

// Each handles all columns; the caller treats those that come back at sine 0 (same or opposite point) by itself.
struct SphereKernels {
  // sines[i] = |q - <p, q> p|.
  SphereExtremes (*log)(const SphereBase& base, const ConstColumns& points, const Columns& coords, double* angles,
                        double* sines);
  // The caller sees to points at and near the antipode.
  void (*log_sums)(const SphereBase& base, const ConstColumns& points, const double* weights, SphereSums& sums);
  void (*exp)(const SphereBase& base, const ConstColumns& coords, const Columns& points);
  void (*distance)(const SphereBase& base, const ConstColumns& points, double* angles);
};

}  // namespace wgp
