#include "wgp/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/fit.h"
#include "fit/objective.h"
#include "fit/settings.h"
#include "golden.h"
#include "model/windings.h"
#include "wgp/fit.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::columns;
using test::golden;

// A model of R^d about the origin with the parameters of a golden group.
Model flat_model(const nlohmann::json& in, Matrix X, const LatentSpace& latent, const std::string& kernel,
                 LengthScales scales, Index d) {
  Model::Parts parts;
  parts.manifold = parse_manifold("euclidean:" + std::to_string(d));
  parts.kernel = parse_kernel(kernel, latent, scales);
  parts.lengths = scales;
  parts.latent = latent;
  parts.base = Vector::Zero(d);
  parts.P = columns(in["V"], d);
  parts.X = std::move(X);
  const Vector l = column(in["l"]);
  parts.theta.resize(1 + l.size());
  parts.theta << std::log(in["sigma2"].get<double>()), l.array().log().matrix();
  parts.noise = in["noise2"];
  return Model(std::move(parts));
}

TEST(Model, PredictsAndScoresAsTheGoldenRbf) {
  const auto& group = golden("gp.rbf_ard");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Model model = flat_model(in, columns(in["X"], 2), LatentSpace::plain(2), "rbf", LengthScales::per_dimension, 3);
  const Matrix x = columns(in["x_star"], 2);
  const Prediction prediction = model.predict(x);
  EXPECT_TRUE(close(prediction.coords, columns(out["pred_mean"], 3), 1e-11));
  EXPECT_TRUE(close(prediction.variance[0] + prediction.noise, out["pred_var_with_noise"].get<double>(), 1e-10));
  EXPECT_TRUE(close(model.log_density(x, columns(in["v_star"], 3))[0], out["encode_logpdf"].get<double>(), 1e-10));
  const std::optional<LeaveOneOut> others = model.posterior()->leave_one_out();
  ASSERT_TRUE(others);
  EXPECT_TRUE(close(others->mean, columns(out["loo_mean"], 3), 1e-9));
  EXPECT_TRUE(close(others->variance, column(out["loo_var"]), 1e-10));
  EXPECT_TRUE(
      close(others->function_variance, Vector(column(out["loo_var"]).array() - in["noise2"].get<double>()), 1e-9));
}

TEST(Model, PartsThatDoNotFitTogetherAreRefused) {
  const auto& in = golden("gp.rbf_ard")["inputs"];
  const Model::Parts good =
      flat_model(in, columns(in["X"], 2), LatentSpace::plain(2), "rbf", LengthScales::per_dimension, 3).parts();
  Model::Parts one_latent = good, fewer_points = good, other_manifold = good;
  one_latent.latent = LatentSpace::plain(1);
  fewer_points.P = good.P.leftCols(2);
  other_manifold.manifold = parse_manifold("sphere:3");
  for (const Model::Parts& bad : {one_latent, fewer_points, other_manifold}) EXPECT_THROW(Model{bad}, Error);
  EXPECT_NO_THROW(Model{good});
}

TEST(Model, PredictsAsTheGoldenPeriodic) {
  const auto& group = golden("gp.periodic");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Model model = flat_model(in, columns(in["t"], 1), LatentSpace(1, 0), "periodic", LengthScales::shared, 3);
  const Matrix t = Matrix::Constant(1, 1, in["t_star"].get<double>());
  const Prediction prediction = model.predict(t);
  EXPECT_TRUE(close(prediction.coords, columns(out["pred_mean"], 3), 1e-11));
  EXPECT_TRUE(close(prediction.variance[0] + prediction.noise, out["pred_var_with_noise"].get<double>(), 1e-10));
  EXPECT_TRUE(close(model.log_density(t, columns(in["v_star"], 3))[0], out["encode_logpdf"].get<double>(), 1e-10));
}

