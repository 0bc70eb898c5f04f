// Normal forms of skew-symmetric matrices, and the nearest matrix with orthonormal columns.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/polar.h"
#include "linalg/rotation_planes.h"
#include "wgp/random.h"

namespace wgp {
namespace {

Matrix random_skew(Index n, Random& random) {
  const Matrix A = random.normals(n, n);
  return A - A.transpose();
}

TEST(RotationPlanes, MakeUpTheMatrixAtEveryScale) {
  Random random(1);
  for (const Index n : {2, 3, 4, 5, 8})
    for (const double scale : {1e-200, 1e-20, 1.0, 1e20, 1e200}) {
      const Matrix Omega = random_skew(n, random);
      const RotationPlanes planes = planes_of_skew(scale * Omega);
      EXPECT_LT((planes.W.transpose() * planes.W - Matrix::Identity(n, n)).norm(), 1e-13) << n << ' ' << scale;
      EXPECT_LT((planes.skew() / scale - Omega).norm(), 1e-13 * Omega.norm()) << n << ' ' << scale;
    }
}

TEST(Polar, OrthonormalColumnsOrNoNumbers) {
  Random random(2);
  for (const Index p : {1, 2, 3}) {
    const Matrix A = random.normals(4, p);
    for (const double scale : {1e-3, 1.0, 1e3})
      EXPECT_LT(orthonormality_defect(orthonormalise(scale * A)), 1e-13) << p << ' ' << scale;
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Matrix B = A;
      B(1, 0) = wrong;
      EXPECT_FALSE(orthonormalise(B).allFinite()) << p << ' ' << wrong;
      EXPECT_FALSE(polar_factor(B).Q.allFinite()) << p << ' ' << wrong;
    }
  }
}

}  // namespace
}  // namespace wgp
