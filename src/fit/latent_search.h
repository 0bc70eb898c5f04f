// The search for a submanifold with its latents integrated out.
//
// Curves (one coordinate): principal components, path lengths along a neighbour graph and short tours through cluster
// centres as starts, each improved on a grid of nodes; the best are finished, and where a curve comes near itself its
// ends are tried the other way round. Surfaces: the same starts and a grown point estimate, on a grid of nodes and then
// with normal distributions of the latents. More coordinates, or vectors so long that posteriors are narrower than a
// grid: normal distributions alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evidence/grid_engine.h"
#include "fit/problem.h"

namespace wgp {

struct LatentOptimum {
  std::string kind;  // "pga", "isomap", "tour", "growth", ...
  FitState state;    // X, log variances, kernel and noise; value: the bound with normal q(x), if it has one
  std::optional<GridState> grid;  // where q(x) is free: the end of the search, or what the bound is judged by
  double bound = 0;               // by which optima are compared, in the problem's units
  int iterations = 0;
  bool by_grid = false;  // its process is that of the grid
};

// The problem's evidence is variational_evidence; V stays. Best first, at least one. Where the session's control says
// stop: what there is.
std::vector<LatentOptimum> search_latents(const Lifting& lifting, const FitProblem& problem, FitSession& session);

// The process of an optimum for the vectors V, in the data's units: `theta` and `noise` are in these. Null where there
// is none.
PosteriorPtr posterior_of(const FitProblem& problem, const LatentOptimum& optimum, ConstVectorRef theta, double noise,
                          ConstMatrixRef V);

}  // namespace wgp
