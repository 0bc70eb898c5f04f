#include "linalg/small_symmetric.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using Exact = boost::multiprecision::cpp_bin_float_50;
using ExactMatrix = std::vector<std::vector<Exact>>;

// Plain cyclic Jacobi with 50 digits, independent of the library: the eigenvalues become a's diagonal.
ExactMatrix exact_eigen(ExactMatrix& a) {
  const std::size_t n = a.size();
  ExactMatrix u(n, std::vector<Exact>(n));
  for (std::size_t i = 0; i < n; ++i) u[i][i] = 1;
  for (int sweep = 0; sweep < 30; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        const Exact zeta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const Exact t = (zeta < 0 ? -1 : 1) / (abs(zeta) + sqrt(1 + zeta * zeta));
        const Exact c = 1 / sqrt(1 + t * t), s = c * t;
        const auto rotate = [&](Exact& x, Exact& y) {
          const Exact old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(a[k][p], a[k][q]);
        for (std::size_t k = 0; k < n; ++k) rotate(a[p][k], a[q][k]);
        for (std::size_t k = 0; k < n; ++k) rotate(u[k][p], u[k][q]);
      }
  return u;
}

ExactMatrix to_exact(const Matrix& m) {
  const auto n = static_cast<std::size_t>(m.rows());
  ExactMatrix result(n, std::vector<Exact>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result[i][j] = m(static_cast<Index>(i), static_cast<Index>(j));
  return result;
}

Vector sorted(Vector x) {
  std::sort(x.begin(), x.end());
  return x;
}

Vector exact_eigenvalues(const Matrix& symmetric) {
  ExactMatrix a = to_exact(symmetric);
  exact_eigen(a);
  Vector values(symmetric.rows());
  for (Index i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(a[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)]);
  return sorted(values);
}

Matrix exact_log(const Matrix& spd) {
  ExactMatrix a = to_exact(spd);
  const ExactMatrix u = exact_eigen(a);
  const std::size_t n = a.size();
  Matrix result(spd.rows(), spd.cols());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Exact sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += log(a[k][k]) * u[i][k] * u[j][k];
      result(static_cast<Index>(i), static_cast<Index>(j)) = static_cast<double>(sum);
    }
  return result;
}

// D C D with C well conditioned and D from 1e-6 to 1e4 in random order: condition number about 1e20.
Matrix graded(Random& random, Index n) {
  const Matrix G = random.normals(n, 3 * n);
  Matrix C = G * G.transpose();
  Vector scale(n);
  for (Index i = 0; i < n; ++i)
    scale[i] = std::pow(10.0, -6 + 10.0 * static_cast<double>(i) / static_cast<double>(n - 1));
  for (Index i = n - 1; i > 0; --i) std::swap(scale[i], scale[random.below(i + 1)]);
  C = Matrix(scale.asDiagonal() * C * scale.asDiagonal()) / static_cast<double>(3 * n);
  return C.selfadjointView<Eigen::Lower>();
}

Vector full(const Matrix& m) { return m.reshaped<Eigen::RowMajor>(); }
Matrix unfull(const Vector& x, Index n) { return x.reshaped<Eigen::RowMajor>(n, n); }

TEST(SmallSymmetric, VechIsAnIsometry) {
  Random random(1);
  const Matrix A = random.normals(4, 4), S = A + A.transpose();
  EXPECT_TRUE(close(vech_sqrt2(S).norm(), S.norm(), 1e-15));
  EXPECT_TRUE(close(unvech_sqrt2(vech_sqrt2(S), 4), S, 1e-15));
  EXPECT_DOUBLE_EQ(vech_sqrt2(S)[1], std::sqrt(2.0) * S(1, 0));
}

TEST(SmallSymmetric, EveryEigenvalueOfAGradedMatrixIsAccurate) {
  Random random(2);
  for (const Index n : {2, 3, 4, 10}) {
    for (int draw = 0; draw < 3; ++draw) {
      const Matrix P = graded(random, n);
      const Vector expected = exact_eigenvalues(P);
      const SymmetricEigen eigen = spd_eigen(P);
      ASSERT_TRUE(eigen.ok);
      const Vector error = (sorted(eigen.values) - expected).cwiseQuotient(expected).cwiseAbs();
      EXPECT_LE(error.maxCoeff(), 1e-13) << "n = " << n << ", condition " << expected.maxCoeff() / expected.minCoeff();
      EXPECT_LE((eigen.vectors.transpose() * eigen.vectors - Matrix::Identity(n, n)).norm(), 1e-13);
    }
  }
}

TEST(SmallSymmetric, FactorIsAsAccurateAsTheMatrix) {
  Random random(3);
  const Matrix P = graded(random, 10);
  Matrix L;
  ASSERT_TRUE(cholesky_factor(P, L));
  const Vector expected = exact_eigenvalues(P);
  const Vector error = (sorted(factor_eigen(L).values) - expected).cwiseQuotient(expected).cwiseAbs();
  EXPECT_LE(error.maxCoeff(), 1e-13);
}

TEST(SmallSymmetric, LogarithmOfAGradedMatrix) {
  Random random(4);
  for (const Index n : {2, 3, 4, 10}) {
    Matrix batch(n * n, 11), logs(vech_size(n), 11);
    for (Index i = 0; i < batch.cols(); ++i) batch.col(i) = full(graded(random, n));
    ASSERT_TRUE(spd_log(n, batch, logs).empty());
    for (const Index i : {0, 7, 10}) {
      const Matrix P = unfull(batch.col(i), n);
      const Vector expected = vech_sqrt2(exact_log(P));
      EXPECT_LE((logs.col(i) - expected).cwiseAbs().maxCoeff(), 1e-13) << "n = " << n;
      EXPECT_LE((vech_sqrt2(spd_log(P)) - expected).cwiseAbs().maxCoeff(), 1e-13) << "n = " << n;
    }
  }
}

// log(L^-1 Q L^-T) for L, Q graded alike, against 50 digits.
TEST(SmallSymmetric, WhitenedLogarithmOfGradedMatrices) {
  Random random(5);
  const Index n = 10;
  const Matrix P = graded(random, n);
  Vector scale = P.diagonal().cwiseSqrt();
  const Matrix G = random.normals(n, 3 * n);
  Matrix Q = scale.asDiagonal() * Matrix(G * G.transpose()) * scale.asDiagonal();
  Q = Matrix(Q.selfadjointView<Eigen::Lower>());
  Matrix L;
  ASSERT_TRUE(cholesky_factor(P, L));

  // Exact L^-1 Q L^-T, from the same L.
  ExactMatrix A = to_exact(Q);
  const ExactMatrix l = to_exact(L);
  const auto un = static_cast<std::size_t>(n);
  for (int side = 0; side < 2; ++side) {
    for (std::size_t k = 0; k < un; ++k)
      for (std::size_t i = 0; i < un; ++i) {
        for (std::size_t j = 0; j < i; ++j) A[i][k] -= l[i][j] * A[j][k];
        A[i][k] /= l[i][i];
      }
    for (std::size_t i = 0; i < un; ++i)
      for (std::size_t j = 0; j < i; ++j) std::swap(A[i][j], A[j][i]);
  }
  exact_eigen(A);
  Exact squares = 0;
  for (std::size_t i = 0; i < un; ++i) squares += log(A[i][i]) * log(A[i][i]);
  const double expected = static_cast<double>(Exact(sqrt(squares)));

  Matrix logs(vech_size(n), 1);
  Vector norm(1);
  ASSERT_TRUE(whitened_log(L, full(Q), logs).empty());
  ASSERT_TRUE(whitened_log_norm(L, full(Q), norm).empty());
  EXPECT_TRUE(close(logs.norm(), expected, 1e-13));
  EXPECT_TRUE(close(norm[0], expected, 1e-13));
  Matrix back(n * n, 1);
  ASSERT_TRUE(whitened_exp(L, logs, back).empty());
  const Matrix ratio = (unfull(back, n) - Q).cwiseQuotient(scale * scale.transpose());
  EXPECT_LE(ratio.norm(), 1e-11);
}

TEST(SmallSymmetric, BatchesAgreeWithSingleMatrices) {
  Random random(6);
  for (const Index n : {1, 2, 3, 4, 5, 9}) {
    for (const Index count : {1, 7, 8, 9, 20}) {
      const Matrix coords = random.normals(vech_size(n), count);
      const Vector offset = random.normals(vech_size(n));
      Matrix points(n * n, count), back(vech_size(n), count), roots(n * n, count);
      ASSERT_TRUE(symmetric_exp(n, coords, offset, points).empty());
      ASSERT_TRUE(spd_log(n, points, back).empty());
      ASSERT_TRUE(spd_sqrt(n, points, roots).empty());
      for (Index i = 0; i < count; ++i) {
        const Matrix S = unvech_sqrt2(coords.col(i) + offset, n), P = unfull(points.col(i), n);
        EXPECT_TRUE(close(P, symmetric_exp(S), 1e-14));
        EXPECT_EQ(P, P.transpose());
        EXPECT_TRUE(close(Vector(back.col(i) - offset), coords.col(i), 1e-11));
        EXPECT_TRUE(close(unfull(roots.col(i), n), spd_sqrt(P), 1e-14));
        EXPECT_TRUE(close(Matrix(unfull(roots.col(i), n) * unfull(roots.col(i), n)), P, 1e-14));
      }
    }
  }
}

TEST(SmallSymmetric, AColumnDoesNotDependOnItsNeighbours) {
  Random random(7);
  const Matrix coords = random.normals(6, 8);
  Matrix together(9, 8), alone(9, 1);
  symmetric_exp(3, coords, Vector::Zero(6), together);
  symmetric_exp(3, coords.col(5), Vector::Zero(6), alone);
  EXPECT_EQ(together.col(5), alone.col(0));
  Matrix logs(6, 8), log(6, 1);
  spd_log(3, together, logs);
  spd_log(3, alone, log);
  EXPECT_EQ(logs.col(5), log.col(0));
}

TEST(SmallSymmetric, EqualAndNearlyEqualEigenvalues) {
  for (const Index n : {2, 3, 4, 6}) {
    Matrix P = 3 * Matrix::Identity(n, n);
    EXPECT_LE((spd_log(P) - std::log(3.0) * Matrix::Identity(n, n)).norm(), 2e-15);
    P(1, 0) = P(0, 1) = 1e-13;
    Matrix logs(vech_size(n), 1);
    ASSERT_TRUE(spd_log(n, full(P), logs).empty());
    EXPECT_LE((logs.col(0) - vech_sqrt2(exact_log(P))).norm(), 1e-15);
    Matrix points(n * n, 1);
    ASSERT_TRUE(symmetric_exp(n, Matrix::Zero(vech_size(n), 1), Vector::Zero(vech_size(n)), points).empty());
    EXPECT_EQ(unfull(points, n), Matrix::Identity(n, n));
  }
}

TEST(SmallSymmetric, ReportsWhatCannotBeDone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const Index n : {2, 3, 5}) {
    Matrix batch = full(Matrix::Identity(n, n)).replicate(1, 10), logs(vech_size(n), 10), roots(n * n, 10);
    batch(0, 1) = -1;
    batch.col(2).setOnes();  // rank one
    batch(n, 3) = nan;
    batch(0, 5) = inf;
    batch.col(8).setZero();
    const FailedColumns expected = {1, 2, 3, 5, 8};
    EXPECT_EQ(spd_log(n, batch, logs), expected);
    EXPECT_EQ(spd_sqrt(n, batch, roots), expected);
    EXPECT_TRUE(logs.col(0).isZero(0) && logs.col(9).isZero(0));
    Vector norms(10);
    EXPECT_EQ(whitened_log_norm(Matrix::Identity(n, n), batch, norms), expected);
    EXPECT_FALSE(spd_eigen(unfull(batch.col(2), n)).ok);
    EXPECT_FALSE(symmetric_eigen(unfull(batch.col(3), n)).ok);

    Matrix coords = Matrix::Zero(vech_size(n), 4), points(n * n, 4);
    coords(0, 1) = 800;
    coords(0, 2) = -2000;
    coords(0, 3) = nan;
    EXPECT_EQ(symmetric_exp(n, coords, Vector::Zero(vech_size(n)), points), (FailedColumns{1, 2, 3}));
  }
}

}  // namespace
}  // namespace wgp
