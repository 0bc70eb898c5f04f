// SO(n) and SE(3): golden values, small and near-half turns, preimages, rows.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "auto_golden.h"
#include "geometry/factories.h"
#include "golden.h"
#include "linalg/row_major.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

constexpr double pi = std::numbers::pi;

Vector identity(Index n) { return Vector(Matrix::Identity(n, n).reshaped()); }
Index side(const Manifold& so) { return std::lround(std::sqrt(static_cast<double>(so.ambient_dim()))); }

// A random tangent vector whose rotation planes turn by the given angles.
Vector coords_with_angles(Random& random, const Manifold& so, const Vector& angles) {
  const Index n = side(so);
  Matrix Omega = Matrix::Zero(n, n);
  for (Index a = 0; a < angles.size(); ++a) {
    Omega(2 * a + 1, 2 * a) = angles[a];
    Omega(2 * a, 2 * a + 1) = -angles[a];
  }
  const Vector point = so.random_point(random);
  const Matrix W = as_matrix(point, n, n);
  Vector ambient(n * n);
  as_mutable_matrix(ambient, n, n) = W * Omega * W.transpose();
  return so.at(identity(n))->to_coords(ambient);
}

TEST(So3, GoldenRotations) {
  const auto so3 = make_so(3);
  const auto space = so3->at(identity(3));
  for (const char* id : {"so3.generic", "so3.tiny", "so3.near_pi", "so3.pi"}) {
    SCOPED_TRACE(id);
    const auto& group = golden(id);
    const auto& out = group.at("outputs");
    const double rtol = group.at("rtol").get<double>();
    const Vector omega = column(group.at("inputs").at("omega")), R = column(out.at("R"));
    EXPECT_LE((exp_point(*space, omega) - R).norm(), 1e-15);
    EXPECT_TRUE(close(log_coords(*space, R), omega, std::string(id) == "so3.near_pi" ? 1e-7 : 1e-12));
    EXPECT_TRUE(close(space->distance(R)[0], out.at("angle").get<double>(), 1e-14));
    EXPECT_TRUE(close(space->jacobi(omega)->log_det(), out.at("logdet").get<double>(), 1e-12));
    // Exp(scale omega) is the same rotation, and the list of preimages holds scale omega.
    const Vector scales = column(out.at("preimages_scale").at("scale"));
    const Preimages found = space->preimages(R, 1.001 * scales.cwiseAbs().maxCoeff() * omega.norm());
    ASSERT_TRUE(found.countable);
    EXPECT_TRUE(found.complete);
    EXPECT_GE(found.coords.cols(), 3);
    for (const double scale : scales) {
      const Vector expected = scale * omega;
      const double nearest = (found.coords.colwise() - expected).colwise().norm().minCoeff();
      EXPECT_LE(nearest, rtol * expected.norm()) << "scale " << scale;
    }
  }
  Matrix coords(3, 1);
  EXPECT_EQ(space->log(column(golden("so3.pi").at("outputs").at("R")), coords).status[0], LogStatus::cut_locus);
  const LogReport near = space->log(column(golden("so3.near_pi").at("outputs").at("R")), coords);
  EXPECT_EQ(near.status[0], LogStatus::near_cut);
  EXPECT_NEAR(near.margin[0], 1e-8, 1e-15);
}

TEST(So3, GoldenTransport) {
  const auto& group = golden("so3.transport");
  const Vector omega = column(group.at("inputs").at("omega")), xi = column(group.at("inputs").at("xi"));
  const auto so3 = make_so(3);
  const auto space = so3->at(identity(3));
  const auto end = so3->at(exp_point(*space, omega));
  EXPECT_TRUE(close(end->to_coords(space->transport(omega, xi)),
                    column(group.at("outputs").at("xi_transported_left_triv")), 1e-13));
}

TEST(So4, Golden) {
  const auto& group = golden("so4");
  const auto& out = group.at("outputs");
  const double rtol = group.at("rtol").get<double>();
  const auto so4 = make_so(4);
  const auto space = so4->at(identity(4));
  const Vector v = space->to_coords(column(group.at("inputs").at("Omega"))), R = column(out.at("R"));
  EXPECT_TRUE(close(exp_point(*space, v), R, rtol));
  EXPECT_TRUE(close(log_coords(*space, R), v, rtol));
  EXPECT_TRUE(close(v.norm(), out.at("norm").get<double>(), rtol));
  EXPECT_TRUE(close(space->jacobi(v)->log_det(), out.at("logdet").get<double>(), rtol));
}

