// Models whose base point is fitted too: what they predict, encode, draw and keep.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "fit/objective.h"
#include "golden.h"
#include "wgp/fit.h"
#include "wgp/model_file.h"

namespace wgp {
namespace {

constexpr double noise = 0.03;

// An arc of 240 degrees on the sphere, with the angle of each point.
struct Arc {
  Matrix P, t;
};
Arc arc(Index n, std::uint64_t seed) {
  Random random(seed, 1);
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Arc result{Matrix(3, n), Matrix(1, n)};
  for (Index i = 0; i < n; ++i) {
    const double s = (random.uniform() - 0.5) * 4 * std::numbers::pi / 3;
    Vector p(3);
    p << std::cos(s), std::sin(s), 0;
    result.t(0, i) = s;
    result.P.col(i) = exp_point(*sphere->at(p), noise * random.normals(2));
  }
  return result;
}

FitOptions options_with(BasepointKind kind) {
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.basepoint = kind;
  options.max_iterations = 150;
  return options;
}

class Moving : public testing::TestWithParam<BasepointKind> {};

TEST_P(Moving, PredictsEncodesAndDrawsOnTheManifold) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Arc data = arc(50, 1), fresh = arc(30, 2);
  const FitResult result = fit(sphere, data.P, options_with(GetParam()));
  const Model& model = result.model;
  EXPECT_EQ(model.parts().basepoint, GetParam());
  ASSERT_EQ(result.summary.basepoints.size(), 2u);
  EXPECT_TRUE(result.summary.basepoints[1].chosen);
  for (const Encoder encoder : {Encoder::density, Encoder::projection}) {
    const Encoding encoding = model.encode(fresh.P, {encoder, 1});
    const Matrix back = model.predict(encoding.X).points;
    for (Index i = 0; i < back.cols(); ++i) {
      EXPECT_FALSE(sphere->defect(back.col(i)));
      EXPECT_LT(distance(*sphere, back.col(i), fresh.P.col(i)), 6 * noise) << i << to_string(encoder);
    }
    // The density is that of the encoded latent, per unit of volume.
    EXPECT_TRUE(test::close(encoding.log_density, model.log_density(encoding.X, fresh.P), 1e-6));
  }
  Random random(3, 3);
  const Matrix draws = model.sample(model.parts().X.leftCols(4), 50, random);
  for (Index i = 0; i < draws.cols(); ++i) EXPECT_FALSE(sphere->defect(draws.col(i)));
  // Draws with noise lie about the arc as the data does.
  EXPECT_LT(std::sqrt(draws.row(2).squaredNorm() / 200), 3 * noise);
  EXPECT_GT(std::sqrt(draws.row(2).squaredNorm() / 200), noise / 3);
}

TEST_P(Moving, ALoadedModelPredictsTheSameBytes) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const FitResult result = fit(sphere, arc(40, 4).P, options_with(GetParam()));
  const std::string path = testing::TempDir() + "moving-" + to_string(GetParam()) + ".wgp";
  ModelNotes notes;
  notes.row_form = "xyz";
  save_model(path, result.model, result.summary, notes);
  const LoadedModel loaded = load_model(path);
  std::remove(path.c_str());
  const Matrix X = result.model.parts().X;
  EXPECT_EQ(loaded.model.predict(X).points, result.model.predict(X).points);
  EXPECT_EQ(loaded.model.parts().basepoint, GetParam());
  ASSERT_EQ(loaded.summary.basepoints.size(), 2u);
  EXPECT_EQ(loaded.summary.basepoints[1].leave_one_out, result.summary.basepoints[1].leave_one_out);
}

TEST_P(Moving, LatentMetricIsThePullBackOfTheManifolds) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Model model = fit(sphere, arc(50, 5).P, options_with(GetParam())).model;
  const double low = model.parts().X.minCoeff(), high = model.parts().X.maxCoeff();
  // The length of the latent range, in the metric, is that of the arc (and a little uncertainty).
  double length = 0;
  for (int k = 0; k < 200; ++k)
    length += std::sqrt(model.latent_metric(Vector::Constant(1, low + (k + 0.5) * (high - low) / 200))(0, 0)) *
              (high - low) / 200;
  EXPECT_NEAR(length, 4 * std::numbers::pi / 3, 0.5);
}
INSTANTIATE_TEST_SUITE_P(Kinds, Moving,
                         testing::Values(BasepointKind::optimised, BasepointKind::geodesic, BasepointKind::spline),
                         [](const testing::TestParamInfo<BasepointKind>& tested) { return to_string(tested.param); });

