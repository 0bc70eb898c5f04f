#include "wgp/fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/candidate.h"
#include "fit/objective.h"
#include "fit/point_sets.h"
#include "golden.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::columns;
using test::golden;

TEST(Fit, ReachesTheGoldenOptimumOnTheSphere) {
  const auto& group = golden("y.fit_S2_map");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Matrix P = columns(in["points"], 3);
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  // The golden start, in units where the tangent coordinates have unit variance.
  FitProblem problem;
  problem.manifold = sphere;
  problem.P = P;
  problem.lift = std::make_shared<const Basepoint>(sphere, column(in["frechet_mean"]));
  problem.kernel = parse_kernel("rbf", LatentSpace::plain(1));
  problem.V = problem.lift->lift(Matrix(), P).V;
  const double scale = std::sqrt(problem.V.squaredNorm() / static_cast<double>(problem.V.size()));
  problem.scale = scale;
  problem.V /= scale;
  problem.outputs = Outputs::of(problem.V);
  problem.free.theta = {true, false};
  problem.terms = {latent_prior(problem.latent, 1)};
  const double to_data = -static_cast<double>(problem.V.size()) * std::log(scale);
  const Vector start = column(in["log_sigma2_noise2_0"]);
  FitState state;
  state.X = column(in["x0"]).transpose();
  state.theta = Eigen::Vector2d(start[0] - 2 * std::log(scale), 0);
  state.u = std::log(std::exp(start[1] - 2 * std::log(scale)) - noise_floor);
  const double at_start = -fit_objective(problem, state)->value(pack_state(problem, state));
  EXPECT_NEAR(at_start + to_data, out["objective_at_start"].get<double>(), 1e-8);
  const Refined refined = refine(problem, state, 1000);
  EXPECT_GE(refined.state.value + to_data, out["objective_from_x0"].get<double>() - 1e-4);

  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  const FitResult found = fit(sphere, P, options);
  EXPECT_GE(found.summary.log_posterior, out["objective_best_of_12_starts"].get<double>() - 1e-4);
}

class FitOn : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Manifolds, FitOn,
                         ::testing::Values("euclidean:4", "sphere:2", "sphere:3", "hyperbolic:3", "spd:3",
                                           "spd:3/affine-invariant", "kendall:5", "so:3", "grassmann:5x2", "torus:3",
                                           "sphere:2,euclidean:2"));

TEST_P(FitOn, PredictsOnTheManifoldAndEncodesItsOwnPoints) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  const Matrix P = test::sheet(*manifold, 60, 0.02, 4);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  const FitResult result = fit(manifold, P, options);
  EXPECT_TRUE(std::isfinite(result.summary.log_likelihood));
  Random random(1);
  const Matrix samples = result.model.sample(result.model.parts().X.leftCols(5), 4, random);
  ASSERT_EQ(samples.cols(), 20);
  for (Index i = 0; i < samples.cols(); ++i) EXPECT_FALSE(manifold->defect(samples.col(i))) << i;
  for (const Encoder encoder : {Encoder::density, Encoder::projection}) {
    const Score score = result.model.score(P, {encoder, 1});
    EXPECT_LT(score.intrinsic_rmse, 0.1) << to_string(encoder);
    EXPECT_EQ(score.n, 60);
  }
}

TEST_P(FitOn, GivesTheSameBytesOnAnyNumberOfThreads) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  const Matrix P = test::sheet(*manifold, 40, 0.05, 5);
  FitOptions options;
  options.inference = Inference::point;
  const FitResult one = fit(manifold, P, options);
  options.threads = 2;
  const FitResult two = fit(manifold, P, options);
  EXPECT_EQ(one.model.parts().X, two.model.parts().X);
  EXPECT_EQ(one.model.parts().theta, two.model.parts().theta);
  EXPECT_EQ(one.model.parts().noise, two.model.parts().noise);
}

TEST(Fit, GainsNothingFromUnits) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  const Matrix P = test::sheet(*space, 50, 0.05, 6);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  const FitResult plain = fit(space, P, options);
  for (const double unit : {1e-12, 1e12}) {
    const FitResult scaled = fit(space, unit * P, options);
    EXPECT_NEAR(scaled.summary.log_likelihood + 200 * std::log(unit), plain.summary.log_likelihood, 0.05);
    EXPECT_TRUE(close(std::sqrt(scaled.model.parts().noise) / unit, std::sqrt(plain.model.parts().noise), 0.01));
  }
}

TEST(Fit, RefusesWhatHasNoModel) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix P = test::sheet(*sphere, 5, 0.1, 7);
  EXPECT_THROW(fit(sphere, P.leftCols(1)), Error);
  EXPECT_THROW(fit(sphere, P.leftCols(2)), Error);  // two latent dimensions
  EXPECT_THROW(fit(sphere, P.col(0).replicate(1, 8)), Error);
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(5);
  EXPECT_THROW(fit(sphere, P, options), Error);
  options.latent = LatentSpace::plain(1);
  EXPECT_NO_THROW(fit(sphere, P.leftCols(2), options));
  Matrix bad = P;
  bad(1, 2) = NAN;
  EXPECT_THROW(fit(sphere, bad, options), Error);
}

// Points off the manifold are named, not modelled; what the tolerance forgives is removed.
TEST(Fit, NamesTheColumnThatIsNoPoint) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Matrix P = test::sheet(*sphere, 12, 0.1, 7);
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  P.col(3) *= 2;
  for (const bool regression : {false, true}) {
    try {
      regression ? regress(sphere, Matrix::Random(1, 12), P, options) : fit(sphere, P, options);
      ADD_FAILURE() << "points of norm 2 were taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("column 4 is not a point of sphere:2"), std::string::npos)
          << error.what();
    }
  }
  P.col(3) *= 0.5 * (1 + 1e-9);
  const Model model = fit(sphere, P, options).model;
  EXPECT_NEAR(model.parts().P.col(3).norm(), 1, 1e-15);
  EXPECT_EQ(model.parts().P.col(4), P.col(4));  // bits of points stay
}

