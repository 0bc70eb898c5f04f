#include "linalg/sweep.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

struct Problem {
  Matrix A, V;  // symmetric; right-hand sides as columns
  Problem(Index n, Index appended, double smallest_eigenvalue = 0.1) {
    Random random(static_cast<std::uint64_t>(100 * n + appended));
    const Matrix B = random.normals(n, n + 3);
    A = B * B.transpose() / static_cast<double>(n);
    A.diagonal().array() += smallest_eigenvalue;
    V = random.normals(n, appended);
  }
  PanelMatrix panels() const {
    const Index n = A.rows();
    PanelMatrix S(n, V.cols());
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (j < S.columns(i / simd().sweep.rows)) S(i, j) = A(i, j);
    for (Index r = 0; r < V.cols(); ++r)
      for (Index j = 0; j < n; ++j) S(n + r, j) = V(j, r);
    return S;
  }
};

Matrix square(const PanelMatrix& S) {
  Matrix whole(S.size(), S.size());
  for (Index j = 0; j < S.size(); ++j)
    for (Index i = j; i < S.size(); ++i) whole(i, j) = whole(j, i) = S(i, j);
  return whole;
}
Matrix appended(const PanelMatrix& S) {
  Matrix rows(S.appended(), S.size());
  for (Index j = 0; j < S.size(); ++j)
    for (Index r = 0; r < S.appended(); ++r) rows(r, j) = S(S.size() + r, j);
  return rows;
}

TEST(Sweep, ThreadsDoNotChangeABit) {
  for (const int members : {2, 3}) {
    Executor executor(members);
    for (const Index n : {5, 13, 49, 100, 338, 601})
      for (const Index m : {0, 6, 55}) {
        SCOPED_TRACE(testing::Message() << n << " pivots, " << m << " appended rows");
        const Problem problem(n, m);
        for (const bool whole : {true, false}) {
          PanelMatrix one = problem.panels(), several = problem.panels();
          Sweep alone(n, m), shared(n, m, &executor);
          ASSERT_TRUE(whole ? alone.invert(one) : alone.factor(one));
          ASSERT_TRUE(whole ? shared.invert(several) : shared.factor(several));
          EXPECT_EQ(alone.log_det(), shared.log_det());
          EXPECT_EQ(alone.quadratic(), shared.quadratic());
          if (whole) {
            EXPECT_EQ(square(one), square(several));
            EXPECT_EQ(appended(one), appended(several));
          }
        }
      }
  }
}

TEST(Sweep, FactorsSolvesAndInverts) {
  for (const Index n : {1, 2, 7, 8, 11, 12, 13, 23, 24, 25, 47, 48, 49, 96, 97, 126, 200, 338})
    for (const Index m : {0, 1, 6, 55}) {
      SCOPED_TRACE(testing::Message() << n << " pivots, " << m << " appended rows");
      const Problem problem(n, m);
      const Eigen::LLT<Matrix> llt(problem.A);
      const Matrix inverse = llt.solve(Matrix::Identity(n, n)), solved = llt.solve(problem.V);
      const double log_det = 2 * llt.matrixLLT().diagonal().array().log().sum();
      const double quadratic = problem.V.cwiseProduct(solved).sum();

      PanelMatrix S = problem.panels();
      Sweep sweep(n, m);
      ASSERT_TRUE(sweep.invert(S));
      EXPECT_TRUE(close(-square(S), inverse, 1e-13));
      if (m > 0) {
        EXPECT_TRUE(close(appended(S), solved.transpose(), 1e-13));
      }
      EXPECT_NEAR(sweep.log_det(), log_det, 1e-13 * static_cast<double>(n));
      EXPECT_NEAR(sweep.quadratic(), quadratic, 1e-13 * quadratic);

      S = problem.panels();
      ASSERT_TRUE(sweep.factor(S));
      EXPECT_NEAR(sweep.log_det(), log_det, 1e-13 * static_cast<double>(n));
      EXPECT_NEAR(sweep.quadratic(), quadratic, 1e-13 * quadratic);
    }
}

