// The search for a submanifold with its latents integrated out.
//
// Curves (one coordinate): principal components, path lengths along a neighbour graph and short tours through cluster
// centres as starts, each improved on a grid of nodes; the best are finished, and where a curve comes near itself its
// ends are tried the other way round. Surfaces: the same starts and a grown point estimate, on a grid of nodes and then
// with normal distributions of the latents. More coordinates, or vectors so long that posteriors are narrower than a
// grid: normal distributions alone, from the fourth coordinate on by inducing inputs.
#pragma once

#include <vector>

#include "fit/latent_optimum.h"

namespace wgp {

// What is searched: the problem's evidence is variational_evidence, its points are those of the lifting.
struct LatentSearchSetting {
  const Lifting& lifting;
  const FitProblem& problem;
  FitSession& session;
  std::string name;         // of this search among those of the fit, for its checkpoints
  std::vector<Index> rows;  // of the data that the fit was given: the problem's points
};
// V stays. Best first, at least one. Where the session's control says stop: the best that there is by then.
std::vector<LatentOptimum> search_latents(const LatentSearchSetting& setting);

// A curve of these points that a search from nothing finds by the same kind of start as this one: what left-out points
// are to be asked, as they have had no part in it. Nothing where the kind of start needs them.
std::optional<LatentOptimum> search_alike(const LatentSearchSetting& setting, const LatentOptimum& like,
                                          Executor& executor);

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
