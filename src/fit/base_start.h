// Where base points begin that are fitted: a centre, and coefficients that follow given points on the manifold.
#pragma once

#include "wgp/fit.h"

namespace wgp {

// Functions of the latents, spread over the range of X: splines of this many pieces along each.
BasisPtr base_functions(BasepointKind kind, const LatentSpace& latent, ConstMatrixRef X, Index pieces);
// Numbers of pieces worth trying for N points, the most first.
std::vector<Index> piece_counts(const LatentSpace& latent, Index N);

// The base point whose m(x_i) comes near the targets (a smooth image of the latents), in least squares with a little
// smoothing. The centre is `mean`, or on a compact manifold, if the targets come near the mean's cut locus, a point
// whose cut locus they stay away from. Along one plain latent, logarithms are continued beyond the cut locus.
Basepoint base_through(const ManifoldPtr& manifold, ConstVectorRef mean, const BasisPtr& basis,
                       const LatentSpace& latent, ConstMatrixRef X, ConstMatrixRef targets);

}  // namespace wgp
