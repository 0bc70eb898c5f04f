// Draws of the process for the model of a surface (evidence/process_draws.h): chains from the chosen optimum, and from
// others whose bound is hardly lower. Which of these is right the points cannot say, so that densities are the mean
// over all of them.
#pragma once

#include "fit/latent_optimum.h"
#include "fit/session.h"
#include "fit/variational_settings.h"
#include "wgp/model.h"

namespace wgp {

// Surfaces of few points: of many, what independence leaves out is small. Of curves it is small too. Not where the fit
// is to be quick: chains take as long as a search.
bool has_chains(const FitOptions& options, Index N, Index d);

// Where chains begin: the chosen optimum, then others nearly as high. Empty where there are to be none.
std::vector<const LatentOptimum*> chain_starts(const FitProblem& problem, const FitOptions& options,
                                               const LatentOptimum& chosen, const std::vector<LatentOptimum>& optima);

// The model with draws from all of these; as it is where the session is told to end. starts: of the model's points,
// whose vectors are V; some: those of them that a chain looks at, which points that belong to nothing are not.
Model with_draws(const Model& model, ConstMatrixRef V, const std::vector<Index>& some, const Lifting& lifting,
                 const FitProblem& problem, const std::vector<const LatentOptimum*>& starts, const ChainEffort& effort,
                 FitSession& session, Executor& executor);

}  // namespace wgp
