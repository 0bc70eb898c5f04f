// How far apart points are that differ by the rounding of their coordinates: below this, distances say nothing.
#pragma once

#include "wgp/manifold.h"

namespace wgp {

// Of the base point: its coordinates are held to relative errors of 2^-53 each, which the metric sees as a vector of
// about this length. On SPD with the affine-invariant metric it is the rounding times the condition number and does not
// depend on the unit; in Euclidean space it grows with the distance from the origin.
double rounding_length(const TangentSpace& space);

// Lengths above this many times the rounding are those of distinct points: coordinates that were computed, aligned or
// normalised carry a few roundings.
inline constexpr double distinct_above = 16;

// Whether all points are one point up to what rounding of their coordinates, and of a few operations with them, can do.
bool all_points_equal(const Manifold& manifold, ConstMatrixRef points);

}  // namespace wgp
