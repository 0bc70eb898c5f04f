// What a fit is said to take. Seconds are of this machine, so that only their order can be told.
#include <gtest/gtest.h>

#include "wgp/fit.h"

namespace wgp {
namespace {

FitOptions options_of(Index q, Inference inference) {
  FitOptions options;
  options.latent = LatentSpace::plain(q);
  options.inference = inference;
  return options;
}

TEST(FitEstimate, GrowsWithThePoints) {
  const ManifoldPtr manifold = parse_manifold("spd:3");
  for (const Inference inference : {Inference::variational, Inference::point})
    for (const Index q : {1, 2, 3, 4}) {
      const FitOptions options = options_of(q, inference);
      const FitEstimate few = estimate_fit(*manifold, 100, options), many = estimate_fit(*manifold, 100000, options);
      EXPECT_GT(few.seconds, 0) << q;
      EXPECT_GT(few.bytes, 8 * 100 * 9) << q;
      EXPECT_GT(many.seconds, 3 * few.seconds) << q;
      // Integrated latents are sums over points; estimated ones need their covariance whole.
      EXPECT_NEAR(many.bytes / few.bytes, inference == Inference::variational ? 1e3 : 1e6,
                  inference == Inference::variational ? 1 : 3e5)
          << q;
    }
}

TEST(FitEstimate, FollowsTheOptions) {
  const ManifoldPtr manifold = parse_manifold("spd:3");
  FitOptions normal = options_of(2, Inference::variational), quick = normal, shared = normal, smaller = normal;
  quick.effort = Effort::quick;
  shared.threads = 8;
  smaller.subsample = 100;
  const double seconds = estimate_fit(*manifold, 2000, normal).seconds;
  EXPECT_LT(estimate_fit(*manifold, 2000, quick).seconds, seconds);
  EXPECT_LT(estimate_fit(*manifold, 2000, shared).seconds, seconds);
  EXPECT_LT(estimate_fit(*manifold, 2000, smaller).seconds, seconds);
}

}  // namespace
}  // namespace wgp
