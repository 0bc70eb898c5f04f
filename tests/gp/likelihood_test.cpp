#include "gp/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden.h"
#include "gp/fourier.h"
#include "linalg/cholesky.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::columns;
using test::golden;

TEST(Likelihood, RbfArdGolden) {
  const auto& group = golden("gp.rbf_ard");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Matrix X = columns(in["X"], 2), V = columns(in["V"], 3);
  const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2), LengthScales::per_dimension);
  Vector theta(3);
  theta << std::log(in["sigma2"].get<double>()), column(in["l"]).array().log().matrix();
  const double noise = in["noise2"];
  const auto engine = dense_engine(kernel, V, 3);
  EXPECT_TRUE(close(engine->value(X, theta, noise), out["loglik"].get<double>(), 1e-11));
  const GpGradient gradient = engine->gradient();
  EXPECT_TRUE(close(gradient.X, columns(out["grad_X"], 2), 1e-11));
  EXPECT_TRUE(close(gradient.theta[0], out["grad_log_sigma2"].get<double>(), 1e-11));
  EXPECT_TRUE(close(gradient.theta.tail(2), column(out["grad_log_l"]), 1e-11));
  EXPECT_TRUE(close(noise * gradient.noise, out["grad_log_noise2"].get<double>(), 1e-11));
}

TEST(Likelihood, PeriodicGoldenInBothForms) {
  const auto& group = golden("gp.periodic");
  const auto &in = group["inputs"], &out = group["outputs"];
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  const Matrix t = columns(in["t"], 1), V = columns(in["V"], 3);
  const Vector theta = Eigen::Vector2d(std::log(in["sigma2"].get<double>()), std::log(in["l"].get<double>()));
  const double noise = in["noise2"];
  EXPECT_TRUE(close(kernel->cov(theta, t, t)(0, 1), out["K_01"].get<double>(), 1e-11));
  const auto engine = dense_engine(kernel, V, 3);
  EXPECT_TRUE(close(engine->value(t, theta, noise), out["loglik"].get<double>(), 1e-11));
  const GpGradient gradient = engine->gradient();
  EXPECT_TRUE(close(gradient.X, columns(out["grad_t"], 1), 1e-11));
  EXPECT_TRUE(close(gradient.theta[1], out["grad_log_l"].get<double>(), 1e-11));
  EXPECT_TRUE(close(noise * gradient.noise, out["grad_log_noise2"].get<double>(), 1e-11));
}

TEST(Likelihood, FourierFormIsTheDenseOne) {
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  Random random(3);
  const Index N = 300;
  const Matrix t = 3 * random.normals(1, N), V = random.normals(4, N);
  for (const double l : {0.3, 0.7, 1.5, 8.0}) {
    const Vector theta = Eigen::Vector2d(0.4, std::log(l));
    const auto dense = dense_engine(kernel, V, 4), fast = fourier_engine(kernel, circle, V, 4);
    ASSERT_TRUE(fast);
    const double expected = dense->value(t, theta, 0.05);
    EXPECT_NEAR(fast->value(t, theta, 0.05), expected, 1e-12 * std::abs(expected)) << l;
    const GpGradient a = fast->gradient(), b = dense->gradient();
    EXPECT_TRUE(close(a.X, b.X, 1e-10)) << l;
    EXPECT_TRUE(close(a.theta, b.theta, 1e-9)) << l;
    EXPECT_TRUE(close(a.noise, b.noise, 1e-10)) << l;
  }
}

TEST(Likelihood, FourierCoefficientsGolden) {
  for (const auto& row : golden("y.fourier_coefficients")["outputs"]["rows"]) {
    const CosineSeries series = cosine_series(row["l"]);
    EXPECT_TRUE(close(series.a.head(9), column(row["a"]), 1e-13));
    EXPECT_TRUE(close(series.da_dlog_l.head(9), column(row["da_dlogl"]), 1e-13));
    EXPECT_NEAR(series.a.sum(), 1, 1e-15);
  }
}

TEST(Likelihood, CompressionKeepsTheGram) {
  Random random(4);
  const Matrix wide = random.normals(40, 7), low_rank = random.normals(9, 2) * random.normals(2, 30);
  EXPECT_EQ(compress_rows(wide).rows(), 7);
  EXPECT_EQ(compress_rows(low_rank).rows(), 2);
  EXPECT_TRUE(close(compress_rows(wide).transpose() * compress_rows(wide), wide.transpose() * wide, 1e-14));
  EXPECT_TRUE(
      close(compress_rows(low_rank).transpose() * compress_rows(low_rank), low_rank.transpose() * low_rank, 1e-14));
}

TEST(Likelihood, JitterIsTheSmallestThatHelpsAndIsReported) {
  Matrix K = Matrix::Ones(5, 5);
  K(3, 3) = 1 - 1e-9;  // slightly indefinite
  const Matrix before = K;
  const double jitter = factor_with_jitter(K, 0);
  EXPECT_GE(jitter, 1e-10);
  EXPECT_LE(jitter, 1e-8);
  const Matrix L = K.triangularView<Eigen::Lower>();
  EXPECT_TRUE(close(L * L.transpose(), before + jitter * Matrix::Identity(5, 5), 1e-14));
  Matrix hopeless = -Matrix::Identity(3, 3);
  EXPECT_LT(factor_with_jitter(hopeless, 0), 0);
}

TEST(Cholesky, InverseOfManySizes) {
  Random random(5);
  for (const Index n : {1, 2, 15, 16, 17, 47, 48, 49, 97, 160, 333}) {
    const Matrix B = random.normals(n, n + 3);
    const Matrix A = B * B.transpose() + Matrix::Identity(n, n);
    Matrix L = A;
    L.triangularView<Eigen::StrictlyUpper>().setConstant(7);  // must be left alone
    ASSERT_TRUE(cholesky_lower(L));
    const Matrix lower = L.triangularView<Eigen::Lower>();
    EXPECT_TRUE(close(lower * lower.transpose(), A, 1e-13)) << n;
    inverse_from_cholesky(L);
    const Matrix inverse = L.selfadjointView<Eigen::Lower>();
    EXPECT_TRUE(close(inverse * A, Matrix::Identity(n, n), 1e-10)) << n;
    if (n > 1) {
      EXPECT_EQ(L(0, n - 1), 7) << n;
    }
  }
}

}  // namespace
}  // namespace wgp
