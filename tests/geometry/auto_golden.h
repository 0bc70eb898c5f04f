// Runs one golden group "auto.*": the values of every operation at a pair of points, with ambient tangent vectors.
#pragma once

#include <Eigen/Eigenvalues>
#include <functional>

#include "golden.h"
#include "wgp/manifold.h"

namespace wgp::test {

// to_rows maps the group's point and tangent storage to the manifold's (identity unless they differ). Tangent vectors
// at q are at the representative that exp returns; the group's representative must be the same one.
inline void check_auto_group(
    const std::string& id, const Manifold& manifold,
    const std::function<Vector(const Vector&)>& to_rows = [](const Vector& x) { return x; }) {
  SCOPED_TRACE(id);
  const auto& group = golden(id);
  const auto& out = group.at("outputs");
  const double rtol = group.at("rtol").get<double>();
  const auto input = [&](const char* name) { return to_rows(column(group.at("inputs").at(name))); };
  const auto output = [&](const char* name) { return to_rows(column(out.at(name))); };

  const auto space = manifold.at(input("p"));
  const Vector q = input("q");
  const Vector v = log_coords(*space, q), w = space->to_coords(input("w"));
  EXPECT_TRUE(close(space->distance(q)[0], out.at("dist").get<double>(), rtol)) << "dist";
  EXPECT_TRUE(close(space->to_ambient(v), output("log"), rtol)) << "log";
  EXPECT_TRUE(close(exp_point(*space, v), output("exp_log"), rtol)) << "exp_log";
  EXPECT_TRUE(close(w.squaredNorm(), out.at("inner_ww").get<double>(), rtol)) << "inner_ww";
  EXPECT_TRUE(close(v.dot(w), out.at("inner_vw").get<double>(), rtol)) << "inner_vw";
  EXPECT_TRUE(close(space->transport(v, w), output("pt_w"), rtol)) << "pt_w";
  const auto fields = space->jacobi(v);
  EXPECT_NEAR(fields->log_det(), out.at("logdet").get<double>(),
              rtol * std::max(1.0, std::abs(out.at("logdet").get<double>())))
      << "logdet";
  EXPECT_TRUE(close(space->to_ambient(fields->dlog_base(w)), output("DpLog_w"), rtol)) << "DpLog_w";
  EXPECT_TRUE(close(space->transport(v, fields->dexp(w)), output("dExp_w"), rtol)) << "dExp_w";
  if (out.contains("dExp_basepoint_w")) {
    EXPECT_TRUE(close(space->transport(v, fields->dexp_base(w)), output("dExp_basepoint_w"), rtol))
        << "dExp_basepoint_w";
  }
  if (out.contains("lambda_sorted")) {
    const auto* symmetric = dynamic_cast<const SymmetricJacobiFields*>(fields.get());
    ASSERT_NE(symmetric, nullptr);
    const Index d = manifold.dim();
    const Matrix operator_matrix = symmetric->apply([](double lambda) { return lambda; }, Matrix::Identity(d, d));
    const Vector spectrum = Eigen::SelfAdjointEigenSolver<Matrix>(operator_matrix).eigenvalues();
    Vector expected = column(out.at("lambda_sorted"));
    std::sort(expected.begin(), expected.end());
    EXPECT_LE((spectrum - expected).norm(), 1e-11 * std::max(1.0, expected.norm())) << "lambda_sorted";
  }
}

}  // namespace wgp::test
