// Evidences against numbers computed elsewhere, and the forms that they are built on.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "evidence/cosine_series.h"
#include "evidence/evidence.h"
#include "golden.h"
#include "linalg/cholesky.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::columns;
using test::golden;

TEST(Evidence, RbfArdGolden) {
  const auto& group = golden("gp.rbf_ard");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Matrix X = columns(in["X"], 2), V = columns(in["V"], 3);
  const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2), LengthScales::per_dimension);
  Vector theta(3);
  theta << std::log(in["sigma2"].get<double>()), column(in["l"]).array().log().matrix();
  const double noise = in["noise2"];
  const auto evidence = dense_evidence({kernel, LatentSpace::plain(2)});
  const Outputs outputs = Outputs::of(V);
  EXPECT_TRUE(close(evidence->value(Parameters::of(X, theta, noise), outputs), out["loglik"].get<double>(), 1e-11));
  EvidenceGradient gradient;
  evidence->gradient(gradient, ByOutputs::unwanted);
  EXPECT_TRUE(close(gradient.X, columns(out["grad_X"], 2), 1e-11));
  EXPECT_TRUE(close(gradient.theta[0], out["grad_log_sigma2"].get<double>(), 1e-11));
  EXPECT_TRUE(close(gradient.theta.tail(2), column(out["grad_log_l"]), 1e-11));
  EXPECT_TRUE(close(noise * gradient.noise, out["grad_log_noise2"].get<double>(), 1e-11));
}

TEST(Evidence, PeriodicGoldenInBothForms) {
  const auto& group = golden("gp.periodic");
  const auto &in = group["inputs"], &out = group["outputs"];
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  const Matrix t = columns(in["t"], 1), V = columns(in["V"], 3);
  const Vector theta = Eigen::Vector2d(std::log(in["sigma2"].get<double>()), std::log(in["l"].get<double>()));
  const double noise = in["noise2"];
  EXPECT_TRUE(close(kernel->cov(theta, t, t)(0, 1), out["K_01"].get<double>(), 1e-11));
  const auto evidence = dense_evidence({kernel, circle});
  const Outputs outputs = Outputs::of(V);
  EXPECT_TRUE(close(evidence->value(Parameters::of(t, theta, noise), outputs), out["loglik"].get<double>(), 1e-11));
  EvidenceGradient gradient;
  evidence->gradient(gradient, ByOutputs::unwanted);
  EXPECT_TRUE(close(gradient.X, columns(out["grad_t"], 1), 1e-11));
  EXPECT_TRUE(close(gradient.theta[1], out["grad_log_l"].get<double>(), 1e-11));
  EXPECT_TRUE(close(noise * gradient.noise, out["grad_log_noise2"].get<double>(), 1e-11));
}

TEST(Evidence, FourierFormIsTheDenseOne) {
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  Random random(3);
  const Index N = 300;
  const Matrix t = 3 * random.normals(1, N), V = random.normals(4, N);
  const Outputs outputs = Outputs::of(V);
  for (const double l : {0.3, 0.7, 1.5, 8.0, 1e10}) {
    const Vector theta = Eigen::Vector2d(0.4, std::log(l));
    const auto dense = dense_evidence({kernel, circle}), fast = fourier_evidence({kernel, circle});
    ASSERT_TRUE(fast);
    const Parameters at = Parameters::of(t, theta, 0.05);
    const double expected = dense->value(at, outputs);
    EXPECT_NEAR(fast->value(at, outputs), expected, 1e-12 * std::abs(expected)) << l;
    EvidenceGradient a, b;
    fast->gradient(a, ByOutputs::wanted);
    dense->gradient(b, ByOutputs::wanted);
    EXPECT_LE((a.X - b.X).norm(), 1e-10 * b.X.norm() + 1e-13) << l;  // nothing is left of it at the last length
    EXPECT_TRUE(close(a.theta, b.theta, 1e-9)) << l;
    EXPECT_TRUE(close(a.noise, b.noise, 1e-10)) << l;
    EXPECT_TRUE(close(a.rows, b.rows, 1e-10)) << l;
  }
}

TEST(Evidence, FourierCoefficientsGolden) {
  for (const auto& row : golden("y.fourier_coefficients")["outputs"]["rows"]) {
    const CosineSeries series = cosine_series(row["l"]);
    EXPECT_TRUE(close(series.a.head(9), column(row["a"]), 1e-13));
    EXPECT_TRUE(close(series.da_dlog_l.head(9), column(row["da_dlogl"]), 1e-13));
    EXPECT_NEAR(series.a.sum(), 1, 1e-15);
  }
}

TEST(Evidence, CompressionKeepsTheGram) {
  Random random(4);
  const Matrix wide = random.normals(40, 7), low_rank = random.normals(9, 2) * random.normals(2, 30);
  EXPECT_EQ(compress_rows(wide).rows(), 7);
  EXPECT_EQ(compress_rows(low_rank).rows(), 2);
  EXPECT_TRUE(close(compress_rows(wide).transpose() * compress_rows(wide), wide.transpose() * wide, 1e-14));
  EXPECT_TRUE(
      close(compress_rows(low_rank).transpose() * compress_rows(low_rank), low_rank.transpose() * low_rank, 1e-14));
}

}  // namespace
}  // namespace wgp