// Padding must not be read: what is there when a sweep starts is whatever the last one left.
TEST(Sweep, IgnoresWhatIsAboveTheDiagonal) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Index n : {13, 49, 126}) {
    const Problem problem(n, 5);
    PanelMatrix clean = problem.panels(), spoiled = problem.panels();
    for (Index i = 0; i < n; ++i)
      for (Index j = i + 1; j < spoiled.columns(i / simd().sweep.rows); ++j) spoiled(i, j) = nan;
    Sweep sweep(n, 5);
    ASSERT_TRUE(sweep.invert(clean));
    ASSERT_TRUE(sweep.invert(spoiled));
    EXPECT_EQ(square(clean), square(spoiled)) << n;
    EXPECT_EQ(appended(clean), appended(spoiled)) << n;
  }
}

TEST(Sweep, SameBytesTwice) {
  const Problem problem(130, 7);
  PanelMatrix first = problem.panels(), second = problem.panels();
  Sweep one(130, 7), other(130, 7);
  ASSERT_TRUE(one.invert(first));
  PanelMatrix between = Problem(130, 7, 3).panels();
  ASSERT_TRUE(other.invert(between));  // a workspace that was used before
  ASSERT_TRUE(other.invert(second));
  EXPECT_EQ(square(first), square(second));
  EXPECT_EQ(appended(first), appended(second));
  EXPECT_EQ(one.log_det(), other.log_det());
  EXPECT_EQ(one.quadratic(), other.quadratic());
}

TEST(Sweep, ReportsWhatIsNotPositiveDefinite) {
  for (const Index n : {1, 13, 49, 126})
    for (const Index bad : {Index{0}, n / 2, n - 1}) {
      Problem problem(n, 2);
      problem.A(bad, bad) = -0.01;
      Sweep sweep(n, 2);
      PanelMatrix S = problem.panels();
      EXPECT_FALSE(sweep.invert(S)) << n << " " << bad;
      S = problem.panels();
      EXPECT_FALSE(sweep.factor(S)) << n << " " << bad;
      problem.A(bad, bad) = std::numeric_limits<double>::quiet_NaN();
      S = problem.panels();
      EXPECT_FALSE(sweep.invert(S)) << n << " " << bad;
    }
  Problem infinite(30, 1);
  infinite.V(3, 0) = std::numeric_limits<double>::infinity();
  PanelMatrix S = infinite.panels();
  EXPECT_FALSE(Sweep(30, 1).invert(S));
}

// RBF covariances of 300 points at condition 1e6, against L^-T L^-1 of Cholesky's factor, which is LAPACK's way: the
// residual is at most twice as large.
TEST(Sweep, KeepsAccuracyOnBadlyConditionedMatrices) {
  const Index n = 300;
  const Matrix one = Matrix::Identity(n, n);
  double swept = 0, by_cholesky = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed);
    const Matrix X = 2 * random.normals(2, n);
    Problem problem(n, 0);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) problem.A(i, j) = std::exp(-(X.col(i) - X.col(j)).squaredNorm() / 2);
    problem.A += 3e-5 * one;
    const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(problem.A, Eigen::EigenvaluesOnly);
    const double condition = spectrum.eigenvalues()[n - 1] / spectrum.eigenvalues()[0];
    ASSERT_GT(condition, 3e5);
    ASSERT_LT(condition, 3e6);
    PanelMatrix S = problem.panels();
    ASSERT_TRUE(Sweep(n, 0).invert(S));
    swept += (-square(S) * problem.A - one).norm();
    const Matrix inverse_factor = Matrix(problem.A.llt().matrixL()).triangularView<Eigen::Lower>().solve(one);
    by_cholesky += (inverse_factor.transpose() * inverse_factor * problem.A - one).norm();
  }
  EXPECT_LT(swept, 2 * by_cholesky);
}

}  // namespace
}  // namespace wgp