TEST(Model, PullBackMetricGolden) {
  const auto& group = golden("pullback.S2");
  const auto &in = group["inputs"], &out = group["outputs"];
  Model::Parts parts;
  parts.manifold = parse_manifold("sphere:2");
  parts.base = Eigen::Vector3d(0, 0, 1);
  parts.X = columns(in["x"], 1);
  const Matrix V = columns(in["V"], 2);
  parts.P.resize(3, V.cols());
  parts.manifold->at(parts.base)->exp(V, parts.P);
  parts.theta = Eigen::Vector2d(std::log(in["sigma2"].get<double>()), std::log(in["l"].get<double>()));
  parts.noise = in["noise2"];
  const Model model(parts);
  EXPECT_TRUE(close(model.latent_metric(Vector::Constant(1, in["x_star"].get<double>()))(0, 0),
                    out["metric_plugin"].get<double>(), 1e-6));
}

TEST(Windings, MeanFieldGolden) {
  const auto& group = golden("windings.circle4");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Matrix x = columns(in["x"], 1);
  const Vector y = column(in["y"]);
  const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(1));
  const Vector theta = Eigen::Vector2d(std::log(in["sigma2"].get<double>()), std::log(in["l"].get<double>()));
  const Matrix K = kernel->cov(theta, x, x) + in["noise2"].get<double>() * Matrix::Identity(4, 4);
  std::vector<PreimageSet> sets;
  const int k_max = in["kmax"];
  for (Index i = 0; i < 4; ++i) {
    PreimageSet set{Matrix(1, 2 * k_max + 1), Vector::Zero(2 * k_max + 1)};
    set.coords(0, 0) = y[i];
    for (int k = 1; k <= k_max; ++k) {
      set.coords(0, 2 * k - 1) = y[i] - 2 * std::acos(-1.0) * k;
      set.coords(0, 2 * k) = y[i] + 2 * std::acos(-1.0) * k;
    }
    sets.push_back(set);
  }
  const MeanFieldWindings found = mean_field_windings(K.inverse(), std::log(K.determinant()), sets);
  EXPECT_NEAR(found.bound, out["cavi_elbo"].get<double>(), 1e-8);
  EXPECT_LE(found.bound, out["exact_loglik"].get<double>());
  const auto& expected = out["cavi_resp_k_m2_to_2"];
  for (Index i = 0; i < 4; ++i) {
    const Vector& r = found.responsibilities[static_cast<std::size_t>(i)];
    const Vector in_order = (Vector(5) << r[3], r[1], r[0], r[2], r[4]).finished();
    EXPECT_NEAR((in_order - column(expected[static_cast<std::size_t>(i)])).norm(), 0, 1e-5) << i;
  }
}

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
  options.latent = LatentSpace::plain(1);
  const FitResult found = fit(sphere, P, options);
  EXPECT_GE(found.summary.log_posterior, out["objective_best_of_12_starts"].get<double>() - 1e-4);
}

