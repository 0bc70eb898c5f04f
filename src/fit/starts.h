// Where fits begin: latents from principal components, principal curves, distances, or chance.
#pragma once

#include "fit/objective.h"
#include "wgp/random.h"

namespace wgp {

// Principal components of V with unit variance each (an angle: the direction in the plane of two of them). The noise
// starts at what the components leave over.
FitState pga_start(const FitProblem& problem);
// Classical scaling of path lengths along a neighbour graph (k = 8), from the distances between all points: q x N, unit
// variance.
Matrix scaled_path_lengths(const Matrix& distance, Index q, RunControl* control = nullptr);
// The same on distances of V.
FitState mds_start(const FitProblem& problem);
// Between all columns: of vectors, of points on a manifold.
Matrix euclidean_distances(ConstMatrixRef V, RunControl* control = nullptr);
Matrix geodesic_distances(const Manifold& manifold, ConstMatrixRef P, RunControl* control = nullptr);
FitState random_start(const FitProblem& problem, Random& random);
FitState given_start(const FitProblem& problem, ConstMatrixRef X);
// One latent coordinate from outside (a principal curve, a tour); the others from the components.
FitState curve_start(const FitProblem& problem, ConstVectorRef along);

}  // namespace wgp
