// Whole fits with latents integrated out, judged by what the data were drawn from and by new points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evaluate/truth_measures.h"
#include "fit/latent_optimum.h"
#include "fit/point_sets.h"
#include "fit/truth_fits.h"
#include "wgp/fit.h"

namespace wgp {
namespace {

using test::options_of;

struct Judged {
  FitResult fitted;
  TruthMeasures measures;
};
Judged judge_default_fit(const char* source, std::uint64_t seed, Index count = 200) {
  const TruthSet set = find_truth_source(source)->make(seed);
  FitResult fitted = fit(set.manifold, draw_truth(set, seed, TruthPart::training, count).points, options_of(set));
  const TruthReference reference(set, draw_truth(set, seed, TruthPart::test, 200).points);
  const TruthMeasures measures = measure_truth(reference, fitted.model);
  return {std::move(fitted), measures};
}

TEST(VariationalFit, LearnsCurvesAndNotTheirNoise) {
  for (const char* source : {"circle", "loop", "arc"}) {
    const auto [fitted, measures] = judge_default_fit(source, 31);
    EXPECT_EQ(fitted.summary.inference, Inference::variational) << source;
    EXPECT_TRUE(measures.right_shape) << source << ": " << measures.learned_to_true << ' ' << measures.length;
    EXPECT_GT(measures.noise, 0.8) << source;
    EXPECT_LT(measures.noise, 1.25) << source;
    EXPECT_GT(measures.log_density, measures.true_log_density - 0.2) << source;
    // What the fit says about points it left out holds for new ones.
    ASSERT_TRUE(fitted.summary.held_out_log_density) << source;
    EXPECT_NEAR(*fitted.summary.held_out_log_density, measures.log_density, 0.4) << source;
    EXPECT_TRUE(fitted.summary.outliers.size() < 4) << source;
  }
}

// Of this arc the last point lies beside the curve, and the bound prefers by a hair one that bends towards it.
TEST(VariationalFit, NoPointHasAnEndOfACurveForItself) {
  const auto [fitted, measures] = judge_default_fit("arc", 72);
  EXPECT_LT(measures.learned_to_true, 0.35);
  EXPECT_LT(measures.length, 1.04);
  // Codes are that far from the next, at either end.
  Vector x = fitted.model.parts().X.row(0).transpose();
  std::sort(x.begin(), x.end());
  EXPECT_LT(x[199] - x[198], 0.4);
  EXPECT_LT(x[1] - x[0], 0.4);
}

TEST(VariationalFit, NamesOutliersAndNotTheOthers) {
  const TruthSet set = find_truth_source("outliers")->make(32);
  const TruthPoints drawn = draw_truth(set, 32, TruthPart::training, 200);
  const FitResult fitted = fit(set.manifold, drawn.points, options_of(set));
  Index wrong = 0, right = 0;
  for (const Index row : fitted.summary.outliers) ++(drawn.outlier[static_cast<std::size_t>(row)] ? right : wrong);
  EXPECT_GE(right, 8);
  EXPECT_LE(wrong, 3);
  FitOptions none = options_of(set);
  none.outliers = OutlierRule::none;
  EXPECT_TRUE(fit(set.manifold, drawn.points, none).summary.outliers.empty());
}

TEST(VariationalFit, CandidatesAreListedAndCanBeHad) {
  const TruthSet set = find_truth_source("circle")->make(33);
  const Matrix P = draw_truth(set, 33, TruthPart::training, 60).points;
  FitOptions options = options_of(set);
  const FitResult best = fit(set.manifold, P, options);
  const auto& candidates = best.summary.candidates;
  ASSERT_GE(candidates.size(), 2u);
  EXPECT_TRUE(candidates[0].chosen);
  EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end(),
                             [](const auto& a, const auto& b) { return a.bound > b.bound; }));
  EXPECT_EQ(*best.summary.bound, candidates[0].bound);
  options.candidate = 2;
  const FitResult second = fit(set.manifold, P, options);
  EXPECT_TRUE(second.summary.candidates[1].chosen);
  EXPECT_EQ(*second.summary.bound, candidates[1].bound);
  options.candidate = static_cast<int>(candidates.size()) + 1;
  EXPECT_THROW(fit(set.manifold, P, options), Error);
  options.candidate = 0;
  options.choose = ChooseBy::density;
  const FitResult dense = fit(set.manifold, P, options);
  double most = -infinity;
  for (const CandidateReport& one : dense.summary.candidates)
    most = std::max(most, one.held_out_log_density.value_or(-infinity));
  for (const CandidateReport& one : dense.summary.candidates)
    if (one.chosen) {
      EXPECT_EQ(one.held_out_log_density, most);
    }
}

TEST(VariationalFit, ScalesWithItsUnits) {
  const TruthSet set = find_truth_source("circle")->make(34);
  const Matrix P = draw_truth(set, 34, TruthPart::training, 80).points;
  const FitResult plain = fit(set.manifold, P, options_of(set));
  for (const double unit : {1e-6, 1e5}) {
    const FitResult scaled = fit(set.manifold, unit * P, options_of(set));
    EXPECT_NEAR(*scaled.summary.bound, *plain.summary.bound - static_cast<double>(P.size()) * std::log(unit), 0.5);
    EXPECT_NEAR(scaled.model.parts().noise / (unit * unit), plain.model.parts().noise,
                0.02 * plain.model.parts().noise);
  }
}

