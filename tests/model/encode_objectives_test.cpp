#include "model/encode_objectives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::columns;
using test::golden;

TEST(EncodeObjectives, DensityAndGradientAreTheGoldenOnes) {
  const auto& group = golden("gp.rbf_ard");
  const auto &in = group["inputs"], &out = group["outputs"];
  Model::Parts parts;
  parts.manifold = parse_manifold("euclidean:3");
  parts.lengths = LengthScales::per_dimension;
  parts.latent = LatentSpace::plain(2);
  parts.base = Vector::Zero(3);
  parts.P = columns(in["V"], 3);
  parts.X = columns(in["X"], 2);
  const Vector l = column(in["l"]);
  parts.theta.resize(3);
  parts.theta << std::log(in["sigma2"].get<double>()), l.array().log().matrix();
  parts.noise = in["noise2"];
  const Model model(std::move(parts));
  const Matrix points = columns(in["v_star"], 3);
  const EncodeValues values = density_objective(model, points, infinity)->at(columns(in["x_star"], 2), {0});
  EXPECT_TRUE(close(-values.f[0], out["encode_logpdf"].get<double>(), 1e-10));
  EXPECT_TRUE(close(Vector(-values.gradient.col(0)), column(out["encode_grad"]), 1e-9));
}

// A few points on the sphere with latents and parameters that nobody fitted.
Model sphere_model(bool moving = false) {
  Model::Parts parts;
  parts.manifold = parse_manifold("sphere:2");
  parts.latent = LatentSpace::plain(2);
  Random random(3);
  parts.X = random.normals(2, 12);
  parts.base = Eigen::Vector3d(0, 0, 1);
  parts.P.resize(3, 12);
  parts.manifold->at(parts.base)->exp(0.4 * parts.X + 0.1 * random.normals(2, 12), parts.P);
  parts.theta = Eigen::Vector2d(-1, 0);
  parts.noise = 0.02;
  if (moving) {
    parts.basepoint = BasepointKind::geodesic;
    parts.basis = linear_basis(parts.latent);
    parts.coefficients = 0.5 * Matrix::Identity(2, 2) + 0.1 * random.normals(2, 2);
  }
  return Model(std::move(parts));
}

// Of many candidates in few places most come from the table.
TEST(EncodeObjectives, ATableChangesNothing) {
  const Model model = sphere_model();
  Random random(9);
  const Matrix V = 0.3 * random.normals(2, 5), X = 0.8 * random.normals(2, 5000);
  Matrix points(3, 5);
  model.lift().wrap(Matrix(), V, points);
  std::vector<Index> owner;
  for (Index b = 0; b < X.cols(); ++b) owner.push_back(b % 5);
  for (const double limit : {infinity, 0.05}) {
    PredictionTable table(model.posterior(), 3);
    const auto with = density_objective(model, points, limit, &table);
    const auto without = density_objective(model, points, limit);
    with->at(X, owner);
    const EncodeValues found = with->at(X, owner), exact = without->at(X, owner);
    EXPECT_GT(table.interpolated_cells(), 3);
    for (Index b = 0; b < X.cols(); ++b) {
      EXPECT_NEAR(found.f[b], exact.f[b], 1e-8 * (1 + std::abs(exact.f[b])));
      EXPECT_LT((found.gradient.col(b) - exact.gradient.col(b)).norm(), 1e-7 * (1 + exact.gradient.col(b).norm()));
    }
  }
}

// Thousands of points go by the table, a hundred do not.
TEST(EncodeObjectives, ManyPointsAreEncodedAsFewAre) {
  const Model model = sphere_model();
  Random random(10);
  const Matrix points = model.sample(0.8 * random.normals(2, 1500), 1, random);
  const Encoding together = model.encode(points);
  int same = 0;
  for (Index first = 0; first < 1500; first += 100) {
    const Encoding few = model.encode(points.middleCols(first, 100));
    for (Index i = 0; i < 100; ++i) {
      const double difference = together.log_density[first + i] - few.log_density[i];
      EXPECT_GT(difference, -1e-4);
      same += std::abs(difference) < 1e-6 && (together.X.col(first + i) - few.X.col(i)).norm() < 1e-3;
    }
  }
  EXPECT_GE(same, 1480);
}

