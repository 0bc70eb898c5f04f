#include "wgp/evaluate.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random_streams.h"
#include "evaluate/calibration.h"
#include "evaluate/split.h"
#include "thread_ranks.h"

namespace wgp {
namespace {

Matrix arc(Index N) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Random random(6);
  Matrix coords(2, N), P(3, N);
  for (Index i = 0; i < N; ++i) {
    const double t = 2.4 * random.uniform() - 1.2;
    coords.col(i) << t, 0.4 * t * t;
  }
  coords += 0.03 * random.normals(2, N);
  sphere->at(Eigen::Vector3d(0, 0, 1))->exp(coords, P);
  return P;
}

EvaluateOptions small_options() {
  EvaluateOptions options;
  options.fit.latent = LatentSpace::plain(1);
  options.fit.effort = Effort::quick;
  options.repeats = 2;
  options.draws = 20;
  return options;
}

TEST(Evaluate, ReportsEveryModelOnEverySplit) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  EvaluateOptions options = small_options();
  options.conformal_share = 0.3;
  const auto evaluations = evaluate(sphere, arc(60), options);
  ASSERT_EQ(evaluations.size(), 5u);
  for (const ModelEvaluation& evaluation : evaluations) {
    EXPECT_EQ(evaluation.density.euclidean_rmse.values.size(), 2u) << evaluation.model;
    const bool fitted = evaluation.model != "nearest" && evaluation.model != "pga";
    EXPECT_EQ(evaluation.calibration.fractions.size(), fitted ? 24u : 0u) << evaluation.model;
    EXPECT_EQ(evaluation.seconds.values.size(), fitted ? 2u : 0u);
    EXPECT_EQ(evaluation.coverage.size(), fitted && evaluation.on_manifold ? 4u : 0u);
    if (evaluation.on_manifold) {
      EXPECT_LE(evaluation.projection.intrinsic_rmse.mean(), 0.3) << evaluation.model;
    }
  }
  EXPECT_FALSE(evaluations[1].on_manifold);
  // A curved arc: better by a curve than by a geodesic.
  EXPECT_LT(evaluations[0].projection.intrinsic_rmse.mean(), evaluations[4].projection.intrinsic_rmse.mean());
}

TEST(Evaluate, RanksMakeTheSameOfTheirShares) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix P = arc(40);
  EvaluateOptions options = small_options();
  options.models = {"wgplvm", "nearest", "pga"};
  const auto alone = evaluate(sphere, P, options);
  test::ThreadRanks::run(3, [&](Ranks& ranks) {
    EvaluateOptions own = options;
    own.ranks = &ranks;
    int made = 0;
    own.keep_going = [&](const EvaluateProgress& progress) {
      ++made;
      EXPECT_LT(progress.all, 6);
      return true;
    };
    const auto together = evaluate(sphere, P, own);
    EXPECT_GE(made, 1);
    EXPECT_LT(made, 6);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t k = 0; k < alone.size(); ++k) {
      EXPECT_EQ(together[k].density.intrinsic_rmse.values, alone[k].density.intrinsic_rmse.values);
      EXPECT_EQ(together[k].held_out_log_density.values, alone[k].held_out_log_density.values);
      EXPECT_EQ(together[k].calibration.fractions, alone[k].calibration.fractions);
    }
  });
  // What fails on one of them is everybody's.
  options.train_share = 0.01;
  test::ThreadRanks::run(2, [&](Ranks& ranks) {
    EvaluateOptions own = options;
    own.ranks = &ranks;
    EXPECT_THROW(evaluate(sphere, P, own), Error);
  });
}

TEST(Evaluate, NearestIsTheNearestTrainingPoint) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix P = arc(40);
  EvaluateOptions options = small_options();
  options.models = {"nearest"};
  options.repeats = 1;
  const Split split = random_split(40, 0.8, 0);
  double squares = 0;
  for (const Index i : split.test) {
    double least = infinity;
    for (const Index j : split.train) least = std::min(least, std::acos(P.col(i).dot(P.col(j))));
    squares += least * least;
  }
  EXPECT_NEAR(evaluate(sphere, P, options)[0].density.intrinsic_rmse.mean(), std::sqrt(squares / 8), 1e-12);
}

TEST(Evaluate, DoesNotDependOnTheThreads) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  EvaluateOptions options = small_options();
  options.models = {"wgplvm", "gplvmproj"};
  const auto one = evaluate(sphere, arc(40), options);
  options.threads = 2;
  const auto two = evaluate(sphere, arc(40), options);
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(one[m].density.intrinsic_rmse.values, two[m].density.intrinsic_rmse.values);
    EXPECT_EQ(one[m].calibration.fractions, two[m].calibration.fractions);
    EXPECT_EQ(one[m].calibration.null_fractions, two[m].calibration.null_fractions);
  }
}

TEST(Evaluate, StopsWithWhatIsFinished) {
  EvaluateOptions options = small_options();
  options.models = {"nearest", "pga"};
  options.repeats = 5;
  options.keep_going = [](const EvaluateProgress& progress) { return progress.done < 4; };
  const auto evaluations = evaluate(parse_manifold("sphere:2"), arc(40), options);
  EXPECT_EQ(evaluations[0].density.intrinsic_rmse.values.size(), 2u);
}