TEST(MovingBase, AGeodesicIsFoundAndPreferred) {
  const ManifoldPtr space = parse_manifold("hyperbolic:2");
  Random random(6, 1);
  Matrix P(3, 100);
  for (Index i = 0; i < 100; ++i) {
    const double s = 10 * random.uniform() - 5;
    Vector p(3);
    p << std::cosh(s), std::sinh(s), 0;
    P.col(i) = exp_point(*space->at(p), noise * random.normals(2));
  }
  const FitResult result = fit(space, P, options_with(BasepointKind::automatic));
  EXPECT_NE(result.model.parts().basepoint, BasepointKind::mean);
  double of_mean = 0, of_chosen = -infinity;
  for (const BasepointReport& tried : result.summary.basepoints) {
    ASSERT_TRUE(tried.held_out.has_value());
    if (tried.kind == BasepointKind::mean) of_mean = *tried.held_out;
    if (tried.chosen) of_chosen = *tried.held_out;
  }
  EXPECT_GT(of_chosen, of_mean + 0.3);
}

TEST(MovingBase, RegressionFollowsTheInputs) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Arc data = arc(60, 7), fresh = arc(40, 8);
  for (const BasepointKind kind : {BasepointKind::geodesic, BasepointKind::spline, BasepointKind::automatic}) {
    FitOptions options = options_with(kind);
    const FitResult result = regress(sphere, data.t, data.P, options);
    EXPECT_EQ(result.model.parts().X, data.t);
    const Matrix back = result.model.predict(fresh.t).points;
    double sum = 0;
    for (Index i = 0; i < 40; ++i) {
      Vector truth(3);
      truth << std::cos(fresh.t(0, i)), std::sin(fresh.t(0, i)), 0;
      sum += std::pow(distance(*sphere, back.col(i), truth), 2);
    }
    EXPECT_LT(std::sqrt(sum / 40), noise) << to_string(kind);
  }
}

// A line search tries steps that are too long by far.
TEST(MovingBase, BasePointsBeyondAllNumbersAreNoPlaceToGo) {
  const ManifoldPtr space = parse_manifold("spd:2");
  Random random(5, 1);
  FitProblem problem;
  problem.manifold = space;
  problem.kernel = parse_kernel("rbf", problem.latent);
  problem.free.theta.assign(2, true);
  problem.free.base = true;
  problem.volume = Lift::Volume::subtracted;
  problem.P.resize(4, 6);
  for (Index i = 0; i < 6; ++i) problem.P.col(i) = space->random_point(random);
  FitState state;
  state.X = random.normals(1, 6);
  state.theta = problem.kernel->default_parameters();
  state.lift = problem.lift = std::make_shared<const Basepoint>(space, space->random_point(random),
                                                                linear_basis(problem.latent), random.normals(3, 1));
  state.centre = Vector::Zero(3);
  state.coefficients = dynamic_cast<const Basepoint&>(*state.lift).coefficients();
  const auto objective = fit_objective(problem, state);
  Vector x = pack_state(problem, state);
  EXPECT_TRUE(std::isfinite(objective->value(x)));
  x.head(6) *= 1e5;
  EXPECT_EQ(objective->value(x), infinity);
}

TEST(MovingBase, OfChoicesThatAreCutShortWhatWasFinishedIsKept) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Arc data = arc(50, 9);
  FitOptions options = options_with(BasepointKind::automatic);
  options.keep_going = [](const Progress& progress) { return progress.phase.find("spline") == std::string::npos; };
  const FitResult fitted = fit(sphere, data.P, options);
  EXPECT_TRUE(fitted.summary.cancelled);
  EXPECT_TRUE(fitted.summary.held_out_log_density.has_value());
  ASSERT_EQ(fitted.summary.basepoints.size(), 3u);
  for (const BasepointReport& tried : fitted.summary.basepoints) EXPECT_NE(tried.kind, BasepointKind::spline);
  const FitResult regressed = regress(sphere, data.t, data.P, options);
  EXPECT_TRUE(regressed.summary.cancelled);
  EXPECT_EQ(regressed.model.parts().basepoint, BasepointKind::mean);
}

TEST(MovingBase, IsRefusedWhereItHasNoMeaning) {
  Random random(1, 1);
  const ManifoldPtr bures = parse_manifold("spd:2/bures-wasserstein");
  Matrix P(4, 10);
  for (Index i = 0; i < 10; ++i) P.col(i) = bures->random_point(random);
  EXPECT_THROW(fit(bures, P, options_with(BasepointKind::spline)), Error);
  EXPECT_NO_THROW(fit(bures, P, options_with(BasepointKind::optimised)));
  FitOptions baseline = options_with(BasepointKind::geodesic);
  baseline.model = ModelKind::gplvmproj;
  EXPECT_THROW(fit(bures, P, baseline), Error);
}

TEST(MovingBase, TheVolumeTermMatters) {
  const ManifoldPtr space = parse_manifold("hyperbolic:2");
  Random random(9, 1);
  Matrix P(3, 40);
  for (Index i = 0; i < 40; ++i) P.col(i) = space->random_point(random);
  FitOptions options = options_with(BasepointKind::optimised);
  const FitResult with = fit(space, P, options);
  options.volume_term = false;
  const FitResult without = fit(space, P, options);
  EXPECT_GT(distance(*space, with.model.parts().base, without.model.parts().base), 1e-6);
}

}  // namespace
}  // namespace wgp