TEST(VariationalFit, HardSetsHaveAModel) {
  Random random(3);
  const ManifoldPtr plane = parse_manifold("euclidean:3");
  FitOptions options;
  options.latent = LatentSpace::plain(1);
  for (const Index N : {2, 3, 7, 12}) {  // fewer than anything can be left out of
    const FitResult few = fit(plane, random.normals(3, N), options);
    EXPECT_TRUE(few.model.predict(few.model.parts().X).points.allFinite()) << N;
  }
  Matrix copies = random.normals(3, 5).replicate(1, 8);  // every point eight times
  EXPECT_TRUE(fit(plane, copies, options).model.parts().X.allFinite());
  Matrix line = Matrix::Zero(3, 30);  // no noise at all
  line.row(0) = Vector::LinSpaced(30, -1, 1).transpose();
  EXPECT_LT(fit(plane, line, options).model.parts().noise, 1e-3);
  EXPECT_THROW(fit(plane, copies.col(0).replicate(1, 9), options), Error);
  options.latent = LatentSpace::plain(2);
  EXPECT_TRUE(fit(plane, random.normals(3, 25), options).model.parts().X.allFinite());  // nothing but noise
}

TEST(VariationalFit, WhatCannotBeIntegratedIsEstimatedAndSaysWhy) {
  FitOptions options;
  options.kernel = "rbf+linear";
  options.effort = Effort::quick;
  const FitResult fitted = fit(parse_manifold("euclidean:5"), test::bent_sheet(20), options);
  EXPECT_EQ(fitted.summary.inference, Inference::point);
  EXPECT_NE(fitted.summary.inference_note.find("linear"), std::string::npos);
  EXPECT_FALSE(fitted.summary.bound);
}

TEST(VariationalFit, BasePointsThatMoveLearnAnArcToo) {
  const TruthSet set = find_truth_source("arc")->make(35);
  const Matrix P = draw_truth(set, 35, TruthPart::training, 100).points;
  const Matrix fresh = draw_truth(set, 35, TruthPart::test, 200).points;
  FitOptions options = options_of(set);
  options.effort = Effort::quick;
  const double mean = mixture_log_density(fit(set.manifold, P, options).model, fresh).mean();
  for (const BasepointKind kind : {BasepointKind::optimised, BasepointKind::geodesic, BasepointKind::spline}) {
    options.basepoint = kind;
    const FitResult moved = fit(set.manifold, P, options);
    EXPECT_EQ(moved.model.parts().basepoint, kind);
    EXPECT_EQ(moved.model.parts().inference, Inference::variational);
    EXPECT_GT(mixture_log_density(moved.model, fresh).mean(), mean - 0.4) << to_string(kind);
    EXPECT_GT(std::sqrt(moved.model.parts().noise) / set.noise, 0.6) << to_string(kind);
  }
}

// What a lattice leaves out of the kernel is a trace of the variance at every latent, but no slope.
TEST(VariationalFit, LengthsInTheLatentMetricAreThoseOfTheCurve) {
  const TruthSet set = find_truth_source("circle")->make(37);
  const Matrix P = draw_truth(set, 37, TruthPart::training, 120).points;
  FitOptions options = options_of(set);
  options.effort = Effort::quick;
  const Model model = fit(set.manifold, P, options).model;
  const auto length = [&](double from, double to) {
    return latent_geodesic(model, Vector::Constant(1, from), Vector::Constant(1, to)).length;
  };
  EXPECT_NEAR(length(-1.4, 0) + length(0, 1.5) + length(1.5, 2.9) + length(2.9, -1.4), 2 * std::numbers::pi, 0.6);
  // The short way is the one across the seam.
  EXPECT_LT(length(3.0, -3.0), 0.5);
}

// No geodesic comes near such a curve: the process has to carry it, as it does at the mean.
TEST(VariationalFit, AGeodesicBasePointLeavesTheProcessWhatItHadFound) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Random random(7, 1);
  constexpr double noise = 0.05;
  Matrix P(3, 160);
  for (Index n = 0; n < P.cols(); ++n) {
    const double t = random.uniform(), polar = 0.1 + 2.94 * t, turn = 18.8 * t;
    Vector p(3);
    p << std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn), std::cos(polar);
    P.col(n) = exp_point(*sphere->at(p), noise * random.normals(2));
  }
  FitOptions options;
  options.latent = LatentSpace::plain(1);
  options.basepoint = BasepointKind::geodesic;
  EXPECT_LT(std::sqrt(fit(sphere, P, options).model.parts().noise), 2 * noise);
}

