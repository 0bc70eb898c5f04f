// What all points make of an optimum that a search has found on a part of them: passes over them, however many there
// are.
#pragma once

#include <functional>

#include "core/run_control.h"
#include "evidence/normal_passes.h"
#include "fit/latent_optimum.h"

namespace wgp {

// Of each column which one of these is nearest: where a point that was not searched on begins.
std::vector<Index> nearest_columns(ConstMatrixRef known, ConstMatrixRef columns, Executor& executor,
                                   RunControl& control);

// Whether the latents of a problem can be improved by passes: up to three coordinates.
bool has_passes(const FitProblem& problem);

// Until ten passes gain next to nothing. to_data: what turns a bound into one of the data, for reports. Throws Stopped.
void run_passes(NormalPasses& passes, PassState& state, RunControl& control, Index N, double to_data);

// From the latents of an optimum of all points, as above.
LatentOptimum by_passes(const FitProblem& problem, LatentOptimum optimum, Executor& executor, RunControl& control,
                        double to_data);
// As many as may be, whatever they gain.
LatentOptimum by_passes(const FitProblem& problem, LatentOptimum optimum, Executor& executor,
                        const std::function<bool(int passes)>& goes_on);

}  // namespace wgp
