// Variances by what left-out points show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/cross_validate.h"
#include "model/error_summary.h"
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
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  return options;
}

FitResult fitted(Index N, double noise, const FitOptions& options) {
  return fit(parse_manifold("euclidean:4"), noisy_curve(N, noise), options);
}

// All variances times `scale` of what was fitted.
NoiseLawPtr law_with(const Model::Parts& parts, double scale) {
  return parts.law->scaled(scale / parts.law->function_scale());
}

// Latents and parameters as they are, fewer points.
Model model_of_fewer(const Model::Parts& parts, const std::vector<Index>& kept, double scale) {
  Model::Parts rest = parts;
  rest.P = parts.P(Eigen::all, kept);
  rest.X = parts.X(Eigen::all, kept);
  rest.law = law_with(parts, scale);
  return Model(rest);
}

HeldOut leave_out(const Model::Parts& parts, double scale, Widening widening, int threads = 1) {
  const Folds folds = make_folds(parts.P.cols(), FoldPolicy::random, 0);
  const RefitFold refit = [&](std::size_t fold, const std::vector<Index>& asked, double widest, Executor&) {
    const auto mixture = std::make_shared<const LatentMixture>(model_of_fewer(parts, folds.kept(fold), scale),
                                                               parts.P(Eigen::all, asked), 0, widest);
    return [mixture](double by) { return mixture->log_density(by); };
  };
  Executor executor(threads);
  return cross_validate(folds, refit, widening, executor);
}

TEST(Folds, HoldEveryPointOnce) {
  for (const FoldPolicy policy : {FoldPolicy::random, FoldPolicy::blocks})
    for (const Index N : {10, 11, 64}) {
      const Folds folds = make_folds(N, policy, 3);
      EXPECT_EQ(folds.points(), N);
      std::vector<Index> all;
      for (std::size_t k = 0; k < folds.out.size(); ++k) {
        const std::vector<Index>&out = folds.out[k], kept = folds.kept(k);
        EXPECT_GE(static_cast<Index>(out.size()), N / 5);
        EXPECT_LE(static_cast<Index>(out.size()), N / 5 + 1);
        EXPECT_EQ(static_cast<Index>(out.size() + kept.size()), N);
        EXPECT_TRUE(std::is_sorted(out.begin(), out.end()) && std::is_sorted(kept.begin(), kept.end()));
        all.insert(all.end(), out.begin(), out.end());
        const Index span = out.back() - out.front() + 1;
        EXPECT_TRUE(policy != FoldPolicy::blocks || span == static_cast<Index>(out.size()));
      }
      std::sort(all.begin(), all.end());
      std::vector<Index> expected(static_cast<std::size_t>(N));
      std::iota(expected.begin(), expected.end(), Index{0});
      EXPECT_EQ(all, expected);
    }
  EXPECT_NE(make_folds(64, FoldPolicy::random, 3).out, make_folds(64, FoldPolicy::random, 4).out);
  EXPECT_EQ(make_folds(64, FoldPolicy::random, 3).out, make_folds(64, FoldPolicy::random, 3).out);
}

TEST(HeldOut, TheScaleUndoesWhatVariancesAreWrongBy) {
  const Model model = fitted(60, 0.1, quick_curve()).model;
  const Model::Parts& parts = model.parts();
  const HeldOut right = leave_out(parts, 1, Widening::careful);
  const HeldOut small = leave_out(parts, 1.0 / 8, Widening::careful);
  EXPECT_NEAR(small.variance_scale, 8 * right.variance_scale, 1e-9 * small.variance_scale);
  EXPECT_NEAR(small.log_density(), right.log_density(), 1e-9);
}

TEST(HeldOut, TheDensityIsThatOfAMixtureOverAllFolds) {
  const Model model = fitted(40, 0.1, quick_curve()).model;
  const Model::Parts& parts = model.parts();
  const HeldOut held = leave_out(parts, 1, Widening::none);
  EXPECT_EQ(held.variance_scale, 1);
  const Folds folds = make_folds(40, FoldPolicy::random, 0);
  double sum = 0;
  for (std::size_t fold = 0; fold < 5; ++fold)
    sum += mixture_log_density(model_of_fewer(parts, folds.kept(fold), 1), parts.P(Eigen::all, folds.out[fold])).sum();
  EXPECT_NEAR(held.log_density(), sum / 40, 1e-12 * std::abs(sum));
}

TEST(HeldOut, ThreadsDoNotChangeIt) {
  const Model model = fitted(60, 0.1, quick_curve()).model;
  const HeldOut one = leave_out(model.parts(), 1, Widening::careful);
  const HeldOut two = leave_out(model.parts(), 1, Widening::careful, 2);
  EXPECT_EQ(one.variance_scale, two.variance_scale);
  EXPECT_EQ(one.log_density(), two.log_density());
}

