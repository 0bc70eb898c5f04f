#include <cmath>
#include <numbers>

#include "golden.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

// Points scattered about a random centre, more along some directions than others.
Matrix stretched(const Manifold& manifold, Index count, double sd, std::uint64_t seed = 1) {
  Random random(seed);
  const auto space = manifold.at(manifold.random_point(random));
  Matrix coords = sd * random.normals(manifold.dim(), count);
  for (Index j = 0; j < coords.rows(); ++j) coords.row(j) /= std::sqrt(1.0 + static_cast<double>(j));
  Matrix points(manifold.ambient_dim(), count);
  space->exp(coords, points);
  return points;
}

Matrix log_all(const Manifold& manifold, ConstVectorRef mean, ConstMatrixRef points) {
  Matrix coords(manifold.dim(), points.cols());
  manifold.at(mean)->log(points, coords);
  return coords;
}

TEST(TangentPga, GoldenSphere) {
  const auto& group = golden("frechet.S2");
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix points = column(group["inputs"]["points"]).reshaped(3, 5);
  const Vector mean = column(group["outputs"]["mean"]);
  const Pga pga = tangent_pga(*sphere, points, mean, 2);
  EXPECT_TRUE(close(pga.eigenvalues, column(group["outputs"]["tangent_pca_eigenvalues"]), 1e-13));
  EXPECT_TRUE(close(pga.total_variance, group["outputs"]["frechet_variance"].get<double>(), 1e-13));
  const Matrix directions = sphere->at(mean)->to_ambient(pga.directions).cwiseAbs();
  EXPECT_TRUE(close(directions.reshaped(), column(group["outputs"]["tangent_pca_abs_direction"]), 1e-12));
}

// One component at a time against the eigenvectors of the covariance, for N above and below d, in one block and
// several.
TEST(TangentPga, AgreesWithTheCovariance) {
  for (const auto& [spec, count] :
       {std::pair("sphere:5", 40), {"sphere:5", 3}, {"kendall:20", 25}, {"sphere:5", 3000}}) {
    SCOPED_TRACE(spec);
    const ManifoldPtr manifold = parse_manifold(spec);
    const Matrix points = stretched(*manifold, count, 0.2);
    const Vector mean = frechet_mean(*manifold, points).mean;
    const Matrix V = log_all(*manifold, mean, points);
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(V * V.transpose() / static_cast<double>(count));
    const Index q = std::min<Index>(3, count), d = manifold->dim();
    const Pga pga = tangent_pga(*manifold, points, mean, q);
    EXPECT_TRUE(close(pga.eigenvalues, solver.eigenvalues().reverse().head(q), 1e-11));
    EXPECT_TRUE(close(pga.directions.transpose() * pga.directions, Matrix::Identity(q, q), 1e-13));
    EXPECT_TRUE(close(pga.scores, pga.directions.transpose() * V, 1e-12));
    EXPECT_NEAR(pga.total_variance, V.squaredNorm() / static_cast<double>(count), 1e-12);
    EXPECT_NEAR(pga.residual, pga.total_variance - pga.projected_variance, 1e-12);
    for (Index j = 0; j < q; ++j) {
      if (pga.eigenvalues[j] < 1e-10 * pga.eigenvalues[0]) continue;  // any direction will do
      EXPECT_NEAR(std::abs(pga.directions.col(j).dot(solver.eigenvectors().col(d - 1 - j))), 1, 1e-9);
      EXPECT_GT(pga.directions.col(j).maxCoeff(), (1 - 1e-5) * -pga.directions.col(j).minCoeff());
    }
  }
}

TEST(TangentPga, KeepsSmallEigenvalues) {
  // Variances 1 and 1e-20: from the covariance matrix the second would be lost.
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  Random random(1);
  Matrix points = random.normals(2, 2500);
  points.row(1) *= 1e-10;
  const Matrix turn = Eigen::Rotation2Dd(0.3).toRotationMatrix();
  const Pga pga = tangent_pga(*plane, turn * points, Vector::Zero(2), 2);
  const double expected = points.row(1).squaredNorm() / 2500;
  EXPECT_NEAR(pga.eigenvalues[1] / expected, 1, 1e-2);
}

TEST(TangentPga, DoesNotCentre) {
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  Matrix points(2, 2);
  points << 3, 3, 0, 0;
  const Pga pga = tangent_pga(*plane, points, Vector::Zero(2), 1);
  EXPECT_NEAR(pga.eigenvalues[0], 9, 1e-14);
  EXPECT_EQ(pga.directions(0, 0), 1);
}

