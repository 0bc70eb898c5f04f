// What left-out points of a fit with integrated latents say about its noise.
#include "fit/left_out.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "evaluate/truth_sets.h"
#include "wgp/fit.h"

namespace wgp {
namespace {

struct Circle {
  TruthPoints drawn;
  FitOptions options;
  FitResult fitted;
};
Circle fitted_circle(std::uint64_t seed) {
  const TruthSet set = find_truth_source("circle")->make(seed);
  TruthPoints drawn = draw_truth(set, seed, TruthPart::training, 100);
  FitOptions options;
  options.latent = set.latent;
  options.kernel = set.kernel;
  options.effort = Effort::quick;
  FitResult fitted = fit(set.manifold, drawn.points, options);
  return {std::move(drawn), std::move(options), std::move(fitted)};
}

TEST(LeftOutPoints, EachFoldIsMeasuredInItsOwnNoise) {
  const Circle circle = fitted_circle(51);
  const Matrix& P = circle.drawn.points;
  const Model& model = circle.fitted.model;
  const double noise = model.parts().noise;
  const Folds folds = make_folds(P.cols(), FoldPolicy::random, 0);
  const std::vector<bool> nobody(static_cast<std::size_t>(P.cols()), false);
  Executor executor(2);
  const auto plain = leave_out(
      folds, [&](std::size_t, Executor&) { return model; }, P, nobody, noise, executor);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->residuals.Z.cols(), P.cols());
  EXPECT_EQ(plain->residuals.fitted_noise, noise);
  // The same residuals beside a model of all points with nine times the noise are three times as large.
  const auto wider = leave_out(
      folds, [&](std::size_t, Executor&) { return model; }, P, nobody, 9 * noise, executor);
  ASSERT_TRUE(wider);
  EXPECT_LT((wider->residuals.Z - 3 * plain->residuals.Z).norm(), 1e-9 * plain->residuals.Z.norm());
  EXPECT_LT((wider->residuals.J - 3 * plain->residuals.J).norm(), 1e-9 * plain->residuals.J.norm());
  EXPECT_LT((wider->variance - 9 * plain->variance).norm(), 1e-9 * plain->variance.norm() + 1e-300);
  EXPECT_EQ(wider->residuals.g, plain->residuals.g);
}

TEST(LeftOutPoints, WidenALawUntilTheyAreDensest) {
  const Circle circle = fitted_circle(52);
  const Matrix& P = circle.drawn.points;
  const Model& model = circle.fitted.model;
  const double noise = model.parts().noise;
  const Folds folds = make_folds(P.cols(), FoldPolicy::random, 0);
  const std::vector<bool> nobody(static_cast<std::size_t>(P.cols()), false);
  Executor executor(1);
  const auto left_out = leave_out(
      folds, [&](std::size_t, Executor&) { return model; }, P, nobody, noise, executor);
  ASSERT_TRUE(left_out);
  // Wherever the law begins it ends at the same width, but for a step.
  double widths[3];
  int k = 0;
  for (const double factor : {0.25, 1.0, 4.0}) {
    const NoiseLawPtr law = normal_noise(2, factor * noise);
    const DensestScale found = densest_scale(*left_out, *law, noise, P, executor);
    widths[k++] = factor * found.variance_scale;
    ASSERT_EQ(found.log_densities.size(), P.cols());
    const NoiseLawPtr scaled = law->scaled(found.variance_scale);
    const Model with = model.with([&](Model::Parts& parts) { parts.law = scaled; });
    EXPECT_NEAR(found.log_densities.mean(), mixture_log_density(with, P).mean(), 1e-9) << factor;
  }
  for (const double width : widths) EXPECT_NEAR(std::log2(width / widths[1]), 0, 0.51);
  EXPECT_NEAR(std::log2(widths[1]), 0.25, 0.75);
}

// Latents that are given belong to rows of the data: whichever of them a fit, or a fold of it, is made of.
TEST(LeftOutPoints, GivenLatentsStayWithTheirRows) {
  Circle circle = fitted_circle(53);
  circle.options.inits = {"given"};
  circle.options.given_latents = circle.drawn.parameters;
  circle.options.calibration_share = 0.3;
  const FitResult fitted = fit(circle.fitted.model.parts().manifold, circle.drawn.points, circle.options);
  ASSERT_EQ(fitted.summary.training.size(), 70u);
  std::complex<double> along = 0, against = 0;
  for (std::size_t i = 0; i < 70; ++i) {
    const double t = circle.drawn.parameters(0, fitted.summary.training[i]);
    const double x = fitted.model.parts().X(0, static_cast<Index>(i));
    along += std::polar(1.0 / 70, x - t);
    against += std::polar(1.0 / 70, x + t);
  }
  EXPECT_GT(std::abs(along), 0.95);
  EXPECT_LT(std::abs(against), 0.5);
}

}  // namespace
}  // namespace wgp