TEST(Evaluate, RefusesWhatCannotBeSplit) {
  EvaluateOptions options = small_options();
  EXPECT_THROW(evaluate(parse_manifold("sphere:2"), arc(2), options), Error);
  options.models = {"gplmv"};
  EXPECT_THROW(evaluate(parse_manifold("sphere:2"), arc(40), options), Error);
}

// A shape that lies turned on the slide is the same shape, for the model of the ambient space too.
// Where few points leave regions of a structured law to an isotropic one, that one is what distances are held against.
TEST(Calibration, JudgesTheLawThatRegionsComeFrom) {
  const ManifoldPtr flat = parse_manifold("euclidean:12");
  Random random(8);
  Matrix P = 0.02 * random.normals(12, 50);
  P.topRows(2) *= 4;
  for (Index i = 0; i < 50; ++i) P(2, i) += 2 * random.uniform();
  EvaluateOptions options = small_options();
  options.models = {"wgplvm-variational"};
  options.repeats = 1;
  options.fit.noise_law = NoiseLawChoice::structured;
  const Calibration found = evaluate(flat, P, options)[0].calibration;

  const Split split = random_split(50, options.train_share, 0);
  const Matrix test = take_columns(P, split.test);
  const Model model = fit(flat, take_columns(P, split.train), options.fit).model;
  ASSERT_EQ(model.law().kind(), "structured");
  const auto kept = model.law().parameters();
  ASSERT_EQ(kept.at("isotropic_regions"), 1);
  const Model judged = under_law_of_regions(model);
  EXPECT_EQ(judged.law().kind(), "student");
  EXPECT_EQ(under_law_of_regions(judged).parts().law, judged.parts().law);
  const Model student = model.with([&](Model::Parts& parts) {
    parts.law =
        student_noise(12, kept.at("isotropic_scale"), kept.at("isotropic_degrees_of_freedom"), kept.at("fitted_noise"));
  });
  Random draws(0, stream::trial_draws);
  std::vector<double> expected = calibration_fractions(student, test, student.encode(test).X, options.draws, draws);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found.fractions, expected);
}

TEST(Calibration, DoesNotDependOnHowShapesLie) {
  const ManifoldPtr shapes = parse_manifold("kendall:5");
  Random random(8);
  const Vector centre = shapes->random_point(random);
  Matrix P(10, 24), coords = 0.2 * random.normals(6, 24);
  shapes->at(centre)->exp(coords, P);
  FitOptions options;
  options.inference = Inference::point;
  options.model = ModelKind::gplvm;
  options.effort = Effort::quick;
  const Model model = fit(shapes, P.leftCols(18), options).model;
  const Matrix test = P.rightCols(6);
  Matrix turned = test;
  for (Index i = 0; i < turned.cols(); ++i)
    for (Index k = 0; k < 5; ++k)
      turned.col(i).segment<2>(2 * k) = Eigen::Rotation2Dd(1 + static_cast<double>(i)) * test.col(i).segment<2>(2 * k);
  const Matrix latents = model.encode(test).X;
  Random one(9), other(9);
  const auto expected = calibration_fractions(model, test, latents, 40, one);
  EXPECT_EQ(calibration_fractions(model, turned, latents, 40, other), expected);
  EXPECT_LT(*std::min_element(expected.begin(), expected.end()), 1);
}

// Areas of P(F <= u) - u when q of d residual dimensions are taken up: numbers computed elsewhere.
TEST(Calibration, ReferenceAreasOfAPerfectModel) {
  EXPECT_NEAR(Calibration::reference_area(2, 1), 0.2071, 1e-4);
  EXPECT_NEAR(Calibration::reference_area(3, 1), 0.1464, 1e-4);
  EXPECT_NEAR(Calibration::reference_area(6, 2), 0.1875, 1e-4);
  EXPECT_NEAR(Calibration::reference_area(55, 2), 0.0545, 1e-4);
  EXPECT_NEAR(Calibration::reference_area(176, 2), 0.0302, 1e-4);
}

TEST(Calibration, DistancesOfStepFunctions) {
  Calibration calibration;
  calibration.fractions = {0.1, 0.2, 0.3, 0.4};
  calibration.null_fractions = {0.1, 0.2, 0.8, 0.9};
  EXPECT_NEAR(calibration.area(), 0.25, 1e-15);
  EXPECT_NEAR(calibration.ks(), 0.6, 1e-15);
  EXPECT_NEAR(calibration.null_ks(), 0.5, 1e-15);
  EXPECT_NEAR(calibration.null_area(), 0, 1e-15);
}

// A density on the sphere integrates to one, volume term included.
TEST(MixtureDensity, IntegratesToOneOnTheSphere) {
  EvaluateOptions options = small_options();
  const Model model = fit(parse_manifold("sphere:2"), arc(40), options.fit).model;
  constexpr Index rings = 160, along = 320;
  Matrix grid(3, rings * along);
  Vector weight(rings * along);
  for (Index r = 0; r < rings; ++r)
    for (Index a = 0; a < along; ++a) {
      const double theta = std::numbers::pi * (static_cast<double>(r) + 0.5) / rings;
      const double phi = 2 * std::numbers::pi * (static_cast<double>(a) + 0.5) / along;
      grid.col(r * along + a) << std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta);
      weight[r * along + a] = std::sin(theta) * (std::numbers::pi / rings) * (2 * std::numbers::pi / along);
    }
  EXPECT_NEAR(mixture_log_density(model, grid).array().exp().matrix().dot(weight), 1, 5e-3);
}

}  // namespace
}  // namespace wgp