TEST(HeldOut, NothingFromFewPointsAndNoScaleFromRestsThatMakeNoModel) {
  EXPECT_FALSE(fitted(9, 0.1, quick_curve()).summary.held_out_log_density);
  EXPECT_TRUE(fitted(10, 0.1, quick_curve()).summary.held_out_log_density);
  Executor executor(1);
  const HeldOut held = cross_validate(
      make_folds(20, FoldPolicy::random, 0),
      [](std::size_t, const std::vector<Index>&, double, Executor&) -> ScaledDensities { return nullptr; },
      Widening::careful, executor);
  EXPECT_EQ(held.variance_scale, 1);
  EXPECT_EQ(held.log_density(), -infinity);
}

// Of a series, neighbours that are left out alone are known by their neighbours.
TEST(HeldOut, BlocksOfASeriesAreHarderThanRandomPoints) {
  Random random(5, 5);
  Matrix P(3, 60);
  for (Index i = 0; i < 60; ++i) {
    const double t = 0.25 * static_cast<double>(i);
    P.col(i) << std::cos(t), std::sin(t), 0.2 * t;
  }
  P += 0.02 * random.normals(3, 60);
  FitOptions options = quick_curve();
  options.variance = VarianceRule::dof;
  const FitResult mixed = fit(parse_manifold("euclidean:3"), P, options);
  options.folds = FoldPolicy::blocks;
  const FitResult blocks = fit(parse_manifold("euclidean:3"), P, options);
  EXPECT_EQ(mixed.model.parts().X, blocks.model.parts().X);
  EXPECT_LT(*blocks.summary.held_out_log_density, *mixed.summary.held_out_log_density - 0.5);
}

TEST(HeldOut, FitsFollowTheirRule) {
  FitOptions options = quick_curve();
  options.prior = Prior::none;
  const FitResult held = fitted(60, 0.1, options);
  options.variance = VarianceRule::dof;
  const FitResult dof = fitted(60, 0.1, options);
  options.variance = VarianceRule::as_fitted;
  const FitResult as_fitted = fitted(60, 0.1, options);
  EXPECT_GT(held.summary.variance_scale, 1);  // maximum likelihood is too sure of itself
  EXPECT_EQ(dof.summary.variance_scale, 1);
  EXPECT_EQ(as_fitted.summary.variance_scale, 1);
  const auto noise_scale = [](const FitResult& result) {
    return result.model.law().noise_variance() / result.model.law().function_scale() / result.model.parts().noise;
  };
  EXPECT_DOUBLE_EQ(noise_scale(held), 4.0 / 3);
  EXPECT_DOUBLE_EQ(noise_scale(dof), 4.0 / 3);
  EXPECT_DOUBLE_EQ(noise_scale(as_fitted), 1);
  EXPECT_DOUBLE_EQ(held.model.law().function_scale(), held.summary.variance_scale);
}

