// One optimum of a search with integrated latents, and its numbers in a checkpoint.
#pragma once

#include <optional>
#include <string>

#include "evidence/grid_engine.h"
#include "fit/problem.h"

namespace wgp {

struct LatentOptimum {
  std::string kind;  // "pga", "isomap", "tour", "growth", ...
  FitState state;    // X, log variances, kernel and noise; value: the bound with normal q(x), if it has one
  std::optional<GridState> grid;        // where q(x) is free: the end of the search, or what the bound is judged by
  double bound = 0;                     // by which optima are compared, in the problem's units
  std::optional<double> bound_of_part;  // where it was found on a part of the points: there
  double jitter = 0;                    // on the covariance of inducing inputs, where there are some
  int iterations = 0;
  bool by_grid = false;  // its process is that of the grid
  AngleDensities densities = AngleDensities::learned;

  double noise() const { return by_grid ? grid->noise : state.noise(); }
};

// From the same start to nearly the same bound: one optimum, of which the better is kept.
void add_unless_known(std::vector<LatentOptimum>& found, LatentOptimum one);

// Other optima that the bound of N points hardly tells from the first, the best one of each kind. Best first.
std::vector<std::size_t> nearly_as_high(const std::vector<LatentOptimum>& optima, Index N);

Vector pack(const LatentOptimum& optimum);
// Of as many points as the problem has. Error unless all sizes are those of the problem that it is to be an optimum of.
LatentOptimum unpack_latent_optimum(ConstVectorRef numbers, const FitProblem& problem);

}  // namespace wgp
