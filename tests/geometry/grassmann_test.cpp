// Subspaces: golden values, all shapes of the coordinate block, near and right angles, preimages.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "auto_golden.h"
#include "geometry/factories.h"
#include "golden.h"
#include "linalg/householder.h"
#include "linalg/row_major.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

constexpr double pi = std::numbers::pi;

struct Shape {
  Index n, p;
};
constexpr Shape shapes[] = {{2, 1}, {3, 1}, {4, 2}, {5, 2}, {5, 3}, {6, 5}, {7, 3}};

std::string name(Shape shape) { return "grassmann:" + std::to_string(shape.n) + "x" + std::to_string(shape.p); }

Vector flat(const Matrix& A) { return Vector(A.transpose().reshaped()); }

// Coordinates whose principal angles are given, with random principal vectors.
Vector coords_with_angles(Random& random, Shape shape, const Vector& angles) {
  const Index rows = shape.n - shape.p, count = std::min(rows, shape.p);
  const Matrix U = random_orthogonal(random, rows), V = random_orthogonal(random, shape.p);
  return flat(U.leftCols(count) * angles.asDiagonal() * V.leftCols(count).transpose());
}
Vector spread_angles(Shape shape, double largest, double smallest) {
  Vector angles = Vector::LinSpaced(std::min(shape.p, shape.n - shape.p), largest, smallest);
  angles[0] = largest;
  return angles;
}

TEST(Grassmann, Golden) {
  const auto& group = golden("grassmann.5_2");
  const auto& out = group.at("outputs");
  const double rtol = group.at("rtol").get<double>();
  const auto manifold = make_grassmann(5, 2);
  const auto space = manifold->at(column(group.at("inputs").at("Y")));
  const Vector Z = column(group.at("inputs").at("Z")), v = log_coords(*space, Z);
  EXPECT_TRUE(close(space->to_ambient(v), column(out.at("log")), rtol));
  EXPECT_TRUE(close(space->distance(Z)[0], out.at("dist").get<double>(), rtol));
  const Vector angles = Eigen::JacobiSVD<Matrix>(as_matrix(v, 3, 2)).singularValues();
  EXPECT_TRUE(close(angles, column(out.at("principal_angles")), rtol));
  EXPECT_TRUE(close(space->jacobi(v)->log_det(), out.at("logdet").get<double>(), rtol));
  const Vector W = space->to_coords(column(group.at("inputs").at("W")));
  EXPECT_TRUE(close(space->transport(v, W), column(out.at("pt_W")), rtol));
  const Vector end = exp_point(*space, v);
  const auto E = as_matrix(end, 5, 2);
  EXPECT_TRUE(close(flat(E * E.transpose()), column(out.at("exp_log_projector")), rtol));
}

TEST(Grassmann, GoldenOperations) {
  test::check_auto_group("auto.gr4_2.0", *make_grassmann(4, 2));
  test::check_auto_group("auto.gr7_3.0", *make_grassmann(7, 3));
}

TEST(Grassmann, TheBasisDoesNotMatter) {
  Random random(1);
  for (const Shape shape : shapes) {
    SCOPED_TRACE(name(shape));
    const auto manifold = make_grassmann(shape.n, shape.p);
    const Vector p = manifold->random_point(random), q = manifold->random_point(random);
    const Matrix turn = random_orthogonal(random, shape.p);
    const Vector q_turned = flat(as_matrix(q, shape.n, shape.p) * turn);
    const auto space = manifold->at(p);
    EXPECT_TRUE(close(log_coords(*space, q_turned), log_coords(*space, q), 1e-13));
    EXPECT_TRUE(close(distance(*manifold, p, q_turned), distance(*manifold, p, q), 1e-14));
    EXPECT_LE(distance(*manifold, q, q_turned), 1e-14);
  }
}

