#include "linalg/cholesky.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

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
