// What points make of an optimum that a search found: all of them, a part of them, and the process that predicts.
#pragma once

#include "fit/latent_optimum.h"
#include "fit/session.h"

namespace wgp {

// One that was found on a part of the points, for all of them.
LatentOptimum on_all_points(const FitProblem& problem, const LatentOptimum& optimum, FitSession& session);

// What these points alone make of an optimum: a few passes, or iterations, from where it is.
LatentOptimum refit(const FitProblem& problem, const LatentOptimum& optimum, const std::vector<Index>& kept,
                    FitSession& session, Executor& executor);

// The process of an optimum for the vectors V of its points, in the data's units: `theta` and `noise` are in these.
// Null where there is none. problem: of all points, whose outputs the optimum was found with.
PosteriorPtr posterior_of(const FitProblem& problem, const LatentOptimum& optimum, ConstVectorRef theta, double noise,
                          ConstMatrixRef V);

}  // namespace wgp