// A subspace and its complement are at the distances of the complements.
TEST(Grassmann, AgreesWithTheComplement) {
  Random random(2);
  const Matrix A = random_orthogonal(random, 7), B = random_orthogonal(random, 7);
  EXPECT_TRUE(close(distance(*make_grassmann(7, 5), flat(A.leftCols(5)), flat(B.leftCols(5))),
                    distance(*make_grassmann(7, 2), flat(A.rightCols(2)), flat(B.rightCols(2))), 1e-14));
}

TEST(Grassmann, TinyAndNearRightAngles) {
  Random random(3);
  for (const Shape shape : shapes) {
    const auto manifold = make_grassmann(shape.n, shape.p);
    const auto space = manifold->at(flat(Matrix::Identity(shape.n, shape.p)));
    for (const double largest : {1e-9, 1e-5, 0.7, pi / 2 - 1e-6, pi / 2 - 1e-9}) {
      SCOPED_TRACE(name(shape) + ", largest angle " + std::to_string(largest));
      const Vector v = coords_with_angles(random, shape, spread_angles(shape, largest, 0.4 * largest));
      const Vector q = exp_point(*space, v);
      Matrix back(manifold->dim(), 1);
      const LogReport report = space->log(q, back);
      EXPECT_TRUE(close(back, v, largest < 1e-4 ? 1e-7 : 2e-14));
      EXPECT_TRUE(close(space->distance(q)[0], v.norm(), largest < 1e-4 ? 1e-7 : 1e-14));
      EXPECT_NEAR(report.margin[0], pi / 2 - largest, largest < 1e-4 ? largest : 5e-15);
      EXPECT_EQ(report.status[0], pi / 2 - largest < 5e-7 * pi ? LogStatus::near_cut : LogStatus::ok);
    }
  }
}

TEST(Grassmann, RightAnglesAreChosenByRule) {
  const auto manifold = make_grassmann(5, 2);
  const auto space = manifold->at(flat(Matrix::Identity(5, 2)));
  for (const Index right : {1, 2}) {
    Matrix Z = Matrix::Identity(5, 2);
    for (Index i = 0; i < right; ++i) Z.col(i) = Vector::Unit(5, 3 + i);
    for (const double sign : {1.0, -1.0}) {
      Matrix v(6, 1);
      const LogReport report = space->log(flat(sign * Z), v);
      EXPECT_EQ(report.status[0], LogStatus::cut_locus);
      EXPECT_NEAR(v.norm(), pi / 2 * std::sqrt(static_cast<double>(right)), 1e-15);
      EXPECT_GE(v.minCoeff(), -1e-15);
      EXPECT_LE(distance(*manifold, exp_point(*space, v), flat(Z)), 1e-15);
      EXPECT_EQ(space->preimages(flat(Z), 3).countable, right == 1);
    }
  }
}

// The Jacobi operator through the closed form, against the curvature tensor.
TEST(Grassmann, JacobiOperatorIsTheCurvature) {
  Random random(4);
  for (const Shape shape : shapes) {
    SCOPED_TRACE(name(shape));
    const auto manifold = make_grassmann(shape.n, shape.p);
    const auto space = manifold->at(manifold->random_point(random));
    const Index d = manifold->dim();
    // Generic, of rank one, with equal angles, zero.
    const Index count = std::min(shape.p, shape.n - shape.p);
    for (const Vector& angles : {spread_angles(shape, 0.9, 0.2), Vector(0.8 * Vector::Unit(count, 0)),
                                 Vector(Vector::Constant(count, 0.6)), Vector(Vector::Zero(count))}) {
      const Vector v = coords_with_angles(random, shape, angles);
      const auto fields = space->jacobi(v);
      const auto& symmetric = dynamic_cast<const SymmetricJacobiFields&>(*fields);
      const Matrix closed = symmetric.apply([](double lambda) { return lambda; }, Matrix::Identity(d, d));
      Matrix direct(d, d);
      for (Index i = 0; i < d; ++i) direct.col(i) = *space->curvature(Vector::Unit(d, i), v, v);
      EXPECT_LE((closed - direct).norm(), 1e-13);
      const Matrix J0 = fields->dexp(Matrix::Identity(d, d));
      EXPECT_NEAR(fields->log_det(), std::log(std::abs(J0.determinant())), 1e-13);
      Vector slope(d);
      const double h = 1e-5;
      for (Index i = 0; i < d; ++i)
        slope[i] = (space->jacobi(v + h * Vector::Unit(d, i))->log_det() -
                    space->jacobi(v - h * Vector::Unit(d, i))->log_det()) /
                   (2 * h);
      EXPECT_LE((fields->log_det_gradient() - slope).norm(), 1e-8);
    }
  }
}