// The gradient of the objective, priors and noise floor included, on a grid of kernels, latents and priors.
TEST(Objective, GradientIsTheDerivative) {
  Random random(21);
  for (const char* kernel : {"rbf", "matern32", "matern52", "periodic", "rbf+linear", "rbf*constant"})
    for (const auto& [angles, plain] : {std::pair<Index, Index>{0, 2}, {1, 0}, {1, 1}})
      for (const bool map : {true, false}) {
        if (std::string(kernel) == "periodic" && angles == 0) continue;
        FitProblem problem;
        problem.latent = LatentSpace(angles, plain);
        problem.kernel = parse_kernel(kernel, problem.latent);
        problem.lift = std::make_shared<const Basepoint>(parse_manifold("euclidean:3"), Vector::Zero(3));
        problem.V = random.normals(3, 12);
        problem.P = problem.V;
        problem.outputs = Outputs::of(problem.V);
        problem.free.theta.assign(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
        if (map) {
          const LatentsAbout about = plain == 2 ? LatentsAbout::mean : LatentsAbout::origin;
          problem.terms = {latent_prior(problem.latent, 1, about), noise_prior(-1, 1.5)};
          if (const TermPtr lengths = angle_length_prior(*problem.kernel)) problem.terms.push_back(lengths);
        }
        FitState state;
        state.X = random.normals(angles + plain, 12);
        state.theta = 0.3 * random.normals(problem.kernel->parameter_count());
        state.u = -1.5;
        const auto objective = fit_objective(problem, state);
        const Vector x = pack_state(problem, state);
        const Vector direction = random.normals(x.size());
        Vector gradient(x.size());
        objective->value(x);
        objective->gradient(gradient);
        const double h = 1e-3, c[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
        double slope = 0;
        for (int k = 1; k <= 4; ++k)
          slope += c[k - 1] * (objective->value(x + k * h * direction) - objective->value(x - k * h * direction)) / h;
        EXPECT_NEAR(gradient.dot(direction), slope, 1e-8 * std::max(1.0, std::abs(slope)))
            << kernel << " " << angles << " " << plain << " " << map;
      }
}

// Points of a curved sheet, for tests of behaviour.
Matrix sheet(const Manifold& manifold, Index N, double noise, std::uint64_t seed) {
  Random random(seed);
  const Vector base = manifold.random_point(random);
  const Matrix X = random.normals(2, N);
  Matrix V = noise * random.normals(manifold.dim(), N);
  V.row(0) += 0.3 * X.row(0);
  if (V.rows() > 1) V.row(1) += 0.3 * X.row(1);
  if (V.rows() > 2) V.row(2) += 0.2 * X.row(0).array().square().matrix();
  Matrix P(manifold.ambient_dim(), N);
  manifold.at(base)->exp(V, P);
  return P;
}

class FitOn : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Manifolds, FitOn,
                         ::testing::Values("euclidean:4", "sphere:2", "sphere:3", "hyperbolic:3", "spd:3",
                                           "spd:3/affine-invariant", "kendall:5", "so:3", "grassmann:5x2", "torus:3",
                                           "sphere:2,euclidean:2"));

TEST_P(FitOn, PredictsOnTheManifoldAndEncodesItsOwnPoints) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  const Matrix P = sheet(*manifold, 60, 0.02, 4);
  FitOptions options;
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
  const Matrix P = sheet(*manifold, 40, 0.05, 5);
  FitOptions options;
  const FitResult one = fit(manifold, P, options);
  options.threads = 2;
  const FitResult two = fit(manifold, P, options);
  EXPECT_EQ(one.model.parts().X, two.model.parts().X);
  EXPECT_EQ(one.model.parts().theta, two.model.parts().theta);
  EXPECT_EQ(one.model.parts().noise, two.model.parts().noise);
}

TEST(Fit, GainsNothingFromUnits) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  const Matrix P = sheet(*space, 50, 0.05, 6);
  FitOptions options;
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
  const Matrix P = sheet(*sphere, 5, 0.1, 7);
  EXPECT_THROW(fit(sphere, P.leftCols(1)), Error);
  EXPECT_THROW(fit(sphere, P.leftCols(2)), Error);  // two latent dimensions
  EXPECT_THROW(fit(sphere, P.col(0).replicate(1, 8)), Error);
  FitOptions options;
  options.latent = LatentSpace::plain(5);
  EXPECT_THROW(fit(sphere, P, options), Error);
  options.latent = LatentSpace::plain(1);
  EXPECT_NO_THROW(fit(sphere, P.leftCols(2), options));
  Matrix bad = P;
  bad(1, 2) = NAN;
  EXPECT_THROW(fit(sphere, bad, options), Error);
}

