// exp, log and distance on small spheres, eight points at a time.
#pragma once

#include "linalg/lanes.h"
#include "wgp/manifold.h"

namespace wgp {

// The fixed part of a batch: base point p and the scaled Householder vector w of its frame (H = I - w w').
struct SphereBase {
  const Vector& p;
  const Vector& w;
};

inline constexpr Index largest_batch_ambient = 4;  // circles, S^2 and S^3 (quaternions)

// Each handles all columns; the caller treats those that come back at sine 0 (same or opposite point) by itself.
// sines[i] = |q - <p, q> p|.
void sphere_log_batch(const SphereBase& base, ConstMatrixRef points, MatrixRef coords, VectorRef angles,
                      VectorRef sines);
// weighted, squares and longest; the caller sees to points at and near the antipode.
void sphere_log_sums_batch(const SphereBase& base, ConstMatrixRef points, ConstVectorRef weights, LogSums& sums);
void sphere_exp_batch(const SphereBase& base, ConstMatrixRef coords, MatrixRef points);
void sphere_distance_batch(const SphereBase& base, ConstMatrixRef points, VectorRef angles);

}  // namespace wgp
