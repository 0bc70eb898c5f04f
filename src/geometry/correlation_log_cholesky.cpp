// Corr(n) with the log-Euclidean-Cholesky metric (Thanwerdas and Pennec 2022): with C = L L' and T = diag(L)^-1 L, unit
// lower triangular, phi = the strict lower triangle of log T, row by row, is an isometry onto R^(n(n-1)/2). T - I is
// nilpotent, so that log and exp are polynomials. Depends on the order of the variables.
#include <cmath>

#include "geometry/cholesky_differential.h"
#include "geometry/correlation_common.h"
#include "geometry/factories.h"
#include "geometry/spd_common.h"

namespace wgp {
namespace {

double log_coefficient(Index k) { return (k % 2 == 1 ? 1.0 : -1.0) / static_cast<double>(k); }
double exp_coefficient(Index k) { return 1 / std::tgamma(static_cast<double>(k) + 1); }

// sum_k c_k N^k, k = 1 .. n - 1, of a strictly lower triangular N
Matrix nilpotent_series(const Matrix& N, double (*coefficient)(Index)) {
  Matrix power = N, sum = coefficient(1) * N;
  for (Index k = 2; k < N.rows(); ++k) {
    power = power * N;
    sum += coefficient(k) * power;
  }
  return sum;
}

// The increment of the series from N to M = N + D, without cancellation; with M = N its differential in direction D.
//   M^k - N^k = M^(k-1) D + (M^(k-1) - N^(k-1)) N
Matrix nilpotent_increment(const Matrix& N, const Matrix& M, const Matrix& D, double (*coefficient)(Index)) {
  Matrix power = M, increment = D, sum = coefficient(1) * D;
  for (Index k = 2; k < N.rows(); ++k) {
    increment = Matrix(power * D + increment * N);
    power = power * M;
    sum += coefficient(k) * increment;
  }
  return sum;
}

Matrix strictly_lower(ConstVectorRef entries, Index n) {
  return symmetric_hollow(entries, n).triangularView<Eigen::StrictlyLower>();
}

// T - I
Matrix nilpotent_part(const Matrix& L) {
  Matrix N = L.diagonal().cwiseInverse().asDiagonal() * L;
  N.diagonal().setZero();
  return N;
}

class CorrelationDifferential final : public ChartDifferential {
 public:
  CorrelationDifferential(ConstVectorRef p, Index n)
      : n_(n),
        cholesky_(as_matrix(p, n)),
        N_(nilpotent_part(cholesky_.factor())),
        X_(nilpotent_series(N_, log_coefficient)) {}

  // dT = D^-1 (dL - diag(dL) T), D = diag(L)
  Matrix to_coords(ConstMatrixRef ambient) const override {
    const Matrix& L = cholesky_.factor();
    Matrix coords(n_ * (n_ - 1) / 2, ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) {
      Matrix dT = cholesky_.factor_tangent(hollow_part(as_matrix(ambient.col(i), n_)));
      const Vector diagonal = dT.diagonal();
      dT.diagonal().setZero();
      dT = L.diagonal().cwiseInverse().asDiagonal() * Matrix(dT - diagonal.asDiagonal() * N_);
      coords.col(i) = strict_lower(nilpotent_increment(N_, N_, dT, log_coefficient));
    }
    return coords;
  }

  // The rows of L are those of T divided by their lengths 1 / L_ii.
  Matrix to_ambient(ConstMatrixRef coords) const override {
    const Matrix& L = cholesky_.factor();
    Matrix ambient(n_ * n_, coords.cols());
    for (Index k = 0; k < coords.cols(); ++k) {
      const Matrix dT = nilpotent_increment(X_, X_, strictly_lower(coords.col(k), n_), exp_coefficient);
      Matrix dL(n_, n_);
      for (Index i = 0; i < n_; ++i) dL.row(i) = L(i, i) * (dT.row(i) - L.row(i).dot(dT.row(i)) * L.row(i));
      ambient.col(k) = as_column(hollow_part(cholesky_.point_tangent(dL)));
    }
    return ambient;
  }

  double near_radius() const override { return cholesky_.near_radius(); }
  // With L_Q = L (I + X): T_Q - T = diag(L_Q)^-1 (L X - diag(X) L).
  bool small_difference(ConstVectorRef q, VectorRef difference) const override {
    Matrix X;
    if (!cholesky_.small_difference(as_matrix(q, n_), X)) return false;
    const Matrix& L = cholesky_.factor();
    Matrix D = L * X - X.diagonal().asDiagonal() * L;
    D.diagonal().setZero();
    D = (L.diagonal().array() * (1 + X.diagonal().array())).inverse().matrix().asDiagonal() * D;
    difference = strict_lower(nilpotent_increment(N_, N_ + D, D, log_coefficient));
    return true;
  }

 private:
  Index n_;
  CholeskyDifferential cholesky_;
  Matrix N_, X_;  // T - I and log T
};

class CorrelationChart final : public GlobalChart {
 public:
  explicit CorrelationChart(Index n) : n_(n) {}
  Index dim() const override { return n_ * (n_ - 1) / 2; }

  FailedColumns to_coords(ConstMatrixRef points, MatrixRef coords) const override {
    FailedColumns failed;
    Matrix L;
    for (Index i = 0; i < points.cols(); ++i) {
      if (cholesky_factor(as_matrix(points.col(i), n_), L)) {
        coords.col(i) = strict_lower(nilpotent_series(nilpotent_part(L), log_coefficient));
      } else {
        coords.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
        failed.push_back(i);
      }
    }
    return failed;
  }

  FailedColumns to_points(ConstMatrixRef coords, ConstVectorRef offset, MatrixRef points) const override {
    FailedColumns failed;
    Matrix L;
    for (Index i = 0; i < coords.cols(); ++i) {
      Matrix T = nilpotent_series(strictly_lower(offset + coords.col(i), n_), exp_coefficient);
      T.diagonal().setOnes();
      T.rowwise().normalize();
      Matrix C = outer_square(T);
      C.diagonal().setOnes();
      points.col(i) = as_column(C);
      if (!cholesky_factor(C, L)) failed.push_back(i);
    }
    return failed;
  }

  std::unique_ptr<const ChartDifferential> differential(ConstVectorRef p) const override {
    return std::make_unique<CorrelationDifferential>(p, n_);
  }

 private:
  Index n_;
};

class CorrelationLogCholesky final : public CorrelationManifold {
 public:
  explicit CorrelationLogCholesky(Index n)
      : CorrelationManifold(n, "/log-cholesky", std::make_shared<CorrelationChart>(n)) {}

  // C -> S C S with signs S turns log T into S (log T) S.
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    Vector signs(size());
    for (Index i = 0; i < size(); ++i) signs[i] = random.uniform() < 0.5 ? -1 : 1;
    return [signs](ConstVectorRef x) {
      return as_column(signs.asDiagonal() * Matrix(as_matrix(x, signs.size())) * signs.asDiagonal());
    };
  }
};

}  // namespace

ManifoldPtr make_correlation_log_cholesky(Index n) { return std::make_shared<CorrelationLogCholesky>(n); }

}  // namespace wgp