TEST(Fit, DuplicatesAndZeroColumns) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  Matrix P = sheet(*space, 30, 0.05, 8);
  P.row(3).setZero();
  P.rightCols(10) = P.leftCols(10);
  const FitResult duplicated = fit(space, P);
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
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.max_iterations = 1;
  options.basepoint = BasepointKind::geodesic;
  const Matrix Q = ring_and_antipode();
  const FitResult moving = fit(sphere, Q, options);
  const Model& model = moving.model;
  // The same latents, the last of them with the point that is opposite of its base point.
  Model::Parts parts = model.parts();
  const Matrix base = dynamic_cast<const Basepoint&>(model.lift()).points(parts.X);
  EXPECT_EQ(moving.summary.cut_locus_points, model.lift().lift(parts.X, parts.P).report.count(LogStatus::cut_locus));
  parts.P.col(3) = -base.col(3);
  EXPECT_EQ(model.lift().lift(parts.X, parts.P).report.count(LogStatus::cut_locus), 1);
}

TEST(Encode, IsAsGoodAsTenIndependentStarts) {
  const ManifoldPtr space = parse_manifold("euclidean:6");
  Random random(10);
  const Index N = 200;
  const Matrix X = 1.2 * random.normals(2, N);
  const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2));
  const Matrix K = kernel->cov(kernel->default_parameters(), X, X) + 1e-9 * Matrix::Identity(N, N);
  const Matrix P = (Matrix(K.llt().matrixL()) * random.normals(N, 6)).transpose() + 0.1 * random.normals(6, N);
  FitOptions options;
  options.effort = Effort::quick;
  options.inits = {"given"};
  options.given_latents = X.leftCols(150);
  const Model model = fit(space, P.leftCols(150), options).model;
  const Matrix test = P.rightCols(50);
  const Encoding encoding = model.encode(test);
  int worse = 0, outside = 0;
  for (Index i = 0; i < test.cols(); ++i) {
    // Where nothing was seen, a density may be higher still: the status says so.
    if (encoding.status[static_cast<std::size_t>(i)] == EncodeStatus::outside_support) {
      ++outside;
      continue;
    }
    // A dense grid stands for any number of starts.
    double best = -infinity;
    Matrix grid(2, 61 * 61);
    for (Index k = 0; k < grid.cols(); ++k)
      grid.col(k) =
          Eigen::Vector2d(-3.6 + 0.12 * static_cast<double>(k % 61), -3.6 + 0.12 * static_cast<double>(k / 61));
    best = model.log_density(grid, test.col(i).replicate(1, grid.cols())).maxCoeff();
    worse += encoding.log_density[i] < best - 1e-6;
  }
  EXPECT_LE(worse, 1);
  EXPECT_LE(outside, 4);
}

TEST(Encode, LatentsOfTrainingPointsComeBackWithSmallSpread) {
  const ManifoldPtr space = parse_manifold("euclidean:5");
  const Matrix P = sheet(*space, 60, 0.01, 12);
  const Model model = fit(space, P).model;
  const Encoding encoding = model.encode(P);
  EXPECT_LT((model.parts().X - encoding.X).colwise().norm().mean(), 0.2);
  EXPECT_TRUE((encoding.sd.array() > 0).all());
}

// Points of all kinds, also far from what the model knows: a latent is never less certain than the support is wide, and
// where the status says ok it is a minimum.
TEST(Encode, SpreadIsBoundedAndOkMeansAMinimum) {
  const ManifoldPtr space = parse_manifold("euclidean:5");
  Random random(31);
  const Matrix P = sheet(*space, 60, 0.05, 12);
  FitOptions options;
  options.effort = Effort::quick;
  const Model model = fit(space, P, options).model;
  Matrix test(5, 120);
  test << P, P + random.normals(5, 60) * 0.5 * P.rowwise().norm().maxCoeff() / std::sqrt(60.0);
  const Matrix& X = model.parts().X;
  const Vector widest = ((X.rowwise().maxCoeff() - X.rowwise().minCoeff()).array() + 2) / std::sqrt(12.0);
  for (const Encoder encoder : {Encoder::density, Encoder::projection}) {
    const Encoding encoding = model.encode(test, {encoder, 2});
    for (Index i = 0; i < test.cols(); ++i) {
      EXPECT_TRUE((encoding.sd.col(i).array() > 0).all()) << i;
      EXPECT_TRUE((encoding.sd.col(i).array() <= widest.array() * (1 + 1e-12)).all()) << i << ' ' << encoding.sd.col(i);
      if (encoder == Encoder::projection || encoding.status[static_cast<std::size_t>(i)] != EncodeStatus::ok) continue;
      for (Index j = 0; j < X.rows(); ++j)
        for (const double side : {-1e-3, 1e-3}) {
          Vector moved = encoding.X.col(i);
          moved[j] += side;
          EXPECT_LT(model.log_density(moved, test.col(i))[0], encoding.log_density[i] + 1e-7) << i << ' ' << j;
        }
    }
  }
}