TEST(VariationalFit, ToldToEndItReturnsTheBestThatThereIs) {
  const TruthSet set = find_truth_source("circle")->make(36);
  const Matrix P = draw_truth(set, 36, TruthPart::training, 80).points;
  FitOptions options = options_of(set);
  for (const int patience : {0, 1, 5}) {
    int asked = 0;
    options.keep_going = [&](const Progress&) { return ++asked <= patience; };
    const FitResult fitted = fit(set.manifold, P, options);
    EXPECT_TRUE(fitted.summary.cancelled);
    EXPECT_TRUE(fitted.model.predict(fitted.model.parts().X).points.allFinite()) << patience;
  }
}

TEST(VariationalFit, NoiseLawsOnRequest) {
  Random random(5);
  const Index N = 200;
  Matrix P(4,
           N);  // a circle in four dimensions, each point with a noise of its own: Student t with 4 degrees of freedom
  for (Index i = 0; i < N; ++i) {
    const double t = 2 * std::numbers::pi * random.uniform(), scale = 0.05 * 2 / random.normals(4).norm();
    P.col(i) << std::cos(t), std::sin(t), 0, 0;
    P.col(i) += scale * random.normals(4);
  }
  FitOptions options;
  options.latent = LatentSpace(1, 0);
  options.kernel = "periodic";
  options.outliers = OutlierRule::none;
  const FitResult automatic = fit(parse_manifold("euclidean:4"), P, options);
  EXPECT_NE(automatic.model.law().kind(), "normal") << automatic.summary.noise_law_note;
  options.noise_law = NoiseLawChoice::normal;
  const FitResult normal = fit(parse_manifold("euclidean:4"), P, options);
  EXPECT_EQ(normal.model.law().kind(), "normal");
  EXPECT_GT(*automatic.summary.held_out_log_density, *normal.summary.held_out_log_density);
  options.noise_law = NoiseLawChoice::structured;
  EXPECT_EQ(fit(parse_manifold("euclidean:4"), P, options).model.law().kind(), "structured");
}

// What a checkpoint holds of an optimum comes back bit by bit, and nothing that is damaged does harm.
TEST(VariationalFit, OptimaInCheckpoints) {
  const TruthSet set = find_truth_source("circle")->make(37);
  FitOptions options = options_of(set);
  options.effort = Effort::quick;
  FitCheckpoint checkpoint;
  options.on_step = [&](std::uint64_t fingerprint, const FitStep& step) {
    checkpoint.fingerprint = fingerprint;
    checkpoint.steps[step.name] = step.numbers;
  };
  const Matrix P = draw_truth(set, 37, TruthPart::training, 40).points;
  const FitResult whole = fit(set.manifold, P, options);
  ASSERT_FALSE(checkpoint.steps.empty());
  options.on_step = nullptr;
  options.resume = std::make_shared<const FitCheckpoint>(checkpoint);
  EXPECT_EQ(fit(set.manifold, P, options).model.parts().X, whole.model.parts().X);
  Random random(1);
  int refused = 0;
  for (int trial = 0; trial < 60; ++trial) {
    FitCheckpoint damaged = checkpoint;
    auto step = damaged.steps.begin();
    std::advance(step, random.below(static_cast<Index>(damaged.steps.size())));
    Vector& numbers = step->second;
    if (trial % 3 == 0)
      numbers.conservativeResize(random.below(numbers.size()));
    else
      numbers[random.below(numbers.size())] =
          trial % 3 == 1 ? 1e300 * random.normal() : -std::floor(9 * random.uniform());
    options.resume = std::make_shared<const FitCheckpoint>(damaged);
    try {
      fit(set.manifold, P, options);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

// Told to end before it has begun: no more than components know, but as a model.
TEST(VariationalFit, MakesAModelOfWhatIsCheap) {
  FitOptions options;
  options.keep_going = [](const Progress&) { return false; };
  options.subsample = 400;
  for (const char* source : {"circle", "sheet"}) {
    const TruthSet set = find_truth_source(source)->make(3);
    options.latent = set.latent;
    options.kernel = set.kernel;
    const FitResult result = fit(set.manifold, draw_truth(set, 3, TruthPart::training, 900).points, options);
    EXPECT_TRUE(result.summary.cancelled);
    EXPECT_LT(std::sqrt(result.model.parts().noise) / set.noise, 1.5) << source;
  }
  // Where there is no grid of nodes, by descent: the latents of those that were not looked at come from the others.
  Random random(8);
  const Matrix X = random.normals(3, 900), slopes = random.normals(24, 3), waves = random.normals(24, 3);
  const Matrix P = slopes * X + (waves * X).array().sin().matrix() + 0.3 * random.normals(24, 900);
  options.kernel = "rbf";
  for (const Index q : {2, 3}) {
    options.latent = LatentSpace::plain(q);
    const FitResult result = fit(parse_manifold("euclidean:24"), P, options);
    EXPECT_TRUE(result.summary.cancelled);
    EXPECT_EQ(result.model.parts().X.cols(), 900);
    EXPECT_LT(std::sqrt(result.model.parts().noise), q == 2 ? 1.5 : 0.9) << q;
  }
}

}  // namespace
}  // namespace wgp
