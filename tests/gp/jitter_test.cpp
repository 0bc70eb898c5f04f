#include "gp/jitter.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "evidence/evidence.h"
#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

TEST(Evidence, JitterIsTheSmallestThatHelpsAndIsReported) {
  Matrix K = Matrix::Ones(5, 5);
  K(3, 3) = 1 - 1e-9;  // slightly indefinite
  const Matrix before = K;
  const double jitter = factor_with_jitter(K, 0);
  EXPECT_GE(jitter, 1e-10);
  EXPECT_LE(jitter, 1e-8);
  const Matrix L = K.triangularView<Eigen::Lower>();
  EXPECT_TRUE(close(L * L.transpose(), before + jitter * Matrix::Identity(5, 5), 1e-14));

  // Of several squares, three tries, and nothing but the lower triangle given.
  const Index N = 70;
  Random random(4);
  const Matrix B = random.normals(N, 5);
  Matrix large = B * B.transpose();
  large.diagonal().array() -= 3e-9 * large.diagonal().mean();
  Matrix lower_only = Matrix::Constant(N, N, std::numeric_limits<double>::quiet_NaN());
  lower_only.triangularView<Eigen::Lower>() = large;
  const double needed = factor_with_jitter(lower_only, 0);
  EXPECT_NEAR(needed, 1e-8 * large.diagonal().mean(), 1e-10 * large.diagonal().mean());
  const Matrix factor = lower_only.triangularView<Eigen::Lower>();
  EXPECT_TRUE(close(factor * factor.transpose(), large + needed * Matrix::Identity(N, N), 1e-14));
  Matrix hopeless = -Matrix::Identity(3, 3);
  EXPECT_LT(factor_with_jitter(hopeless, 0), 0);
}

}  // namespace
}  // namespace wgp
