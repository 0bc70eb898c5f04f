// What a fit still does that is told to end before anything was finished: a start by itself is no model, and half a
// second makes one of it. By the clock, so that these results, other than all others, differ from run to run.
#pragma once

#include <string>

#include "evidence/grid_engine.h"
#include "fit/latent_optimum.h"

namespace wgp {

struct BegunOnGrid {
  std::string kind;
  GridState state;
};
// The noise goes down in steps, unless it has done so already; then passes with all of it free. engine: one that nobody
// stops.
LatentOptimum in_a_moment(GridEngine& engine, BegunOnGrid begun);
// By L-BFGS, so many iterations at most.
LatentOptimum in_a_moment(FitProblem problem, LatentOptimum begun, int most);
// Passes over all points, where the problem has them; else it is left as it is.
LatentOptimum in_a_moment(FitProblem problem, LatentOptimum begun, Executor& executor);

}  // namespace wgp
