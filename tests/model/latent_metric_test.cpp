#include "wgp/latent_metric.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden.h"

namespace wgp {
namespace {

using test::close;
using test::columns;
using test::golden;

Model golden_sphere_model() {
  const auto& in = golden("pullback.S2")["inputs"];
  Model::Parts parts;
  parts.manifold = parse_manifold("sphere:2");
  parts.base = Eigen::Vector3d(0, 0, 1);
  parts.X = columns(in["x"], 1);
  const Matrix V = columns(in["V"], 2);
  parts.P.resize(3, V.cols());
  parts.manifold->at(parts.base)->exp(V, parts.P);
  parts.theta = Eigen::Vector2d(std::log(in["sigma2"].get<double>()), std::log(in["l"].get<double>()));
  parts.noise = in["noise2"];
  return Model(std::move(parts));
}

TEST(LatentMetric, PlugInIsTheGoldenOne) {
  const auto& group = golden("pullback.S2");
  const Vector x = Vector::Constant(1, group["inputs"]["x_star"].get<double>());
  EXPECT_TRUE(
      close(golden_sphere_model().latent_metric(x)(0, 0), group["outputs"]["metric_plugin"].get<double>(), 1e-6));
}

TEST(LatentMetric, ExpectationIsTheGoldenOne) {
  const auto& group = golden("pullback.S2");
  const Vector x = Vector::Constant(1, group["inputs"]["x_star"].get<double>());
  const Model model = golden_sphere_model();
  const double expected = group["outputs"]["metric_expected"].get<double>();
  EXPECT_TRUE(close(expected_latent_metric(model, x)(0, 0), expected, 1e-6));
  EXPECT_TRUE(close(magnification(model, x), std::sqrt(expected), 1e-6));
}

// Draws of whole functions, finely sampled: the mean squared speed of their images.
TEST(LatentMetric, ExpectationIsThatOfDrawnCurves) {
  const Model model = golden_sphere_model();
  constexpr double h = 1e-3;
  Matrix pair(1, 2);
  pair << 0.4 - h / 2, 0.4 + h / 2;
  Random random(2);
  constexpr Index draws = 20000;
  const Matrix points = model.sample(pair, draws, random, SampleOf::function, SampleHow::jointly);
  double sum = 0;
  for (Index s = 0; s < draws; ++s) sum += (points.col(2 * s) - points.col(2 * s + 1)).squaredNorm() / (h * h);
  EXPECT_NEAR(sum / draws, expected_latent_metric(model, Vector::Constant(1, 0.4))(0, 0), 0.01);
}

TEST(LatentMetric, FlatSpaceNeedsNoQuadrature) {
  Model::Parts parts;
  parts.manifold = parse_manifold("euclidean:3");
  Random random(1);
  parts.base = Vector::Zero(3);
  parts.latent = LatentSpace::plain(2);
  parts.X = random.normals(2, 9);
  parts.P = random.normals(3, 9);
  parts.theta = Eigen::Vector2d(0, 0);
  parts.noise = 0.1;
  const Model model(std::move(parts));
  const Eigen::Vector2d x(0.3, -0.2);
  EXPECT_EQ(expected_latent_metric(model, x), model.latent_metric(x));
}

TEST(MonteCarloMean, IsNearThePredictionAndOnTheManifold) {
  const Model model = golden_sphere_model();
  Random random(3);
  const Vector x = Vector::Constant(1, 0.4);
  const Vector mean = monte_carlo_mean(model, x, 4000, random);
  EXPECT_NEAR(mean.norm(), 1, 1e-12);
  EXPECT_LT((mean - model.predict(x).points.col(0)).norm(), 0.02);
}

}  // namespace
}  // namespace wgp