TEST(EncodeObjectives, GradientsAreDerivatives) {
  const Model model = sphere_model(), moving = sphere_model(true);
  Random random(4);
  const Matrix points = model.parts().P.leftCols(4);
  const Matrix X = 1.5 * random.normals(2, 4);
  const std::vector<Index> owner = {2, 0, 3, 1};
  // So that some are within the support and some are not.
  const double limit = 0.1 * model.posterior()->support_limit();
  std::vector<std::unique_ptr<const EncodeObjective>> objectives;
  objectives.push_back(density_objective(model, points, infinity));
  objectives.push_back(density_objective(model, points, limit));
  objectives.push_back(tangent_projection(model, points));
  objectives.push_back(manifold_projection(model, points));
  objectives.push_back(density_objective(moving, points, infinity));
  objectives.push_back(density_objective(moving, points, 0.1 * moving.posterior()->support_limit()));
  for (const auto& objective : objectives) {
    const Matrix gradient = objective->at(X, owner).gradient;
    for (Index j = 0; j < 2; ++j) {
      constexpr double h = 1e-5;
      Matrix above = X, below = X;
      above.row(j).array() += h;
      below.row(j).array() -= h;
      const Vector slope = (objective->at(above, owner).f - objective->at(below, owner).f) / (2 * h);
      for (Index i = 0; i < 4; ++i)
        EXPECT_NEAR(gradient(j, i), slope[i], 1e-6 * (1 + std::abs(slope[i]))) << "coordinate " << j << " of " << i;
    }
  }
}

// Per unit of volume, wherever the base point is.
TEST(EncodeObjectives, DensityIsThatOfTheModel) {
  Random random(4);
  for (const bool moving : {false, true}) {
    const Model model = sphere_model(moving);
    const Matrix points = model.parts().P.leftCols(4), X = random.normals(2, 4);
    const Vector f = density_objective(model, points, infinity)->at(X, {0, 1, 2, 3}).f;
    EXPECT_TRUE(close(-f, model.log_density(X, points), 1e-11)) << moving;
  }
}

TEST(EncodeObjectives, ThePenaltyBeginsWhereTheSupportEnds) {
  const Model model = sphere_model();
  const double limit = model.posterior()->support_limit();
  const Matrix points = model.parts().P.leftCols(1);
  const auto free = density_objective(model, points, infinity), bounded = density_objective(model, points, limit);
  const Matrix inside = model.parts().X.leftCols(1), outside = Eigen::Vector2d(9, 9);
  EXPECT_EQ(free->at(inside, {0}).f[0], bounded->at(inside, {0}).f[0]);
  EXPECT_GT(bounded->at(outside, {0}).f[0], free->at(outside, {0}).f[0] + 1);
}

// A signal a hundred thousand times the noise, and many latents within a length-scale: K^-1 has lost ten digits.
TEST(EncodeObjectives, DensityIsSmoothWhereTheCovarianceIsIllConditioned) {
  Model::Parts parts;
  parts.manifold = parse_manifold("euclidean:3");
  parts.latent = LatentSpace::plain(2);
  Random random(5);
  parts.X = random.normals(2, 200);
  parts.base = Vector::Zero(3);
  parts.P.resize(3, 200);
  for (Index i = 0; i < 200; ++i)
    parts.P.col(i) =
        Eigen::Vector3d(parts.X(0, i), parts.X(1, i), parts.X(0, i) * parts.X(1, i)) + 0.1 * random.normals(3, 1);
  parts.theta = Eigen::Vector2d(8.5, 0);
  parts.noise = 0.01;
  const Model model(std::move(parts));
  const Matrix points = model.parts().P.leftCols(1);
  const auto objective = density_objective(model, points, infinity);
  Matrix X = Eigen::Vector2d(0.2, -0.7).replicate(1, 41);
  for (Index k = 0; k < X.cols(); ++k) X(0, k) += 1e-9 * static_cast<double>(k - 20);
  const Vector f = objective->at(X, std::vector<Index>(41, 0)).f;
  EXPECT_LT(f.maxCoeff() - f.minCoeff(), 1e-6);
}

}  // namespace
}  // namespace wgp
