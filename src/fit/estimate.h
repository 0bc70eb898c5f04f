// What a fit will take, from what its steps take.
#pragma once

#include "wgp/fit.h"

namespace wgp {

// Seconds of the steps that a fit is made of, on one thread. Those that it does not make are 0.
struct StepSeconds {
  double pass_a_point = 0, pass = 0;  // over the grid: for each point, and besides
  double evaluation_a_point = 0;      // of the bound, with its gradient
  double dense = 0;                   // evaluation of estimated latents, tried_points of them
  double in_pass = 0;    // of a point in a pass over very many: an evaluation's, without what it takes besides
  double logarithm = 0;  // of a point at the mean
};
// Measured on a few points. manifold: null where logarithms are not asked for.
StepSeconds time_steps(Index d, const FitOptions& options, const Manifold* manifold = nullptr);

FitEstimate estimate_fit(const Manifold& manifold, Index N, const FitOptions& options, const StepSeconds& steps);

}  // namespace wgp
