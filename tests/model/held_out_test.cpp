// Variances by what left-out points show.
#include "model/held_out.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/mixture_density.h"

namespace wgp {
namespace {

Matrix noisy_curve(Index N, double noise) {
  Random random(3, 9);
  Matrix P(4, N);
  for (Index i = 0; i < N; ++i) {
    const double t = 4 * random.uniform() - 2;
    P.col(i) << t, std::sin(2 * t), std::cos(t), 0.3 * t * t;
  }
  return P + noise * random.normals(4, N);
}

FitOptions quick_curve() {
  FitOptions options;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  return options;
}

FitResult fitted(Index N, double noise, const FitOptions& options) {
  return fit(parse_manifold("euclidean:4"), noisy_curve(N, noise), options);
}

// Latents and parameters as they are, fewer points.
std::function<Model::Parts(const std::vector<Index>&)> fewer_points_of(const Model::Parts& parts, double scale) {
  return [parts, scale](const std::vector<Index>& kept) {
    Model::Parts rest = parts;
    rest.P = parts.P(Eigen::all, kept);
    rest.X = parts.X(Eigen::all, kept);
    rest.variance_scale = scale;
    return rest;
  };
}

TEST(HeldOut, TheScaleUndoesWhatVariancesAreWrongBy) {
  const Model model = fitted(60, 0.1, quick_curve()).model;
  const Model::Parts& parts = model.parts();
  const auto right = leave_out_fifths(parts.P, fewer_points_of(parts, 1), Widening::careful, 1);
  const auto small = leave_out_fifths(parts.P, fewer_points_of(parts, 1.0 / 8), Widening::careful, 1);
  ASSERT_TRUE(right && small);
  EXPECT_NEAR(small->variance_scale, 8 * right->variance_scale, 1e-9 * small->variance_scale);
  EXPECT_NEAR(small->log_density(), right->log_density(), 1e-9);
}

TEST(HeldOut, TheDensityIsThatOfAMixtureOverAllFolds) {
  const Model model = fitted(40, 0.1, quick_curve()).model;
  const Model::Parts& parts = model.parts();
  const auto held = leave_out_fifths(parts.P, fewer_points_of(parts, 1), Widening::none, 1);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->variance_scale, 1);
  double sum = 0;
  for (Index fold = 0; fold < 5; ++fold) {
    std::vector<Index> in, out;
    for (Index i = 0; i < 40; ++i) (i % 5 == fold ? out : in).push_back(i);
    sum += mixture_log_density(Model(fewer_points_of(parts, 1)(in)), parts.P(Eigen::all, out)).sum();
  }
  EXPECT_NEAR(held->log_density(), sum / 40, 1e-12 * std::abs(sum));
}

TEST(HeldOut, ThreadsDoNotChangeIt) {
  const Model model = fitted(60, 0.1, quick_curve()).model;
  const auto one = leave_out_fifths(model.parts().P, fewer_points_of(model.parts(), 1), Widening::careful, 1);
  const auto two = leave_out_fifths(model.parts().P, fewer_points_of(model.parts(), 1), Widening::careful, 2);
  EXPECT_EQ(one->variance_scale, two->variance_scale);
  EXPECT_EQ(one->log_density(), two->log_density());
}

TEST(HeldOut, NothingFromFewPointsAndNoScaleFromRestsThatMakeNoModel) {
  const Matrix P = noisy_curve(9, 0.1);
  const auto fails = [](const std::vector<Index>&) -> Model::Parts { throw Error("no"); };
  EXPECT_FALSE(leave_out_fifths(P, fails, Widening::careful, 1));
  const auto held = leave_out_fifths(noisy_curve(20, 0.1), fails, Widening::careful, 1);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->variance_scale, 1);
  EXPECT_EQ(held->log_density(), -infinity);
}

TEST(HeldOut, FitsFollowTheirRule) {
  FitOptions options = quick_curve();
  options.prior = Prior::none;
  const FitResult held = fitted(60, 0.1, options);
  options.variance = VarianceRule::dof;
  const FitResult dof = fitted(60, 0.1, options);
  options.variance = VarianceRule::as_fitted;
  const FitResult as_fitted = fitted(60, 0.1, options);
  EXPECT_GT(held.model.parts().variance_scale, 1);  // maximum likelihood is too sure of itself
  EXPECT_EQ(dof.model.parts().variance_scale, 1);
  EXPECT_EQ(as_fitted.model.parts().variance_scale, 1);
  EXPECT_DOUBLE_EQ(held.model.parts().noise_scale, 4.0 / 3);
  EXPECT_DOUBLE_EQ(dof.model.parts().noise_scale, 4.0 / 3);
  EXPECT_EQ(as_fitted.model.parts().noise_scale, 1);
}