TEST(Fit, DuplicatesAndZeroColumns) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  Matrix P = test::sheet(*space, 30, 0.05, 8);
  P.row(3).setZero();
  P.rightCols(10) = P.leftCols(10);
  FitOptions point;
  point.inference = Inference::point;
  const FitResult duplicated = fit(space, P, point);
  EXPECT_TRUE(std::isfinite(duplicated.summary.log_posterior));
  EXPECT_EQ(duplicated.model.predict(duplicated.model.parts().X).points.row(3).cwiseAbs().maxCoeff(), 0);
}

// A ring about the pole, and a point opposite of it.
Matrix ring_and_antipode() {
  Matrix Q(3, 42);
  for (Index i = 0; i < 40; ++i) {
    const double turn = 2 * std::acos(-1.0) * static_cast<double>(i) / 40, out = i % 2 == 0 ? 0.3 : 0.5;
    Q.col(i) << std::sin(out) * std::cos(turn), std::sin(out) * std::sin(turn), std::cos(out);
  }
  Q.col(40) << 0, 0, 1;
  Q.col(41) << 0, 0, -1;
  return Q;
}

// No point lies at the cut locus of the mean of all (Le and Barden 2014): the opposite one draws the mean away from the
// pole, by about pi / 42, and its logarithm becomes the shortest way.
TEST(Fit, TheMeanKeepsItsPointsFromItsCutLocus) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix Q = ring_and_antipode();
  const Lifted at_pole = Basepoint(sphere, Q.col(40)).lift(Matrix(), Q);
  EXPECT_EQ(at_pole.report.count(LogStatus::cut_locus), 1);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  const FitResult all = fit(sphere, Q, options), without = fit(sphere, Q.leftCols(41), options);
  EXPECT_EQ(all.summary.cut_locus_points, 0);
  EXPECT_FALSE(all.summary.mean_unique);
  EXPECT_TRUE(without.summary.mean_unique);
  EXPECT_LT(distance(*sphere, without.model.parts().base, Q.col(40)), 1e-6);
  const double drawn = distance(*sphere, all.model.parts().base, Q.col(40));
  EXPECT_GT(drawn, 0.05);
  EXPECT_LT(drawn, 0.1);
  const Matrix V = all.model.lift().lift(all.model.parts().X, Q).V;
  EXPECT_NEAR(V.col(41).norm(), std::acos(-1.0) - drawn, 1e-9);
}

// Seen from a base point that is not the mean, points may well be there, and are counted.
TEST(Fit, CountsPointsAtTheCutLocusOfABasePointThatMoves) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.max_iterations = 1;
  options.basepoint = BasepointKind::geodesic;
  const Matrix Q = ring_and_antipode();
  const FitResult moving = fit(sphere, Q, options);
  const Model& model = moving.model;
  EXPECT_EQ(moving.summary.cut_locus_points, 0);
  // The same model of the point that is opposite of a base point.
  Model::Parts parts = model.parts();
  parts.P.col(3) = -dynamic_cast<const Basepoint&>(model.lift()).points(parts.X).col(3);
  FitSummary summary;
  count_cut_locus_points(Model(parts), summary);
  EXPECT_EQ(summary.cut_locus_points, 1);
}

TEST(Baselines, LiveWhereTheyShould) {
  for (const char* spec : {"sphere:2", "spd:3", "kendall:6"}) {
    const ManifoldPtr manifold = parse_manifold(spec);
    const Matrix P = test::sheet(*manifold, 50, 0.05, 14);
    FitOptions options;
    options.inference = Inference::point;
    options.effort = Effort::quick;
    options.model = ModelKind::gplvm;
    const Model ambient = fit(manifold, P, options).model;
    EXPECT_FALSE(ambient.on_manifold());
    EXPECT_LT(ambient.score(P).euclidean_rmse, 0.3) << spec;
    EXPECT_TRUE(std::isnan(ambient.score(P).intrinsic_rmse));
    options.model = ModelKind::gplvmproj;
    const Model projected = fit(manifold, P, options).model;
    Random random(2);
    const Matrix samples = projected.sample(projected.parts().X, 3, random);
    for (Index i = 0; i < samples.cols(); ++i) EXPECT_FALSE(manifold->defect(samples.col(i))) << spec << " " << i;
  }
}

TEST(Regression, FollowsACurveOfRotations) {
  const ManifoldPtr rotations = parse_manifold("so:3");
  Random random(15);
  const Vector base = rotations->random_point(random);
  const Index N = 40;
  Matrix X(1, N), V(3, N), P(9, N);
  for (Index i = 0; i < N; ++i) {
    X(0, i) = 10 * static_cast<double>(i) / N;
    V.col(i) =
        Eigen::Vector3d(0.5 * std::sin(X(0, i)), 0.4 * std::cos(X(0, i)), 0.05 * X(0, i)) + 0.01 * random.normals(3);
  }
  rotations->at(base)->exp(V, P);
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  const FitResult result = regress(rotations, X, P, options);
  const Prediction prediction = result.model.predict(X);
  double worst = 0;
  for (Index i = 0; i < N; ++i) worst = std::max(worst, distance(*rotations, prediction.points.col(i), P.col(i)));
  EXPECT_LT(worst, 0.06);
  EXPECT_NEAR(std::sqrt(result.model.parts().noise), 0.01, 0.004);
  EXPECT_THROW(regress(rotations, X.leftCols(3), P, options), Error);
}

}  // namespace
}  // namespace wgp
