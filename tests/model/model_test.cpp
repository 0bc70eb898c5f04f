#include "wgp/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden.h"

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

}  // namespace
}  // namespace wgp
