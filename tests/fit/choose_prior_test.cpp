#include <gtest/gtest.h>

#include <cmath>

#include "wgp/fit.h"

namespace wgp {
namespace {

Matrix bow(Index N) {
  Random random(4);
  Matrix P(4, N);
  for (Index i = 0; i < N; ++i) {
    const double t = 3 * random.normal();
    P.col(i) << std::sin(t), std::cos(t), std::sin(2 * t), t / 3;
  }
  return P + 0.03 * random.normals(4, N);
}

TEST(ChoosePrior, KeepsTheFitWithTheHigherHeldOutDensity) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.prior = Prior::automatic;
  const FitResult chosen = fit(space, bow(50), options);
  options.prior = Prior::map;
  const FitResult map = fit(space, bow(50), options);
  options.prior = Prior::none;
  const FitResult none = fit(space, bow(50), options);
  const bool prefers_map = *map.summary.held_out_log_density >= *none.summary.held_out_log_density;
  EXPECT_EQ(chosen.model.parts().prior, prefers_map ? Prior::map : Prior::none);
  EXPECT_EQ(chosen.model.parts().X, (prefers_map ? map : none).model.parts().X);
  EXPECT_EQ(chosen.summary.evaluations, map.summary.evaluations + none.summary.evaluations);
}

TEST(ChoosePrior, ResumesFromTheCheckpointOfEither) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.prior = Prior::automatic;
  FitCheckpoint so_far;
  std::vector<FitCheckpoint> checkpoints;
  options.on_step = [&](std::uint64_t fingerprint, const FitStep& step) {
    so_far.fingerprint = fingerprint;
    so_far.steps[step.name] = step.numbers;
    checkpoints.push_back(so_far);
  };
  const FitResult whole = fit(space, bow(40), options);
  // pga and mds under one prior, growth and tour under the other; five folds of one optimum each at least.
  ASSERT_GE(checkpoints.size(), 14u);
  options.on_step = nullptr;
  for (std::size_t k = 0; k < checkpoints.size(); k += 3) {
    options.resume = std::make_shared<const FitCheckpoint>(checkpoints[k]);
    EXPECT_EQ(fit(space, bow(40), options).model.parts().X, whole.model.parts().X);
  }
}

}  // namespace
}  // namespace wgp
