// Fits of sets about known submanifolds.
#pragma once

#include "evaluate/truth_sets.h"
#include "wgp/fit.h"

namespace wgp::test {

inline FitOptions options_of(const TruthSet& set) {
  FitOptions options;
  options.latent = set.latent;
  options.kernel = set.kernel;
  return options;
}

struct FitTask {
  ManifoldPtr manifold;
  Matrix points;
  FitOptions options;
};
// To be searched quickly, on 300 of the points.
inline FitTask quick_task(const char* source, std::uint64_t seed, Index count) {
  const TruthSet set = find_truth_source(source)->make(seed);
  FitTask task{set.manifold, draw_truth(set, seed, TruthPart::training, count).points, options_of(set)};
  task.options.subsample = 300;
  task.options.effort = Effort::quick;
  return task;
}

}  // namespace wgp::test
