// What a fit will take, from what its steps take.
#pragma once

#include "wgp/fit.h"

namespace wgp {

// Seconds of the steps that a fit is made of, on one thread. Those that it does not make are 0.
struct StepSeconds {
  double pass_a_point = 0, pass = 0;  // over the grid: for each point, and besides
  double evaluation_a_point = 0;      // of the bound, with its gradient
  double dense = 0;                   // evaluation of estimated latents, tried_points of them
};
// Measured on a few points.
StepSeconds time_steps(Index d, const FitOptions& options);

FitEstimate estimate_fit(const Manifold& manifold, Index N, const FitOptions& options, const StepSeconds& steps);

}  // namespace wgp
