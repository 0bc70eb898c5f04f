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

// A sheet that hardly bends, in space: few features, so that its chains are quick.
inline Matrix flat_sheet(Index count, std::uint64_t stream) {
  Random random(8, stream);
  const Matrix X = random.normals(2, count);
  Matrix P(3, count);
  for (Index n = 0; n < count; ++n) P.col(n) << 2 * X(0, n), X(1, n), 0.2 * X(0, n) * X(0, n);
  return P + 0.15 * random.normals(3, count);
}
inline FitTask flat_task(Index count) {
  FitTask task{parse_manifold("euclidean:3"), flat_sheet(count, 1), FitOptions()};
  task.options.latent = LatentSpace::plain(2);
  task.options.kernel = "rbf";
  task.options.inits = {"pga"};
  return task;
}

}  // namespace wgp::test
