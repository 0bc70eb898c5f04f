#include <cmath>
#include <numbers>

#include "geometry/central_difference.h"
#include "geometry/factories.h"
#include "golden.h"
#include "wgp/testing.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

void expect_sound(const Manifold& manifold, const CheckOptions& options = {}) {
  for (const CheckFailure& failure : check_manifold(manifold, options))
    ADD_FAILURE() << failure.property << ": " << failure.message;
}

TEST(Stiefel, Golden) {
  const auto& group = golden("stiefel.5_2");
  const auto& out = group.at("outputs");
  const double rtol = group.at("rtol").get<double>();
  const auto space = make_stiefel(5, 2)->at(column(group.at("inputs").at("Y")));
  const Vector v = space->to_coords(column(group.at("inputs").at("Delta")));
  EXPECT_TRUE(close(v.norm(), out.at("norm").get<double>(), rtol));
  const Vector q = exp_point(*space, v);
  EXPECT_TRUE(close(q, column(out.at("exp")), rtol));
  EXPECT_TRUE(close(log_coords(*space, q), v, 1e-13));
  EXPECT_TRUE(close(space->jacobi(v)->log_det(), out.at("logdet").get<double>(), rtol));
}

TEST(Stiefel, Properties) {
  for (const auto& [n, p] : {std::pair<Index, Index>{2, 1}, {5, 1}, {3, 2}, {4, 2}, {5, 2}, {5, 3}, {6, 5}, {8, 3}}) {
    SCOPED_TRACE(make_stiefel(n, p)->spec());
    CheckOptions options;
    options.draws = 3;
    expect_sound(*make_stiefel(n, p), options);
  }
}

// p = 1 is the round sphere, whatever the distance.
TEST(Stiefel, OneColumnIsTheSphere) {
  const ManifoldPtr stiefel = make_stiefel(4, 1), sphere = make_sphere(3);
  Random random(3);
  for (int draw = 0; draw < 20; ++draw) {
    const Vector p = sphere->random_point(random), q = sphere->random_point(random);
    EXPECT_TRUE(close(distance(*stiefel, p, q), distance(*sphere, p, q), 1e-13));
    const auto a = stiefel->at(p), b = sphere->at(p);
    EXPECT_TRUE(close(a->to_ambient(log_coords(*a, q)), b->to_ambient(log_coords(*b, q)), 1e-11));
    EXPECT_NEAR(a->jacobi(log_coords(*a, q))->log_det(), b->jacobi(log_coords(*b, q))->log_det(), 1e-10);
  }
  const Vector p = Vector::Unit(4, 0);
  EXPECT_NEAR(distance(*stiefel, p, -p), std::numbers::pi, 1e-12);
  Matrix v(3, 1);
  EXPECT_EQ(stiefel->at(p)->log(-p, v).status[0], LogStatus::cut_locus);
}

// J0, J1 and transport against differences taken in the ambient space, far from v = 0 and with n > 2p.
TEST(Stiefel, JacobiFieldsByAmbientDifferences) {
  const ManifoldPtr manifold = make_stiefel(7, 2);
  Random random(5);
  const Vector p = manifold->random_point(random);
  const auto space = manifold->at(p);
  const Index d = manifold->dim();
  const Matrix I = Matrix::Identity(d, d);
  const Vector v = 2.5 * random.normals(d).normalized();
  const Matrix E = space->transport(v, I);
  const auto fields = space->jacobi(v);
  const Vector x = random.normals(d).normalized();
  const Vector moved_v = central_difference([&](double t) { return exp_point(*space, v + t * x); }, 1e-2);
  EXPECT_TRUE(close(E * fields->dexp(x), moved_v, 1e-11));
  const auto base_moved = [&](double t) {
    const auto moved = manifold->at(exp_point(*space, t * x));
    return exp_point(*moved, moved->to_coords(space->transport(t * x, v)));
  };
  EXPECT_TRUE(close(E * fields->dexp_base(x), central_difference(base_moved, 1e-2), 1e-11));
}

TEST(Stiefel, LogOfFarPoints) {
  const ManifoldPtr manifold = make_stiefel(6, 3);
  Random random(11);
  int converged = 0;
  for (int draw = 0; draw < 50; ++draw) {
    const auto space = manifold->at(manifold->random_point(random));
    const Vector q = manifold->random_point(random);
    Matrix v(manifold->dim(), 1);
    const LogReport report = space->log(q, v);
    EXPECT_GT(report.iterations, 0);
    if (report.status[0] == LogStatus::not_converged) continue;
    ++converged;
    EXPECT_LT((exp_point(*space, v.col(0)) - q).norm(), 1e-11);
  }
  EXPECT_GE(converged, 45);
}

// Inside the injectivity radius the geodesic found must be the one that was shot.
TEST(Stiefel, LogInvertsExpUpToTheInjectivityBound) {
  Random random(12);
  for (const auto& [n, p] : {std::pair<Index, Index>{4, 2}, {6, 3}, {10, 4}}) {
    const ManifoldPtr manifold = make_stiefel(n, p);
    for (int draw = 0; draw < 10; ++draw) {
      const auto space = manifold->at(manifold->random_point(random));
      const Vector v = 0.999 * manifold->injectivity_radius() * random.normals(manifold->dim()).normalized();
      EXPECT_TRUE(close(log_coords(*space, exp_point(*space, v)), v, 1e-10)) << manifold->spec();
    }
  }
}

TEST(Stiefel, MisuseIsRefused) {
  EXPECT_THROW(make_stiefel(3, 0), Error);
  EXPECT_THROW(make_stiefel(2, 3), Error);
  try {
    make_stiefel(3, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("so:3"), std::string::npos);
  }
  EXPECT_THROW(make_stiefel(3, 2)->project(Vector::Zero(6)), Error);
  EXPECT_TRUE(make_stiefel(3, 2)->defect(Vector::Ones(6)).has_value());
}

}  // namespace
}  // namespace wgp