TEST(So, GoldenOperations) {
  for (const Index n : {3, 4, 5}) test::check_auto_group("auto.so" + std::to_string(n) + ".0", *make_so(n));
}

// SO(3) has its own arithmetic; it must agree with the general one, seen through SO(3) x 1 in SO(4).
TEST(So, ThreeInsideFour) {
  Random random(3);
  const auto so3 = make_so(3), so4 = make_so(4);
  const auto embed = [](const Vector& x) {
    Matrix big = Matrix::Identity(4, 4);
    big.topLeftCorner(3, 3) = as_matrix(x, 3, 3);
    return Vector(big.transpose().reshaped());
  };
  for (int i = 0; i < 20; ++i) {
    const Vector p = so3->random_point(random), q = so3->random_point(random);
    EXPECT_TRUE(close(distance(*so4, embed(p), embed(q)), distance(*so3, p, q), 1e-14));
    const auto space3 = so3->at(p), space4 = so4->at(embed(p));
    const Vector v3 = space3->to_ambient(log_coords(*space3, q)),
                 v4 = space4->to_ambient(log_coords(*space4, embed(q)));
    EXPECT_LE((as_matrix(v4, 4, 4).topLeftCorner(3, 3) - as_matrix(v3, 3, 3)).norm(), 1e-13);
  }
}

TEST(So, TinyAndNearHalfTurns) {
  Random random(4);
  for (const Index n : {2, 3, 4, 5, 7}) {
    const auto so = make_so(n);
    const auto space = so->at(identity(n));
    for (const double first : {1e-9, 1e-5, 1.0, 3.0, pi - 1e-6, pi - 1e-9}) {
      SCOPED_TRACE("so:" + std::to_string(n) + ", largest angle " + std::to_string(first));
      Vector angles = Vector::LinSpaced(n / 2, first, 0.3 * first);
      angles[0] = first;
      const Vector v = coords_with_angles(random, *so, angles);
      Vector end = exp_point(*space, v);
      Matrix back(so->dim(), 1);
      const LogReport report = space->log(end, back);
      // Across the half turn the direction is determined to eps / margin in the plane's orientation only, so that the
      // vector is as good as elsewhere.
      EXPECT_TRUE(close(back, v, first < 1e-4 ? 1e-14 : 4e-14));
      EXPECT_TRUE(close(space->distance(end)[0], v.norm(), 1e-14));
      EXPECT_NEAR(report.margin[0], pi - first, 1e-14);
      EXPECT_EQ(report.status[0], pi - first < 1e-6 * pi ? LogStatus::near_cut : LogStatus::ok);
    }
  }
}

TEST(So, PointsNearEachOther) {
  Random random(5);
  for (const Index n : {2, 3, 4, 5, 8}) {
    const auto so = make_so(n);
    const auto space = so->at(so->random_point(random));
    const Vector v = 1e-9 * random.normals(so->dim());
    EXPECT_TRUE(close(log_coords(*space, exp_point(*space, v)), v, 1e-6)) << "so:" << n;
  }
}

TEST(So, HalfTurnsAreChosenByRule) {
  for (const Index n : {2, 4, 5, 6}) {
    const auto so = make_so(n);
    const auto space = so->at(identity(n));
    for (Index pairs = 1; 2 * pairs <= n; ++pairs) {
      Matrix R = Matrix::Identity(n, n);
      R.topLeftCorner(2 * pairs, 2 * pairs) *= -1;
      const Vector q = R.reshaped();
      Matrix v(so->dim(), 1);
      const LogReport report = space->log(q, v);
      EXPECT_EQ(report.status[0], LogStatus::cut_locus);
      EXPECT_EQ(report.margin[0], 0);
      EXPECT_NEAR(v.norm(), pi * std::sqrt(static_cast<double>(pairs)), 1e-14);
      EXPECT_LE((exp_point(*space, v) - q).norm(), 1e-15 * static_cast<double>(n));
      for (const double entry : v.reshaped())
        if (std::abs(entry) > 1e-8) {
          EXPECT_GT(entry, 0);
          break;
        }
      EXPECT_EQ(space->preimages(q, 3.5).countable, pairs == 1);
    }
  }
}

