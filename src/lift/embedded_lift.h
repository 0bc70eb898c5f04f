// The lift of the baselines: vectors in the ambient space (wgp/lift.h).
#pragma once

#include "wgp/lift.h"

namespace wgp {

enum class Predictions { as_they_are, projected };
// base: as embedded_base() made it. clip: eigenvalues of a projected SPD matrix are at least this share of the largest.
LiftPtr embedded_lift(ManifoldPtr manifold, ConstVectorRef base, Predictions predictions, double clip);
// What the embedding needs of the training points: the shape to align to, and the mean of the embedding.
Vector embedded_base(const Manifold& manifold, ConstMatrixRef points);
// Baselines on kendall3d and grassmann did not align at first: their base is the mean of the points as they are stored.
bool is_unaligned_base(const Manifold& manifold, ConstVectorRef base);

// Distances in the embedding between columns: Frobenius, chord; on quotients, of representatives that are aligned to
// each other.
Vector euclidean_distances(const Manifold& manifold, ConstMatrixRef a, ConstMatrixRef b);

}  // namespace wgp