TEST(Pga, RejectsMisuse) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix points = stretched(*sphere, 5, 0.1);
  EXPECT_THROW(tangent_pga(*sphere, points, points.col(0), 3), Error);
  EXPECT_THROW(tangent_pga(*sphere, points, points.col(0), 0), Error);
  EXPECT_THROW(tangent_pga(*sphere, points.leftCols(1), points.col(0), 2), Error);
  EXPECT_THROW(tangent_pga(*sphere, Matrix(3, 0), points.col(0), 1), Error);
  EXPECT_THROW(exact_pga(*sphere, points, Vector::Ones(4), 1), Error);
  try {
    exact_pga(*parse_manifold("sphere:9"), stretched(*parse_manifold("sphere:9"), 4, 0.1), Vector(Vector::Unit(10, 0)),
              5);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1 to 4"), std::string::npos) << error.what();
  }
}

// On the sphere the nearest point of the geodesic subsphere is the normalised projection on span(mean, U).
double sphere_residual(const Manifold& sphere, ConstMatrixRef points, ConstVectorRef mean, const Matrix& U) {
  Matrix basis(points.rows(), U.cols() + 1);
  basis << mean, sphere.at(mean)->to_ambient(U);
  double sum = 0;
  for (Index i = 0; i < points.cols(); ++i) {
    const Vector nearest = (basis * (basis.transpose() * points.col(i))).normalized();
    sum += std::pow(distance(sphere, nearest, points.col(i)), 2);
  }
  return sum / static_cast<double>(points.cols());
}

TEST(ExactPga, SphereResidualIsExplicitAndMinimal) {
  const ManifoldPtr sphere = parse_manifold("sphere:3");
  const Matrix points = stretched(*sphere, 40, 0.5);
  const Vector mean = frechet_mean(*sphere, points).mean;
  for (const Index q : {1, 2}) {
    const Pga tangent = tangent_pga(*sphere, points, mean, q), exact = exact_pga(*sphere, points, mean, q);
    EXPECT_TRUE(exact.converged);
    EXPECT_NEAR(exact.residual, sphere_residual(*sphere, points, mean, exact.directions), 1e-13);
    EXPECT_LT(exact.residual, sphere_residual(*sphere, points, mean, tangent.directions));
    EXPECT_TRUE(close(exact.directions.transpose() * exact.directions, Matrix::Identity(q, q), 1e-13));
    Random random(4);
    for (int k = 0; k < 20; ++k) {
      const Matrix other = exact.directions + 1e-3 * random.normals(3, q);
      const Matrix Q = Eigen::HouseholderQR<Matrix>(other).householderQ() * Matrix::Identity(3, q);
      EXPECT_GE(sphere_residual(*sphere, points, mean, Q), exact.residual * (1 - 1e-8));
    }
  }
}

TEST(ExactPga, EveryManifold) {
  for (const char* spec : {"hyperbolic:3", "spd:3/affine-invariant", "kendall:6", "so:3", "grassmann:5x2",
                           "spd:2/bures-wasserstein", "sphere:2,euclidean:2"}) {
    SCOPED_TRACE(spec);
    const ManifoldPtr manifold = parse_manifold(spec);
    const Matrix points = stretched(*manifold, 25, 0.2);
    const Vector mean = frechet_mean(*manifold, points).mean;
    const Pga exact = exact_pga(*manifold, points, mean, 1);
    EXPECT_TRUE(exact.converged) << exact.iterations;
    // The scores are optimal and the residual is what they give.
    const auto space = manifold->at(mean);
    const auto residual = [&](const Matrix& directions, const Matrix& scores) {
      Matrix projections(points.rows(), points.cols());
      space->exp(directions * scores, projections);
      double sum = 0;
      for (Index i = 0; i < points.cols(); ++i)
        sum += std::pow(distance(*manifold, projections.col(i), points.col(i)), 2);
      return sum / static_cast<double>(points.cols());
    };
    EXPECT_NEAR(residual(exact.directions, exact.scores), exact.residual, 1e-12);
    EXPECT_GT(residual(exact.directions, exact.scores.array() + 1e-4), exact.residual);
    EXPECT_GT(residual(exact.directions, exact.scores.array() - 1e-4), exact.residual);
    const Pga tangent = tangent_pga(*manifold, points, mean, 1);
    EXPECT_LE(exact.residual, residual(tangent.directions, tangent.scores));
    EXPECT_NEAR(exact.projected_variance, exact.eigenvalues.sum(), 1e-10);
  }
}

TEST(ExactPga, EqualsTangentPgaWhereFlatOrComplete) {
  const ManifoldPtr flat = parse_manifold("spd:3");
  const Matrix points = stretched(*flat, 12, 0.5);
  const Vector mean = frechet_mean(*flat, points).mean;
  EXPECT_TRUE(
      close(exact_pga(*flat, points, mean, 2).directions, tangent_pga(*flat, points, mean, 2).directions, 1e-14));
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix data = stretched(*sphere, 12, 0.5);
  const Pga all = exact_pga(*sphere, data, frechet_mean(*sphere, data).mean, 2);
  EXPECT_LT(all.residual, 1e-20);
}

}  // namespace
}  // namespace wgp
