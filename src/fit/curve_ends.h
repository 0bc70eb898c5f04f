// The ends of open curves. The bound hardly tells a curve that turns aside for its last few points from one that ends
// before them, and the former is what it prefers: q(x) of each point by itself knows nothing of how uncertain the
// function is where points end. So the last points are given back to the stretch that the others have made, unless that
// costs what they are worth.
#pragma once

#include "fit/latent_optimum.h"

namespace wgp {

// One plain coordinate, normal q(x); state: the optimum, with its value.
FitState with_ends_drawn_in(const FitProblem& problem, FitState state);

}  // namespace wgp
