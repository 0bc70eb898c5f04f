#include <gtest/gtest.h>

#include "auto_golden.h"
#include "geometry/factories.h"
#include "geometry/spd_common.h"
#include "golden.h"
#include "linalg/small_symmetric.h"
#include "wgp/row_form.h"
#include "wgp/testing.h"

namespace wgp {
namespace {

using test::check_auto_group;
using test::close;
using test::column;
using test::golden;

Vector lower(const Vector& full, Index n) {
  Vector result(n * (n + 1) / 2);
  for (Index i = 0, e = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j, ++e) result[e] = full[i * n + j];
  return result;
}

void check_spd_group(const std::string& id, double rtol) {
  SCOPED_TRACE(id);
  const auto& group = golden(id);
  const auto& out = group.at("outputs");
  const Vector P = column(group.at("inputs").at("P")), Q = column(group.at("inputs").at("Q"));

  const auto log_euclidean = make_spd_log_euclidean(3);
  const auto& le = out.at("logeuclid");
  EXPECT_TRUE(
      close(log_coords(*log_euclidean->at(P), Q), vech_sqrt2(as_matrix(column(le.at("log_in_logdomain")), 3)), rtol));
  EXPECT_TRUE(close(distance(*log_euclidean, P, Q), le.at("dist").get<double>(), rtol));
  EXPECT_TRUE(close(*log_euclidean->log_volume_density(P), le.at("logvol_P").get<double>(), rtol));
  EXPECT_TRUE(close(as_column(spd_log(as_matrix(P, 3))), column(out.at("logP")), rtol));

  const auto affine = make_spd_affine_invariant(3);
  const auto& ai = out.at("affine");
  const auto space = affine->at(P);
  const Vector v = log_coords(*space, Q);
  EXPECT_TRUE(close(space->to_ambient(v), column(ai.at("log")), rtol));
  EXPECT_TRUE(close(v.norm(), ai.at("dist").get<double>(), rtol));
  EXPECT_TRUE(close(distance(*affine, P, Q), ai.at("dist").get<double>(), rtol));
  EXPECT_TRUE(close(space->jacobi(v)->log_det(), ai.at("logdet").get<double>(), rtol));
  EXPECT_TRUE(close(*affine->log_volume_density(P), ai.at("logvol_P").get<double>(), rtol));

  const auto log_cholesky = make_spd_log_cholesky(3);
  const auto& lc = out.at("logchol");
  EXPECT_TRUE(close(log_coords(*log_cholesky->at(P), Q), lower(column(lc.at("log_phi")), 3), rtol));
  EXPECT_TRUE(close(distance(*log_cholesky, P, Q), lc.at("dist").get<double>(), rtol));
  EXPECT_TRUE(close(*log_cholesky->log_volume_density(P), lc.at("logvol_P").get<double>(), rtol));
}

TEST(Spd, Golden) { check_spd_group("spd.SPD3", 1e-13); }
// The group allows 1e-6 (condition number 1e10); relative accuracy of the eigenvalues gives far more.
TEST(Spd, GoldenIllConditioned) { check_spd_group("spd.SPD3ill", 1e-12); }

TEST(Spd, GoldenTransport) {
  const auto& group = golden("spd.transport");
  const auto& out = group.at("outputs");
  const double rtol = group.at("rtol").get<double>();
  const Vector P = column(group.at("inputs").at("P")), Q = column(group.at("inputs").at("Q")),
               W = column(group.at("inputs").at("W"));

  const auto affine = make_spd_affine_invariant(3)->at(P);
  const Vector v = log_coords(*affine, Q), w = affine->to_coords(W);
  EXPECT_TRUE(close(affine->transport(v, w), column(out.at("affine_pt")), rtol));
  EXPECT_TRUE(close(w.squaredNorm(), out.at("affine_inner_WW").get<double>(), rtol));
  EXPECT_TRUE(close(affine->to_ambient(affine->jacobi(v)->dlog_base(w)), column(out.at("affine_DpLog_W")), rtol));

  const auto euclid = make_spd_log_euclidean(3)->at(P);
  const Vector a = euclid->to_coords(W);
  EXPECT_TRUE(close(a, vech_sqrt2(as_matrix(column(out.at("logeuclid_dlog_W")), 3)), rtol));
  EXPECT_TRUE(close(a.squaredNorm(), out.at("logeuclid_inner_WW").get<double>(), rtol));
  EXPECT_TRUE(close(euclid->transport(log_coords(*euclid, Q), a), column(out.at("logeuclid_pt")), rtol));
}

TEST(Spd, GoldenAuto) {
  for (const Index n : {2, 3, 4}) {
    for (int draw = 0;; ++draw) {
      const std::string id = "auto.spd" + std::to_string(n) + "_affine." + std::to_string(draw);
      try {
        golden(id);
      } catch (const Error&) {
        ASSERT_GT(draw, 0) << "no group " << id;
        break;
      }
      const auto with_metric = [&](const char* metric) {
        return "auto.spd" + std::to_string(n) + metric + std::to_string(draw);
      };
      check_auto_group(with_metric("_affine."), *make_spd_affine_invariant(n));
      check_auto_group(with_metric("_logeuclid."), *make_spd_log_euclidean(n));
      check_auto_group(with_metric("_logchol."), *make_spd_log_cholesky(n));
    }
  }
}

std::vector<ManifoldPtr> all_metrics(Index n) {
  return {make_spd_log_euclidean(n), make_spd_affine_invariant(n), make_spd_log_cholesky(n)};
}

TEST(Spd, HasAllProperties) {
  for (const Index n : {1, 2, 3, 5})
    for (const ManifoldPtr& manifold : all_metrics(n)) {
      SCOPED_TRACE(manifold->spec());
      for (const CheckFailure& failure : check_manifold(*manifold))
        ADD_FAILURE() << failure.property << "\n  " << failure.message;
    }
}

TEST(Spd, OneByOneIsTheLogarithm) {
  const Vector p = Vector::Constant(1, 2), q = Vector::Constant(1, 5);
  EXPECT_TRUE(close(distance(*make_spd_log_euclidean(1), p, q), std::log(2.5), 1e-15));
  EXPECT_TRUE(close(distance(*make_spd_affine_invariant(1), p, q), std::log(2.5), 1e-15));
  EXPECT_TRUE(close(distance(*make_spd_log_cholesky(1), p, q), std::log(2.5) / 2, 1e-15));
}

TEST(Spd, APointIsAtDistanceZeroOfItself) {
  Random random(1);
  for (const Index n : {2, 3, 7})
    for (const ManifoldPtr& manifold : all_metrics(n)) {
      const Vector p = manifold->random_point(random);
      EXPECT_EQ(distance(*manifold, p, p), 0) << manifold->spec();
      EXPECT_TRUE(log_coords(*manifold->at(p), p).isZero(0)) << manifold->spec();
    }
}

// q = p + 1e-9 V: to first order the coordinates are those of the tangent vector 1e-9 V, with q - p as it was rounded.
TEST(Spd, NearbyPointsKeepTheirDigits) {
  Random random(2);
  for (const Index n : {2, 3, 6})
    for (const ManifoldPtr& manifold : all_metrics(n)) {
      SCOPED_TRACE(manifold->spec());
      const Vector p = manifold->random_point(random);
      const auto space = manifold->at(p);
      const Vector q = p + 1e-9 * space->to_ambient(random.normals(manifold->dim()));
      const Vector expected = space->to_coords(q - p);
      EXPECT_TRUE(close(log_coords(*space, q), expected, 1e-7));
      EXPECT_TRUE(close(space->distance(q)[0], expected.norm(), 1e-7));
      EXPECT_TRUE(close(manifold->at(q)->distance(p)[0], expected.norm(), 1e-7));
    }
}

// The methods for near points and for all others must agree where one takes over from the other.
TEST(Spd, NearAndFarFormulasMeet) {
  Random random(3);
  for (const Index n : {2, 4})
    for (const ManifoldPtr& manifold : all_metrics(n)) {
      const Vector p = manifold->random_point(random);
      const auto space = manifold->at(p);
      Vector direction = random.normals(manifold->dim());
      direction /= direction.norm();
      for (double length = 1e-5; length < 1e-1; length *= 1.3) {
        const Vector v = length * direction;
        EXPECT_TRUE(close(log_coords(*space, exp_point(*space, v)), v, 3e-15 * 100 / length))
            << manifold->spec() << " " << length;
      }
    }
}

// D C D against D C' D: the affine-invariant distance does not see D, whatever the condition number.
TEST(Spd, AffineInvariantDistanceOfGradedMatrices) {
  Random random(4);
  for (const Index n : {3, 8}) {
    const auto manifold = make_spd_affine_invariant(n);
    const Matrix P = as_matrix(manifold->random_point(random), n), Q = as_matrix(manifold->random_point(random), n);
    Vector scale(n);
    for (Index i = 0; i < n; ++i)
      scale[i] = std::ldexp(1.0, static_cast<int>(-20 + 35 * i / (n - 1)));  // exact scaling
    const auto congruence = [&](const Matrix& A) { return as_column(scale.asDiagonal() * A * scale.asDiagonal()); };
    EXPECT_TRUE(close(distance(*manifold, congruence(P), congruence(Q)),
                      distance(*manifold, as_column(P), as_column(Q)), 1e-13));
  }
}

TEST(Spd, DefectsAreNamed) {
  const auto manifold = make_spd_log_euclidean(2);
  const auto defect = [&](double a, double b, double c, double d) {
    return manifold->defect(Eigen::Vector4d(a, b, c, d)).value_or("");
  };
  EXPECT_EQ(defect(2, 1, 1, 3), "");
  EXPECT_EQ(defect(2, 1, 1.003, 3), "not symmetric: entries (1,2) and (2,1) differ by 0.003");
  EXPECT_EQ(defect(1, 1.02, 1.02, 1), "not positive definite, smallest eigenvalue -0.02");
  EXPECT_EQ(defect(1e16, 1, 1, 1), "");
  EXPECT_NE(defect(1, 1, 1, 1).find("to working precision"), std::string::npos);
  EXPECT_NE(defect(std::nan(""), 1, 1, 1).find("finite"), std::string::npos);
}

TEST(Spd, ProjectionRepairs) {
  for (const ManifoldPtr& manifold : all_metrics(2)) {
    const Vector fixed = manifold->project(Eigen::Vector4d(1, 1.02, 1.02, 1));
    EXPECT_FALSE(manifold->defect(fixed)) << *manifold->defect(fixed);
    EXPECT_NEAR(fixed[0], 1.01, 1e-10);
    EXPECT_THROW(manifold->project(Vector::Zero(4)), Error);
    EXPECT_THROW(manifold->project(Vector::Constant(4, std::nan(""))), Error);
  }
  EXPECT_THROW(make_spd_log_euclidean(0), Error);
  EXPECT_THROW(make_spd_affine_invariant(0), Error);
  EXPECT_THROW(make_spd_log_cholesky(-1), Error);
}

TEST(Spd, WhatIsNotAPointIsReported) {
  for (const ManifoldPtr& manifold : all_metrics(2)) {
    const auto space = manifold->at(Eigen::Vector4d(1, 0, 0, 1));
    Matrix points(4, 2), coords(3, 2);
    points << 1, 2, 2, 0, 2, 0, 1, 3;
    const LogReport report = space->log(points, coords);
    EXPECT_EQ(report.status[0], LogStatus::outside_domain);
    EXPECT_EQ(report.status[1], LogStatus::ok);
    EXPECT_TRUE(coords.col(1).allFinite());
    Matrix far(4, 1);
    EXPECT_EQ(space->exp(Vector::Constant(3, 2000), far).outside_domain.size(), 1u);
  }
}

TEST(Spd, RowForms) {
  const auto forms = row_forms(*make_spd_log_euclidean(2));
  ASSERT_EQ(forms.size(), 2u);
  EXPECT_EQ(forms[1]->width(), 3);
  EXPECT_EQ(forms[1]->to_point(Eigen::Vector3d(2, 1, 3)), Vector(Eigen::Vector4d(2, 1, 1, 3)));
  EXPECT_EQ(forms[1]->from_point(Eigen::Vector4d(2, 1, 1, 3)), Vector(Eigen::Vector3d(2, 1, 3)));
  EXPECT_EQ(forms[1]->to_tangent(Eigen::Vector3d(2, 1, 3), Eigen::Vector3d(0, 4, 5)),
            Vector(Eigen::Vector4d(0, 4, 4, 5)));
  EXPECT_EQ(ambient_names(*make_spd_log_euclidean(2)), (std::vector<std::string>{"p11", "p12", "p21", "p22"}));
}

// The log-Euclidean mean has the determinant of the affine-invariant one.
TEST(Spd, MeanStart) {
  Random random(5);
  const auto manifold = make_spd_affine_invariant(3);
  Matrix points(9, 4);
  double log_det = 0;
  for (Index i = 0; i < 4; ++i) {
    points.col(i) = manifold->random_point(random);
    log_det += std::log(Matrix(as_matrix(points.col(i), 3)).determinant()) / 4;
  }
  const Vector start = manifold->mean_start(points, Vector::Constant(4, 0.25)).value();
  EXPECT_NEAR(std::log(Matrix(as_matrix(start, 3)).determinant()), log_det, 1e-13);
}

}  // namespace
}  // namespace wgp
