// How often a curve crosses itself, or comes so near to itself that it could not be told apart from crossing.
#pragma once

#include "wgp/manifold.h"

namespace wgp {

// nodes: along the curve; a closed one goes on from the last to the first. In the plane and on the sphere crossings of
// the polygon are counted exactly. Elsewhere curves miss each other by chance: counted are the places where two
// stretches come nearer than `near` that are further apart along the curve than three times their distance and than 8 %
// of its length.
Index count_crossings(const Manifold& manifold, ConstMatrixRef nodes, bool closed, double near);

// The length of the polygon.
double curve_length(const Manifold& manifold, ConstMatrixRef nodes, bool closed);

}  // namespace wgp