// Permutation matrices are where QR iterations stall and eigenvalues coincide.
TEST(So, PermutationsHaveLogarithms) {
  for (const Index n : {4, 5, 6}) {
    const auto so = make_so(n);
    const auto space = so->at(identity(n));
    Eigen::VectorXi order = Eigen::VectorXi::LinSpaced(n, 0, static_cast<int>(n) - 1);
    do {
      Matrix P = Matrix::Zero(n, n);
      for (Index i = 0; i < n; ++i) P(i, order[i]) = 1;
      if (P.determinant() < 0) P.row(0) *= -1;
      const Vector q = P.transpose().reshaped();
      Matrix v(so->dim(), 1);
      const LogReport report = space->log(q, v);
      ASSERT_NE(report.status[0], LogStatus::not_converged) << P;
      ASSERT_LE((exp_point(*space, v) - q).norm(), 1e-14) << P;
      ASSERT_LE(v.norm(), pi * std::sqrt(static_cast<double>(n / 2)) + 1e-13) << P;
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

// Angles that nearly coincide, at both ends and in between: whatever planes are found, they must give the rotation
// back.
TEST(So, NearlyEqualAngles) {
  Random random(12);
  const double values[] = {0,      1e-12,         1e-9,      1,         1 + 1e-12, 1 + 1e-9, pi / 2, pi / 2 + 1e-12,
                           2.0944, 2.0944 + 1e-9, pi - 1e-9, pi - 2e-9, pi - 1e-12};
  for (const Index n : {4, 5, 6, 9})
    for (int draw = 0; draw < 300; ++draw) {
      const auto so = make_so(n);
      const auto space = so->at(draw % 2 == 0 ? identity(n) : so->random_point(random));
      Vector angles(n / 2);
      for (double& angle : angles) angle = values[random.below(std::size(values))];
      const Vector v = coords_with_angles(random, *so, angles), q = exp_point(*space, v), back = log_coords(*space, q);
      ASSERT_LE((exp_point(*space, back) - q).norm(), 5e-14) << "so:" << n << ", angles " << angles.transpose();
      ASSERT_NEAR(back.norm(), v.norm(), 5e-14) << "so:" << n << ", angles " << angles.transpose();
    }
}

TEST(So, PreimagesAllLeadToThePoint) {
  Random random(6);
  for (const Index n : {2, 3, 4, 5, 6}) {
    SCOPED_TRACE("so:" + std::to_string(n));
    const auto so = make_so(n);
    const auto space = so->at(so->random_point(random));
    const Vector q = so->random_point(random);
    const double radius = 9;
    const Preimages found = space->preimages(q, radius);
    ASSERT_TRUE(found.countable);
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(close(found.coords.col(0), log_coords(*space, q), 1e-14));
    Matrix ends(n * n, found.coords.cols());
    space->exp(found.coords, ends);
    for (Index k = 0; k < found.coords.cols(); ++k) {
      const Vector v = found.coords.col(k);
      EXPECT_LE((ends.col(k) - q).norm(), 1e-13);
      EXPECT_LE(v.norm(), radius);
      EXPECT_NEAR(found.log_abs_det[k], space->jacobi(v)->log_det(), 1e-9);
      EXPECT_GE(v.norm(), found.coords.col(std::max<Index>(k - 1, 0)).norm() - 1e-12);
    }
    // Every angle of every plane takes values theta + 2 pi k; count those within the radius by brute force.
    Index expected = 0;
    if (n == 4) {
      const Preimages all = space->preimages(q, 40);
      for (Index k = 0; k < all.coords.cols(); ++k) expected += all.coords.col(k).norm() <= radius;
      EXPECT_EQ(found.coords.cols(), expected);
      EXPECT_NEAR(static_cast<double>(all.coords.cols()), pi * 40 * 40 / (4 * pi * pi), 20);  // area over cell
    }
  }
}

TEST(So, PreimagesOfEqualAnglesAreAContinuum) {
  Random random(7);
  const auto so4 = make_so(4), so5 = make_so(5), so3 = make_so(3);
  const auto space = so4->at(identity(4));
  const Vector v = coords_with_angles(random, *so4, Vector::Constant(2, 1.0));
  const Vector q = exp_point(*space, v);
  // The continuum starts where one plane turns by 1 and the other by 1 - 2 pi.
  const double start = std::hypot(1.0, 2 * pi - 1);
  EXPECT_TRUE(space->preimages(q, start - 0.01).countable);
  EXPECT_FALSE(space->preimages(q, start + 0.01).countable);
  EXPECT_EQ(space->preimages(q, start + 0.01).coords.cols(), 1);
  EXPECT_TRUE(so3->at(identity(3))->preimages(identity(3), 6).countable);
  EXPECT_FALSE(so3->at(identity(3))->preimages(identity(3), 6.3).countable);
  const Vector one_plane = coords_with_angles(random, *so5, Vector::Unit(2, 0));
  const auto space5 = so5->at(identity(5));
  EXPECT_FALSE(space5->preimages(exp_point(*space5, one_plane), 6.4).countable);
  EXPECT_TRUE(space5->preimages(exp_point(*space5, one_plane), 6.3).countable);
}

TEST(So, PreimagesStopAtTheCap) {
  Random random(8);
  const auto so6 = make_so(6);
  const Preimages found = so6->at(identity(6))->preimages(so6->random_point(random), 100);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.coords.cols(), 10000);
}

// The Jacobi operator through the planes, against the curvature tensor; the determinant and its gradient.
TEST(So, JacobiOperatorIsTheCurvature) {
  Random random(13);
  for (const Index n : {2, 3, 4, 5, 7}) {
    SCOPED_TRACE("so:" + std::to_string(n));
    const auto so = make_so(n);
    const auto space = so->at(so->random_point(random));
    const Index d = so->dim(), planes = n / 2;
    for (const Vector& angles : {Vector(Vector::LinSpaced(planes, 0.4, 2.5)), Vector(Vector::Constant(planes, 0.7)),
                                 Vector(1.3 * Vector::Unit(planes, 0)), Vector(Vector::Zero(planes))}) {
      const Vector v = coords_with_angles(random, *so, angles);
      const auto fields = space->jacobi(v);
      const auto& symmetric = dynamic_cast<const SymmetricJacobiFields&>(*fields);
      const Matrix closed = symmetric.apply([](double lambda) { return lambda; }, Matrix::Identity(d, d));
      Matrix direct(d, d);
      for (Index i = 0; i < d; ++i) direct.col(i) = *space->curvature(Vector::Unit(d, i), v, v);
      EXPECT_LE((closed - direct).norm(), 1e-13);
      EXPECT_NEAR(fields->log_det(), std::log(std::abs(fields->dexp(Matrix::Identity(d, d)).determinant())), 1e-13);
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

TEST(So, MeanStartIsTheMiddle) {
  Random random(14);
  for (const Index n : {2, 3, 5}) {
    const auto so = make_so(n);
    const Vector p = so->random_point(random);
    const auto space = so->at(p);
    const Vector v = random.normals(so->dim()).normalized();
    Matrix points(n * n, 2);
    points.col(0) = exp_point(*space, v);
    points.col(1) = exp_point(*space, -v);
    const auto start = so->mean_start(points, Vector::Constant(2, 0.5));
    ASSERT_TRUE(start.has_value());
    EXPECT_LE(distance(*so, *start, p), 1e-14);
  }
  // Opposite rotations of the plane have no middle.
  Matrix opposite(4, 2);
  opposite << 1, -1, 0, 0, 0, 0, 1, -1;
  EXPECT_FALSE(make_so(2)->mean_start(opposite, Vector::Constant(2, 0.5)).has_value());
}

TEST(So, DefectsAndProjection) {
  const auto so3 = make_so(3);
  Vector R = identity(3);
  EXPECT_FALSE(so3->defect(R).has_value());
  R[0] = 1.1;
  EXPECT_EQ(so3->defect(R), "not orthogonal: |R'R - I| = 0.21");
  EXPECT_LE((so3->project(R) - identity(3)).norm(), 1e-15);
  R[0] = -1;
  EXPECT_EQ(so3->defect(R), "determinant -1: a reflection, not a rotation");
  EXPECT_THROW(so3->project(R), Error);
  EXPECT_THROW(so3->project(Vector::Zero(9)), Error);
  Random random(9);
  const Vector noisy = make_so(5)->project(random.normals(25));
  EXPECT_FALSE(make_so(5)->defect(noisy, 1e-14).has_value());
  EXPECT_THROW(make_so(1), Error);
  EXPECT_EQ(ambient_names(*make_so(3))[5], "r23");
}

TEST(So3, QuaternionRows) {
  Random random(10);
  const auto so3 = make_so(3);
  const auto form = row_forms(*so3)[1];
  ASSERT_EQ(form->width(), 4);
  for (int i = 0; i < 20; ++i) {
    Vector q = random.normals(4).normalized();
    const Vector point = form->to_point(q);
    EXPECT_FALSE(so3->defect(point, 1e-14).has_value());
    EXPECT_LE((form->to_point(-q) - point).norm(), 1e-15);
    EXPECT_LE((form->from_point(point) - (q[0] < 0 ? -1 : 1) * q).norm(), 1e-15);
    // The differential of to_point along the unit sphere, and its inverse.
    Vector dq = random.normals(4);
    dq -= q.dot(dq) * q;
    const double h = 1e-5;
    const Vector difference =
        (form->to_point((q + h * dq).normalized()) - form->to_point((q - h * dq).normalized())) / (2 * h);
    EXPECT_TRUE(close(form->to_tangent(q, dq), difference, 1e-8));
    EXPECT_TRUE(close(form->from_tangent(q, form->to_tangent(q, dq)), dq, 1e-14));
  }
  // 90 degrees about z takes x to y.
  const Vector quarter = form->to_point(Eigen::Vector4d(std::sqrt(0.5), 0, 0, std::sqrt(0.5)));
  EXPECT_NEAR(quarter[3], 1, 1e-15);
  EXPECT_LE(
      (form->from_point(form->to_point(Eigen::Vector4d(0, -0.6, 0.8, 0))) - Eigen::Vector4d(0, 0.6, -0.8, 0)).norm(),
      1e-15);
  EXPECT_THROW(form->to_point(Vector::Zero(4)), Error);
  EXPECT_THROW(form->to_point(Eigen::Vector4d(1, 0.1, 0, 0)), Error);
}

TEST(Se3, RowsOfThreeKinds) {
  Random random(11);
  const auto se3 = make_se3();
  EXPECT_EQ(se3->spec(), "se:3");
  EXPECT_EQ(se3->dim(), 6);
  const auto forms = row_forms(*se3);
  ASSERT_EQ(forms.size(), 3u);
  const Index widths[] = {12, 7, 16};
  const Vector p = se3->random_point(random);
  const auto space = se3->at(p);
  const Vector tangent = space->to_ambient(random.normals(6));
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(forms[k]->width(), widths[k]);
    const Vector row = forms[k]->from_point(p);
    EXPECT_TRUE(close(forms[k]->to_point(row), p, 1e-15));
    EXPECT_TRUE(close(forms[k]->to_tangent(row, forms[k]->from_tangent(row, tangent)), tangent, 1e-14));
  }
  Vector row = forms[2]->from_point(p);
  EXPECT_EQ(row[3], p[9]);
  row[13] = 0.5;
  EXPECT_THROW(forms[2]->to_point(row), Error);
}

TEST(Se3, DistancesAddInSquares) {
  const auto se3 = make_se3();
  Vector p = Vector::Zero(12), q = Vector::Zero(12);
  p[0] = p[4] = p[8] = 1;
  q << 0, -1, 0, 1, 0, 0, 0, 0, 1, 3, 0, 4;
  EXPECT_TRUE(close(distance(*se3, p, q), std::hypot(pi / 2, 5), 1e-15));
}

}  // namespace
}  // namespace wgp