// The densest scale, and from there, up to half an octave, as wide as left-out points lose less than the standard error
// of the loss.
TEST(HeldOut, VariancesAreAsWideAsLeftOutPointsAllow) {
  const Model model = fitted(60, 0.1, quick_curve()).model;
  const auto refit = fewer_points_of(model.parts(), 1);
  const auto held = leave_out_fifths(model.parts().P, refit, Widening::careful, 1);
  ASSERT_TRUE(held);
  const auto densities = [&](double scale) {
    Vector all(60);
    for (Index fold = 0; fold < 5; ++fold) {
      std::vector<Index> in, out;
      for (Index i = 0; i < 60; ++i) (i % 5 == fold ? out : in).push_back(i);
      all.segment(12 * fold, 12) =
          LatentMixture(Model(refit(in)), model.parts().P(Eigen::all, out), 0, 64).log_density(scale);
    }
    return all;
  };
  const double step = std::exp2(0.125);
  Vector best = densities(0.5);
  double densest = 0.5;
  for (double scale = 0.5; scale < 60; scale *= step)
    if (const Vector here = densities(scale); here.mean() > best.mean()) {
      best = here;
      densest = scale;
    }
  const auto allowed = [&](double scale) {
    const Vector loss = best - densities(scale);
    return loss.mean() <= std::sqrt((loss.array() - loss.mean()).square().sum() / 59 / 60);
  };
  EXPECT_GT(held->variance_scale, 1.01 * densest);
  EXPECT_LT(held->variance_scale, 1.42 * densest);
  EXPECT_TRUE(allowed(held->variance_scale));
  EXPECT_TRUE(!allowed(held->variance_scale * step) || held->variance_scale > 1.4 * densest);
  EXPECT_NEAR(held->log_density(), best.mean(), 1e-9);
  const auto unwidened = leave_out_fifths(model.parts().P, refit, Widening::densest, 1);
  EXPECT_NEAR(unwidened->variance_scale, densest, 1e-9);
}

// Two latents for a curve with much noise: they explain the training points, not new ones.
TEST(HeldOut, NewPointsAgree) {
  FitOptions options = quick_curve();
  options.latent = LatentSpace::plain(2);
  options.prior = Prior::none;
  const Model held = fitted(80, 0.4, options).model;
  Model::Parts parts = held.parts();
  EXPECT_GT(parts.variance_scale, 1.5);
  parts.variance_scale = 1;
  Random random(8, 8);
  const Matrix fresh = noisy_curve(80, 0) + 0.4 * random.normals(4, 80);
  EXPECT_GT(mixture_log_density(held, fresh).mean(), mixture_log_density(Model(parts), fresh).mean() + 0.3);
}

// The latents around a point keep the place that they made for it, until they are fitted without it.
TEST(HeldOut, TheRestIsFittedAgain) {
  FitOptions options = quick_curve();
  options.latent = LatentSpace::plain(2);
  options.prior = Prior::none;
  const FitResult result = fitted(80, 0.4, options);
  const Model::Parts& parts = result.model.parts();
  const auto flattered = leave_out_fifths(parts.P, fewer_points_of(parts, 1), Widening::careful, 1);
  ASSERT_TRUE(flattered);
  EXPECT_LT(*result.summary.held_out_log_density, flattered->log_density() - 0.05);
  EXPECT_GT(parts.variance_scale, flattered->variance_scale);
}

TEST(Mixture, IsADensityOnTheManifold) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Random random(6, 6);
  Matrix P(3, 60);
  for (Index i = 0; i < P.cols(); ++i) {  // far from their mean, where volumes differ
    const double angle = 6.28 * random.uniform();
    P.col(i) << std::cos(angle), std::sin(angle), 0.5;
    P.col(i) = (P.col(i) + 0.05 * random.normals(3)).normalized();
  }
  const Model model = fit(sphere, P, quick_curve()).model;
  constexpr Index n = 20000;  // a spiral with the same area for each point
  Matrix grid(3, n);
  for (Index i = 0; i < n; ++i) {
    const double z = 1 - (2 * static_cast<double>(i) + 1) / n, turn = 2.399963229728653 * static_cast<double>(i);
    grid.col(i) << std::sqrt(1 - z * z) * std::cos(turn), std::sqrt(1 - z * z) * std::sin(turn), z;
  }
  const double area = 4 * 3.14159265358979;
  EXPECT_NEAR(mixture_log_density(model, grid).array().exp().mean() * area, 1, 0.02);
}

}  // namespace
}  // namespace wgp
