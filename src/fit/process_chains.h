// Draws of the process for the model of a surface (evidence/process_draws.h): chains from the chosen optimum, and from
// others whose bound is hardly lower. Which of these is right the points cannot say, so that densities are the mean
// over all of them.
#pragma once

#include "fit/latent_optimum.h"
#include "fit/session.h"
#include "fit/variational_settings.h"
#include "gp/lattice_posterior.h"
#include "wgp/model.h"

namespace wgp {

// Surfaces of few points: of many, what independence leaves out is small. Of curves it is small too. Not where the fit
// is to be quick: chains take as long as a search.
bool has_chains(const FitOptions& options, Index N, Index d);

// Where chains begin: the chosen optimum, then others nearly as high. Empty where there are to be none.
std::vector<const LatentOptimum*> chain_starts(const FitProblem& problem, const FitOptions& options,
                                               const LatentOptimum& chosen, const std::vector<LatentOptimum>& optima);

// What all chains of a model share. V: the vectors of its points; some: those of them that a chain looks at, which
// points that belong to nothing are not.
struct ChainSetting {
  const Model& model;
  Matrix V;
  std::vector<Index> some;
  const Lifting& lifting;
  const FitProblem& problem;
  FitSession& session;
};

// What one chain from this optimum leaves, on the model's lattice. which: of several, for their random numbers. Throws
// Stopped.
std::vector<LatticeDraw> drawn_from(const ChainSetting& setting, const LatentOptimum& start, const ChainEffort& effort,
                                    std::uint64_t which);

// The model with draws from all of these that its lattice holds, over ranks each chain on one of them; as it is where
// the session is told to end.
Model with_draws(const ChainSetting& setting, const std::vector<const LatentOptimum*>& starts,
                 const ChainEffort& effort);
// With these; as it is where there are none.
Model with_draws(const Model& model, std::vector<LatticeDraw> draws);

}  // namespace wgp
