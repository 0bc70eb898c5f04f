#include "linalg/leading_eigenvectors.h"

#include <gtest/gtest.h>

#include <numbers>

#include "wgp/random.h"

namespace wgp {
namespace {

// Against the definition: A x = lambda x, orthonormal, and no larger Rayleigh quotient beside them.
void expect_leading(const Matrix& A, Index count, double tolerance) {
  const Matrix X = leading_eigenvectors(A, count);
  ASSERT_EQ(X.cols(), count);
  EXPECT_LT((X.transpose() * X - Matrix::Identity(count, count)).norm(), 1e-10);
  const Matrix R = X.transpose() * A * X;
  const double size = A.norm();
  EXPECT_LT((A * X - X * R.diagonal().asDiagonal()).norm(), tolerance * size);
  for (Index j = 1; j < count; ++j) EXPECT_GE(R(j - 1, j - 1), R(j, j) - tolerance * size);
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    Vector y = random.normals(A.rows());
    for (int power = 0; power < 30; ++power) {  // the best that a few steps find outside of the space
      y -= X * (X.transpose() * y);
      y.normalize();
      y = A * y + size * y;
    }
    y -= X * (X.transpose() * y);
    y.normalize();
    EXPECT_LE(y.dot(A * y), R(count - 1, count - 1) + tolerance * size);
  }
}

TEST(LeadingEigenvectors, OfSmallAndLargeMatrices) {
  for (const Index n : {5, 200, 700}) {
    Random random(1);
    const Matrix B = random.normals(n, n);
    expect_leading(B + B.transpose(), 3, 1e-8);
  }
}

// Squared distances around a circle, centred: the two largest are equal, as are many others.
TEST(LeadingEigenvectors, OfEqualEigenvalues) {
  const Index n = 650;
  Matrix A(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      A(i, j) = std::cos(2 * std::numbers::pi * static_cast<double>(i - j) / static_cast<double>(n));
  expect_leading(A, 2, 1e-8);
}

TEST(LeadingEigenvectors, OfALowRank) {
  Random random(2);
  const Matrix B = random.normals(640, 2);
  const Matrix X = leading_eigenvectors(B * B.transpose(), 4);
  EXPECT_EQ(X.cols(), 4);
  EXPECT_LT((X.transpose() * X - Matrix::Identity(4, 4)).norm(), 1e-8);
}

double residual(const Matrix& A, const Vector& x) { return (A * x - x.dot(A * x) * x).norm() / A.norm(); }

TEST(LeadingEigenvector, IsOfTheLargestEigenvalue) {
  for (const Index n : {1, 2, 5, 180}) {
    Random random(4);
    const Matrix B = random.normals(n, 2 * n), A = B * B.transpose();
    const Vector x = leading_eigenvector(A, random.normals(n));
    EXPECT_NEAR(x.norm(), 1, 1e-12);
    EXPECT_LT(residual(A, x), 1e-9);
    const Matrix all = leading_eigenvectors(A, 1);
    EXPECT_NEAR(std::abs(x.dot(all.col(0))), 1, 1e-9) << n;
  }
}

// The largest comes twice: any vector of that plane is right, and the start says which.
TEST(LeadingEigenvector, OfADoubleEigenvalue) {
  const Vector values = (Vector(6) << 3, 3, 1, 1, 0.5, 0).finished();
  Random random(5);
  const Matrix Q = leading_eigenvectors(random.normals(6, 6) * random.normals(6, 6).transpose(), 6);
  const Matrix A = Q * values.asDiagonal() * Q.transpose();
  const Vector start = random.normals(6), x = leading_eigenvector(A, start);
  EXPECT_LT(residual(A, x), 1e-9);
  EXPECT_NEAR(x.dot(A * x), 3, 1e-9);
  const Vector expected = (Q.leftCols(2) * (Q.leftCols(2).transpose() * start)).normalized();
  EXPECT_LT((x - expected).norm(), 1e-7);
}

// Nothing to be found, and nothing that would converge: a vector of length one all the same.
TEST(LeadingEigenvector, OfMatricesWithoutAGap) {
  Random random(6);
  const Vector start = random.normals(300);
  EXPECT_NEAR(leading_eigenvector(Matrix::Zero(300, 300), start).norm(), 1, 1e-12);
  const Matrix A = Vector::LinSpaced(300, 1, 1 + 1e-9).asDiagonal();
  const Vector x = leading_eigenvector(A, start);
  EXPECT_NEAR(x.norm(), 1, 1e-12);
  EXPECT_LT(residual(A, x), 1e-8);
}

TEST(LeadingEigenvectors, CanBeStopped) {
  Random random(1);
  const Matrix B = random.normals(700, 700);
  RunControl control([](const Progress&) { return false; });
  control.report("", 0, 0, 0);
  EXPECT_THROW(leading_eigenvectors(B + B.transpose(), 2, &control), Stopped);
}

}  // namespace
}  // namespace wgp
