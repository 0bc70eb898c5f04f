#include <gtest/gtest.h>

#include "geometry/correlation_common.h"
#include "geometry/factories.h"
#include "geometry/spd_common.h"
#include "golden.h"
#include "wgp/row_form.h"
#include "wgp/testing.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

std::vector<ManifoldPtr> all_metrics(Index n) {
  return {make_correlation_off_log(n), make_correlation_log_cholesky(n)};
}

// phi(identity) = 0, so that Log at the identity is phi itself and Exp its inverse.
TEST(Correlation, Golden) {
  const auto& group = golden("corr.3");
  const auto& in = group.at("inputs");
  const auto& out = group.at("outputs");
  const Vector identity = as_column(Matrix::Identity(3, 3)), C = column(in.at("C"));
  const auto strict = [](const nlohmann::json& value) { return strict_lower(as_matrix(column(value), 3)); };
  const double rtol = 1e-14, sqrt2 = std::sqrt(2.0);

  const auto off_log = make_correlation_off_log(3)->at(identity);
  EXPECT_TRUE(close(log_coords(*off_log, C), sqrt2 * strict(out.at("offlog_phi")), rtol));
  EXPECT_TRUE(close(exp_point(*off_log, sqrt2 * strict(in.at("offlog_X"))), column(out.at("offlog_inverse")), rtol));

  const auto log_cholesky = make_correlation_log_cholesky(3)->at(identity);
  EXPECT_TRUE(close(log_coords(*log_cholesky, C), strict(out.at("lec_phi")), rtol));
  EXPECT_TRUE(close(exp_point(*log_cholesky, strict(in.at("lec_X"))), column(out.at("lec_inverse")), rtol));
}

TEST(Correlation, HasAllProperties) {
  for (const Index n : {2, 3, 5})
    for (const ManifoldPtr& manifold : all_metrics(n)) {
      SCOPED_TRACE(manifold->spec());
      for (const CheckFailure& failure : check_manifold(*manifold))
        ADD_FAILURE() << failure.property << "\n  " << failure.message;
    }
}

// The differentials of the chart and of its inverse, against fourth-order differences of Exp.
TEST(Correlation, AmbientTangentVectorsAreDerivatives) {
  Random random(1);
  for (const Index n : {2, 3, 5})
    for (const ManifoldPtr& manifold : all_metrics(n)) {
      SCOPED_TRACE(manifold->spec());
      const auto space = manifold->at(manifold->random_point(random));
      const Vector v = random.normals(manifold->dim());
      const double h = 1e-3;
      const auto at = [&](double t) { return exp_point(*space, t * v); };
      const Vector expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      const Vector V = space->to_ambient(v);
      EXPECT_TRUE(close(V, expected, 1e-9));
      EXPECT_TRUE(as_matrix(V, n).diagonal().isZero(0));
      EXPECT_TRUE(close(space->to_coords(V), v, 1e-12));
    }
}

TEST(Correlation, NearbyPointsKeepTheirDigits) {
  Random random(2);
  for (const Index n : {2, 3, 6})
    for (const ManifoldPtr& manifold : all_metrics(n)) {
      SCOPED_TRACE(manifold->spec());
      const Vector p = manifold->random_point(random);
      const auto space = manifold->at(p);
      const Vector q = p + 1e-9 * space->to_ambient(random.normals(manifold->dim()));
      const Vector expected = space->to_coords(q - p);
      EXPECT_TRUE(close(log_coords(*space, q), expected, 1e-7));
      EXPECT_EQ(distance(*manifold, p, p), 0);
    }
}

// Far out the fixed-point iteration has far to go; correlations there are up to 0.9999.
TEST(Correlation, FarPoints) {
  Random random(3);
  for (const ManifoldPtr& manifold : all_metrics(4)) {
    const auto space = manifold->at(manifold->random_point(random));
    for (int draw = 0; draw < 20; ++draw) {
      Vector v = random.normals(manifold->dim());
      v *= 5 / v.norm();
      const Vector q = exp_point(*space, v);
      ASSERT_FALSE(manifold->defect(q)) << *manifold->defect(q);
      EXPECT_TRUE(close(log_coords(*space, q), v, 1e-9)) << manifold->spec();
    }
  }
}

TEST(Correlation, DefectsAreNamed) {
  for (const ManifoldPtr& manifold : all_metrics(2)) {
    const auto defect = [&](double a, double b, double c, double d) {
      return manifold->defect(Eigen::Vector4d(a, b, c, d)).value_or("");
    };
    EXPECT_EQ(defect(1, 0.5, 0.5, 1), "");
    EXPECT_EQ(defect(1, 0.5, 0.5, 1.3), "diagonal entry (2,2) is 1.3, not 1");
    EXPECT_EQ(defect(1, 0.5, 0.4, 1), "not symmetric: entries (1,2) and (2,1) differ by 0.1");
    EXPECT_EQ(defect(1, 1.5, 1.5, 1), "not positive definite, smallest eigenvalue -0.5");
    EXPECT_TRUE(close(manifold->project(Eigen::Vector4d(4, 3, 3, 9)), Vector(Eigen::Vector4d(1, 0.5, 0.5, 1)), 1e-15));
    EXPECT_THROW(manifold->project(Vector::Zero(4)), Error);
  }
  EXPECT_THROW(make_correlation_off_log(1), Error);
  EXPECT_THROW(make_correlation_log_cholesky(1), Error);
}

TEST(Correlation, RowForms) {
  const auto forms = row_forms(*make_correlation_off_log(3));
  ASSERT_EQ(forms.size(), 2u);
  const Vector row = Eigen::Vector3d(0.1, 0.2, 0.3);
  Matrix C(3, 3);
  C << 1, 0.1, 0.2, 0.1, 1, 0.3, 0.2, 0.3, 1;
  EXPECT_EQ(forms[1]->to_point(row), as_column(C));
  EXPECT_EQ(forms[1]->from_point(as_column(C)), row);
  EXPECT_EQ(forms[1]->to_tangent(row, row), as_column(C - Matrix::Identity(3, 3)));
}

}  // namespace
}  // namespace wgp