// The densest scale, and from there, up to half an octave, as wide as left-out points lose less than the standard error
// of the loss.
TEST(HeldOut, VariancesAreAsWideAsLeftOutPointsAllow) {
  const Model model = fitted(60, 0.1, quick_curve()).model;
  const Model::Parts& parts = model.parts();
  const HeldOut held = leave_out(parts, 1, Widening::careful);
  const Folds folds = make_folds(60, FoldPolicy::random, 0);
  const auto densities = [&](double scale) {
    Vector all(60);
    for (std::size_t fold = 0; fold < 5; ++fold)
      all.segment(12 * static_cast<Index>(fold), 12) =
          LatentMixture(model_of_fewer(parts, folds.kept(fold), 1), parts.P(Eigen::all, folds.out[fold]), 0, 64)
              .log_density(scale);
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
  EXPECT_GT(held.variance_scale, 1.01 * densest);
  EXPECT_LT(held.variance_scale, 1.42 * densest);
  EXPECT_TRUE(allowed(held.variance_scale));
  EXPECT_TRUE(!allowed(held.variance_scale * step) || held.variance_scale > 1.4 * densest);
  EXPECT_NEAR(held.log_density(), best.mean(), 1e-9);
  const HeldOut unwidened = leave_out(parts, 1, Widening::densest);
  EXPECT_NEAR(unwidened.variance_scale, densest, 1e-9);
}

// Two latents for a curve with much noise: they explain the training points, not new ones.
TEST(HeldOut, NewPointsAgree) {
  FitOptions options = quick_curve();
  options.latent = LatentSpace::plain(2);
  options.prior = Prior::none;
  const Model held = fitted(80, 0.4, options).model;
  EXPECT_GT(held.law().function_scale(), 1.5);
  const Model as_sure_as_it_was = held.with([](Model::Parts& parts) { parts.law = law_with(parts, 1); });
  Random random(8, 8);
  const Matrix fresh = noisy_curve(80, 0) + 0.4 * random.normals(4, 80);
  EXPECT_GT(mixture_log_density(held, fresh).mean(), mixture_log_density(as_sure_as_it_was, fresh).mean() + 0.3);
}

// The latents around a point keep the place that they made for it, until they are fitted without it.
TEST(HeldOut, TheRestIsFittedAgain) {
  FitOptions options = quick_curve();
  options.latent = LatentSpace::plain(2);
  options.prior = Prior::none;
  const FitResult result = fitted(80, 0.4, options);
  const Model::Parts& parts = result.model.parts();
  const HeldOut flattered = leave_out(parts, 1, Widening::careful);
  EXPECT_LT(*result.summary.held_out_log_density, flattered.log_density() - 0.05);
  EXPECT_GT(result.summary.variance_scale, flattered.variance_scale);
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

// A curve's latents are integrated over, not drawn: no seed matters, and the integral is that of a great many draws.
TEST(Mixture, OfACurveIsASumOverNodes) {
  const Model model = fitted(60, 0.1, quick_curve()).model;
  const Matrix fresh = noisy_curve(90, 0.1).rightCols(30);
  const Vector density = mixture_log_density(model, fresh, 0);
  EXPECT_EQ(density, mixture_log_density(model, fresh, 1));
  const Matrix& X = model.parts().X;
  const double low = X.minCoeff(), high = X.maxCoeff();
  // Latents that lie evenly: the mixture's own density of them is not far from even here.
  const Index places = 20000;
  const Matrix everywhere = Matrix(Vector::LinSpaced(places, low, high).transpose());
  const GpPrediction prediction = model.posterior()->predict(everywhere);
  const Matrix V = model.lift().lift(Matrix(), fresh).V;
  double sum = 0;
  for (Index i = 0; i < fresh.cols(); ++i) {
    const Vector squared = (prediction.mean.colwise() - V.col(i)).colwise().squaredNorm();
    const Vector terms = model.law().log_density(squared, prediction.variance);
    sum += terms.maxCoeff() + std::log((terms.array() - terms.maxCoeff()).exp().mean());
  }
  EXPECT_NEAR(density.mean(), sum / static_cast<double>(fresh.cols()), 0.3);
}

// Densities of forty points; the gains of the second over the first have mean `gain` and standard error 0.1.
std::pair<Vector, Vector> densities_that_gain(double gain) {
  Random random(5, 1);
  const Vector first = random.normals(40);
  Vector change = random.normals(40);
  change.array() -= change.mean();
  change *= 0.1 / standard_error(change);
  return {first, first + change + Vector::Constant(40, gain)};
}

TEST(PlainestGood, OneThatBendsMoreMustBeBetterByMoreThanAStandardError) {
  for (const auto& [gain, expected] : {std::pair{-1.0, 0u}, {0.0, 0u}, {0.09, 0u}, {0.11, 1u}, {1.0, 1u}}) {
    const auto [plain, bent] = densities_that_gain(gain);
    EXPECT_EQ(plainest_good({&plain, &bent}), expected) << gain;
    EXPECT_EQ(plainest_good({&plain, nullptr, &bent}), 2 * expected) << gain;
  }
  // Against the best so far, not against the first.
  const auto [plain, bent] = densities_that_gain(0.15);
  const Vector rougher = plain + Vector::Constant(40, 0.2);
  EXPECT_EQ(plainest_good({&plain, &rougher}), 1u);
  EXPECT_EQ(plainest_good({&plain, &bent, &rougher}), 1u);
}

TEST(PlainestGood, WhatIsUnknownIsNotPreferred) {
  const auto [plain, bent] = densities_that_gain(1);
  const Vector fewer = bent.head(20), none;
  EXPECT_EQ(plainest_good({&plain, &fewer}), 0u);
  EXPECT_EQ(plainest_good({nullptr, &bent}), 0u);
  EXPECT_EQ(plainest_good({&none, &none}), 0u);
  EXPECT_EQ(plainest_good({&plain}), 0u);
  Vector broken = plain;
  broken[3] = -infinity;
  EXPECT_EQ(plainest_good({&broken, &plain}), 1u);
  EXPECT_EQ(plainest_good({&plain, &broken}), 0u);
}

}  // namespace
}  // namespace wgp
