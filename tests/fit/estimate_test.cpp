// What a fit is said to take. What steps take is a machine's, so that it is given here, not measured.
#include "fit/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wgp {
namespace {

constexpr StepSeconds steps{1e-6, 1e-4, 1e-5, 1e-3, 1e-5, 1e-6};

FitOptions options_of(Index q, Inference inference) {
  FitOptions options;
  options.latent = LatentSpace::plain(q);
  options.inference = inference;
  return options;
}

TEST(FitEstimate, GrowsAsTheAlgorithmsDo) {
  const ManifoldPtr manifold = parse_manifold("spd:3");
  for (const Index q : {1, 2, 3, 4}) {
    // Sums over points: linear, in time and memory. Their covariance whole: cubic, and quadratic.
    const auto ratio = [&](Inference inference) {
      const FitOptions options = options_of(q, inference);
      const FitEstimate one = estimate_fit(*manifold, 10000000, options, steps),
                        two = estimate_fit(*manifold, 20000000, options, steps);
      return std::pair(two.seconds / one.seconds, two.bytes / one.bytes);
    };
    EXPECT_NEAR(ratio(Inference::variational).first, 2, 0.02) << q;
    // Beside what a search takes; in passes all of it is in files.
    EXPECT_NEAR(ratio(Inference::variational).second, q <= 3 ? 1 : 2, 0.1) << q;
    EXPECT_NEAR(ratio(Inference::point).first, 8, 1e-9) << q;
    EXPECT_NEAR(ratio(Inference::point).second, 4, 1e-3) << q;
  }
}

// Every step counts, and twice as slow a machine takes twice as long.
TEST(FitEstimate, IsMadeOfItsSteps) {
  const ManifoldPtr manifold = parse_manifold("spd:3");
  for (const Index q : {1, 2, 3}) {
    const FitOptions options = options_of(q, Inference::variational);
    const auto seconds = [&](StepSeconds of) { return estimate_fit(*manifold, 3000, options, of).seconds; };
    const double all = seconds(steps);
    EXPECT_NEAR(seconds({2e-6, 2e-4, 2e-5, 2e-3}), 2 * all, 1e-9 * all) << q;
    EXPECT_LT(seconds({1e-6, 1e-4, 0, 1e-3}), 0.999 * all) << q;
    const double without_passes = seconds({0, 0, 1e-5, 1e-3});
    if (q <= 2) {
      EXPECT_LT(without_passes, 0.999 * all) << q;
    } else {
      EXPECT_EQ(without_passes, all);
    }
  }
}

// Very many points: passes over all of them and their logarithms; vectors wait in a file.
TEST(FitEstimate, OfPassesGrowsWithWhatAPointTakes) {
  const ManifoldPtr manifold = parse_manifold("spd:3");
  for (const Index q : {1, 2, 3}) {
    const FitOptions options = options_of(q, Inference::variational);
    StepSeconds slower = steps, farther = steps;
    slower.in_pass *= 2;
    farther.logarithm *= 2;
    const FitEstimate one = estimate_fit(*manifold, 1000000, options, steps);
    EXPECT_GT(estimate_fit(*manifold, 1000000, options, slower).seconds, 1.5 * one.seconds) << q;
    EXPECT_GT(estimate_fit(*manifold, 1000000, options, farther).seconds, 1.003 * one.seconds) << q;
    EXPECT_EQ(one.file_bytes, 8.0 * static_cast<double>(6 + 2 * q + 2) * 1e6);
    EXPECT_EQ(estimate_fit(*manifold, 100000, options, steps).file_bytes, 0);
    EXPECT_LT(one.bytes, 8 * 20 * 1e6);
  }
  const StepSeconds timed = time_steps(6, options_of(2, Inference::variational), manifold.get());
  EXPECT_GT(timed.in_pass, 0);
  EXPECT_GT(timed.logarithm, 0);
}

TEST(FitEstimate, FollowsTheOptions) {
  const ManifoldPtr manifold = parse_manifold("spd:3");
  const FitOptions normal = options_of(2, Inference::variational);
  const auto seconds = [&](auto change) {
    FitOptions options = normal;
    change(options);
    return estimate_fit(*manifold, 2000, options, steps).seconds;
  };
  const double all = seconds([](FitOptions&) {});
  EXPECT_LT(seconds([](FitOptions& options) { options.effort = Effort::quick; }), 0.5 * all);
  EXPECT_GT(seconds([](FitOptions& options) { options.effort = Effort::thorough; }), 1.2 * all);
  EXPECT_LT(seconds([](FitOptions& options) { options.threads = 8; }), 0.3 * all);
  EXPECT_LT(seconds([](FitOptions& options) { options.subsample = 200; }), 0.9 * all);
}

TEST(FitEstimate, TimesTheStepsThatAFitMakes) {
  for (const Index q : {1, 2, 3, 4}) {
    const StepSeconds integrated = time_steps(6, options_of(q, Inference::variational)),
                      estimated = time_steps(6, options_of(q, Inference::point));
    EXPECT_GT(integrated.evaluation_a_point, 0) << q;
    EXPECT_EQ(integrated.pass > 0, q <= 2) << q;
    EXPECT_GT(estimated.dense, 0) << q;
    EXPECT_EQ(estimated.pass + estimated.evaluation_a_point, 0) << q;
  }
}

}  // namespace
}  // namespace wgp
