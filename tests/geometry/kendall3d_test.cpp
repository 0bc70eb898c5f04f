#include <cmath>
#include <numbers>

#include "geometry/auto_golden.h"
#include "geometry/factories.h"
#include "golden.h"
#include "linalg/rotation3.h"
#include "wgp/testing.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

// The golden vectors are 3 x (k-1) in Helmert coordinates, row by row; Z H gives centred landmarks, x1 y1 z1 x2 ...
Vector from_helmert(const Vector& rows) {
  const Index m = rows.size() / 3;
  Matrix H = Matrix::Zero(m, m + 1);
  for (Index j = 1; j <= m; ++j) {
    const double scale = 1 / std::sqrt(static_cast<double>(j * (j + 1)));
    H.row(j - 1).head(j).setConstant(-scale);
    H(j - 1, j) = static_cast<double>(j) * scale;
  }
  const Matrix landmarks = rows.reshaped<Eigen::RowMajor>(3, m) * H;
  return landmarks.reshaped();
}

Vector from_landmark_rows(const Vector& rows) {
  const Matrix landmarks = rows.reshaped<Eigen::RowMajor>(3, rows.size() / 3);
  return landmarks.reshaped();
}

void expect_sound(const Manifold& manifold, const CheckOptions& options = {}) {
  for (const CheckFailure& failure : check_manifold(manifold, options))
    ADD_FAILURE() << failure.property << ": " << failure.message;
}

TEST(Kendall3d, Golden) {
  const auto& group = golden("kendall3d.k5");
  const auto& out = group.at("outputs");
  const double rtol = group.at("rtol").get<double>();
  const ManifoldPtr manifold = make_kendall3d(5);
  const Vector p = manifold->project(from_landmark_rows(column(group.at("inputs").at("landmarks_p"))));
  const Vector q = manifold->project(from_landmark_rows(column(group.at("inputs").at("landmarks_q"))));
  EXPECT_TRUE(close(p, from_helmert(column(out.at("Z"))), rtol));
  EXPECT_TRUE(close(q, from_helmert(column(out.at("W"))), rtol));
  const auto space = manifold->at(p);
  Matrix v(manifold->dim(), 1);
  const LogReport report = space->log(q, v);
  const Vector singular = column(out.at("pseudo_singular_values"));
  EXPECT_NEAR(report.margin[0], singular[1] + singular[2], rtol);
  EXPECT_TRUE(close(space->distance(q)[0], out.at("dist").get<double>(), rtol));
  EXPECT_TRUE(close(space->to_ambient(v), from_helmert(column(out.at("log"))), rtol));
  EXPECT_TRUE(close(exp_point(*space, v.col(0)), from_helmert(column(out.at("W_aligned"))), rtol));
  const Matrix x = space->to_coords(from_helmert(column(group.at("inputs").at("x_ambient"))));
  EXPECT_TRUE(close(space->to_ambient(x), from_helmert(column(out.at("x_horizontal"))), rtol));
  EXPECT_TRUE(close(space->transport(v.col(0), x), from_helmert(column(out.at("pt_x"))), rtol));
  EXPECT_TRUE(close(space->jacobi(v.col(0))->log_det(), out.at("logdet").get<double>(), rtol));
}

TEST(Kendall3d, AutoGolden) { test::check_auto_group("auto.kendall3d_k6.0", *make_kendall3d(6), from_helmert); }

TEST(Kendall3d, Properties) {
  CheckOptions options;
  options.draws = 3;
  for (const Index k : {4, 6, 9}) expect_sound(*make_kendall3d(k), options);
}

TEST(Kendall3d, ReflectionsAreDifferentShapes) {
  const ManifoldPtr manifold = make_kendall3d(5);
  Random random(1);
  const Vector p = manifold->random_point(random);
  Vector mirrored = p;
  for (Index i = 0; i < p.size(); i += 3) mirrored[i] = -mirrored[i];
  EXPECT_GT(distance(*manifold, p, mirrored), 1e-2);
  Matrix turned = rodrigues(random.normals(3)) * p.reshaped(3, 5);
  turned.colwise() += Vector(random.normals(3));
  EXPECT_LT(distance(*manifold, p, manifold->project(2.5 * turned.reshaped())), 1e-14);
}

// The injectivity radius is a proved bound: the log must return every shorter vector, for flat shapes too.
TEST(Kendall3d, LogInvertsExpUpToTheInjectivityRadius) {
  const ManifoldPtr manifold = make_kendall3d(6);
  Random random(2);
  for (const double thickness : {1.0, 0.1, 0.0}) {
    for (int draw = 0; draw < 20; ++draw) {
      Vector p = random.normals(18);
      for (Index i = 2; i < 18; i += 3) p[i] *= thickness;
      const auto space = manifold->at(p);
      const Vector v = 0.999 * space->injectivity_radius() * random.normals(manifold->dim()).normalized();
      EXPECT_TRUE(close(log_coords(*space, exp_point(*space, v)), v, 1e-11));
    }
  }
}

TEST(Kendall3d, PreimagesReachThePoint) {
  const ManifoldPtr manifold = make_kendall3d(5);
  Random random(4);
  const auto space = manifold->at(manifold->random_point(random));
  const Vector q = manifold->random_point(random);
  const Preimages all = space->preimages(q, 3 * std::numbers::pi);
  EXPECT_TRUE(all.complete);
  EXPECT_TRUE(all.countable);
  // Four arcs, each also backwards around the circle and forwards past it; some of the latter exceed 3 pi.
  EXPECT_GE(all.coords.cols(), 8);
  EXPECT_LE(all.coords.cols(), 12);
  for (Index i = 0; i < all.coords.cols(); ++i) {
    EXPECT_LT(distance(*manifold, q, exp_point(*space, all.coords.col(i))), 1e-13);
    for (Index j = 0; j < i; ++j) EXPECT_GT((all.coords.col(i) - all.coords.col(j)).norm(), 1e-3);
  }
  // A shape returns to itself by half turns about its principal axes too.
  const Preimages loops = space->preimages(space->base(), 3.14159);
  EXPECT_EQ(loops.coords.cols(), 4);
  EXPECT_FALSE(space->preimages(space->base(), 7).countable);
}

TEST(Kendall3d, DefectsAndMisuse) {
  const ManifoldPtr manifold = make_kendall3d(4);
  Vector line(12);
  for (Index i = 0; i < 4; ++i)
    line.segment(3 * i, 3) << static_cast<double>(i * i), 2.0 * static_cast<double>(i * i), 1;
  EXPECT_NE(manifold->defect(line).value_or("").find("collinear"), std::string::npos);
  EXPECT_NE(manifold->defect(Vector::Ones(12)).value_or("").find("coincide"), std::string::npos);
  EXPECT_THROW(manifold->at(line), Error);
  EXPECT_THROW(manifold->project(Vector::Ones(12)), Error);
  EXPECT_THROW(make_kendall3d(2), Error);
  try {
    make_kendall3d(3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("kendall:3"), std::string::npos);
  }
}

}  // namespace
}  // namespace wgp