TEST(Conformal, RadiusIsTheRightOrderStatistic) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  FitOptions options;
  options.effort = Effort::quick;
  options.calibration_share = 0.5;
  const Model model = fit(space, sheet(*space, 38, 0.05, 13), options).model;
  ASSERT_EQ(model.parts().calibration.size(), 19);
  EXPECT_EQ(*model.conformal_radius(0.5), model.parts().calibration[9]);
  EXPECT_EQ(*model.conformal_radius(0.95), model.parts().calibration[18]);
  EXPECT_EQ(*model.conformal_radius(0.96), infinity);
  EXPECT_THROW(model.conformal_radius(1.5), Error);
}

TEST(Model, ConfidenceRadiusHoldsItsShareOfDraws) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  FitOptions options;
  options.effort = Effort::quick;
  const Model model = fit(space, sheet(*space, 40, 0.05, 16), options).model;
  const Matrix x = model.parts().X.leftCols(1);
  Random random(3);
  const Matrix draws = model.sample(x, 4000, random);
  const Vector distances = (draws.colwise() - model.predict(x).points.col(0)).colwise().norm();
  for (const double level : {0.5, 0.9}) {
    const double radius = model.confidence_radius(x, level)[0];
    EXPECT_NEAR((distances.array() <= radius).cast<double>().mean(), level, 0.03);
  }
  EXPECT_THROW(model.confidence_radius(x, 0), Error);
}

TEST(LatentGeodesic, GoesAroundAHole) {
  // A ring in the plane: between opposite points the way along the ring is shorter than across the empty middle.
  const Index N = 60;
  Random random(17);
  Matrix P(3, N), X(2, N);
  for (Index i = 0; i < N; ++i) {
    const double t = 2 * std::acos(-1.0) * static_cast<double>(i) / N;
    X.col(i) = 2.0 * Eigen::Vector2d(std::cos(t), std::sin(t));
    P.col(i) = Eigen::Vector3d(std::cos(t), std::sin(t), 0.3 * std::sin(2 * t)) + 0.01 * random.normals(3);
  }
  Model::Parts parts;
  parts.manifold = parse_manifold("euclidean:3");
  parts.latent = LatentSpace::plain(2);
  parts.base = Vector::Zero(3);
  parts.P = P;
  parts.X = X;
  parts.theta = Eigen::Vector2d(0, std::log(0.7));
  parts.noise = 1e-4;
  const Model model(parts);
  const LatentGeodesic path = latent_geodesic(model, X.col(0), X.col(N / 3), 12);
  EXPECT_LT(path.length, path.straight_length);
  EXPECT_EQ(path.nodes.col(0), X.col(0));
  EXPECT_EQ(path.nodes.col(11), X.col(N / 3));
  // The middle is nearer to the ring (radius 2) than the chord's middle, which is at radius 1.
  EXPECT_GT(path.nodes.col(6).norm(), 1.3);
  EXPECT_THROW(latent_geodesic(model, X.col(0), X.col(1), 2), Error);
}

TEST(Baselines, LiveWhereTheyShould) {
  for (const char* spec : {"sphere:2", "spd:3", "kendall:6"}) {
    const ManifoldPtr manifold = parse_manifold(spec);
    const Matrix P = sheet(*manifold, 50, 0.05, 14);
    FitOptions options;
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
