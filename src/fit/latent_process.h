// What points make of an optimum that a search found: all of them, a part of them, the process that predicts, and the
// model.
#pragma once

#include "fit/latent_optimum.h"
#include "fit/session.h"

namespace wgp {

// Latents integrated out: at the mean of a lifting.
FitProblem integrated_problem(const Lifting& lifting, FitSession& session);

// One that was found on a part of the points, for all of them.
LatentOptimum on_all_points(const FitProblem& problem, const LatentOptimum& optimum, FitSession& session);

// Fits of parts of the points learn a density where that of all points has learned one, and not otherwise.
void set_densities(FitProblem& problem, AngleDensities densities);

// What these points alone make of an optimum: a few passes, or iterations, from where it is.
LatentOptimum refit(const FitProblem& problem, const LatentOptimum& optimum, const std::vector<Index>& kept,
                    FitSession& session, Executor& executor);

// The process of an optimum for the vectors V of its points, in the data's units: `theta` and `noise` are in these.
// Null where there is none. problem: of all points, whose outputs the optimum was found with.
PosteriorPtr posterior_of(const FitProblem& problem, const LatentOptimum& optimum, ConstVectorRef theta, double noise,
                          ConstMatrixRef V);

// A model's parts but for its points and their latents. theta and noise: in the problem's units.
Model::Parts integrated_parts(const Lifting& lifting, const FitProblem& problem, const FitOptions& options,
                              ConstVectorRef theta, double noise);
// The model of an optimum for its points, and their vectors V. Nothing where there is no process.
std::optional<Model> integrated_model(const Lifting& lifting, const FitProblem& problem, const FitOptions& options,
                                      const LatentOptimum& optimum, ConstMatrixRef P, ConstMatrixRef V);

}  // namespace wgp