TEST(Grassmann, PreimagesAllLeadToThePoint) {
  Random random(5);
  for (const Shape shape : shapes) {
    SCOPED_TRACE(name(shape));
    const auto manifold = make_grassmann(shape.n, shape.p);
    const auto space = manifold->at(manifold->random_point(random));
    const Vector q = manifold->random_point(random);
    const Preimages found = space->preimages(q, 5);
    ASSERT_TRUE(found.countable);
    EXPECT_TRUE(found.complete);
    EXPECT_GE(found.coords.cols(), 3);
    EXPECT_TRUE(close(found.coords.col(0), log_coords(*space, q), 1e-14));
    for (Index k = 0; k < found.coords.cols(); ++k) {
      const Vector v = found.coords.col(k);
      EXPECT_LE(distance(*manifold, exp_point(*space, v), q), 1e-13);
      EXPECT_LE(v.norm(), 5);
      EXPECT_NEAR(found.log_abs_det[k], space->jacobi(v)->log_det(), 1e-9);
    }
  }
  // Lines in the plane: a circle of length pi, all preimages countable, also of the point itself.
  const auto lines = make_grassmann(2, 1);
  const Vector p = Vector::Unit(2, 0);
  EXPECT_EQ(lines->at(p)->preimages(p, 7).coords.cols(), 5);
  const auto planes = make_grassmann(4, 2);
  const Vector base = flat(Matrix::Identity(4, 2));
  EXPECT_TRUE(planes->at(base)->preimages(base, 3.1).countable);
  EXPECT_FALSE(planes->at(base)->preimages(base, 3.2).countable);
}

TEST(Grassmann, DefectsAndProjection) {
  const auto manifold = make_grassmann(3, 2);
  Matrix Y = Matrix::Identity(3, 2);
  EXPECT_FALSE(manifold->defect(flat(Y)).has_value());
  Y(0, 1) = 0.1;
  ASSERT_TRUE(manifold->defect(flat(Y)).has_value());
  EXPECT_LE(distance(*manifold, manifold->project(flat(Y)), flat(Matrix::Identity(3, 2))), 1e-15);
  Y.col(1) = Y.col(0);
  EXPECT_THROW(manifold->project(flat(Y)), Error);
  EXPECT_THROW(make_grassmann(3, 0), Error);
  EXPECT_THROW(make_grassmann(3, 3), Error);
  EXPECT_EQ(manifold->spec(), "grassmann:3x2");
}

TEST(Grassmann, MeanStartIsTheLeadingSubspace) {
  Random random(6);
  const auto manifold = make_grassmann(6, 2);
  const Vector p = manifold->random_point(random);
  const auto space = manifold->at(p);
  const Vector v = 0.3 * random.normals(8).normalized();
  Matrix points(12, 2);
  points.col(0) = exp_point(*space, v);
  points.col(1) = exp_point(*space, -v);
  const auto start = manifold->mean_start(points, Vector::Constant(2, 0.5));
  ASSERT_TRUE(start.has_value());
  EXPECT_LE(distance(*manifold, *start, p), 1e-14);
}

}  // namespace
}  // namespace wgp
