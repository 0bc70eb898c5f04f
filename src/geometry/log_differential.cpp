#include "geometry/log_differential.h"

#include <cmath>

#include "wgp/jacobi.h"

namespace wgp {
namespace {

double divided_difference(double log_a, double log_b) {
  const double h = (log_a - log_b) / 2;
  return std::exp((log_a + log_b) / 2) * jacobi_S(-h * h);
}

Matrix divided_differences(const Vector& logs) {
  Matrix F(logs.size(), logs.size());
  for (Index i = 0; i < F.rows(); ++i)
    for (Index j = 0; j <= i; ++j) F(i, j) = F(j, i) = divided_difference(logs[i], logs[j]);
  return F;
}

}  // namespace

LogDifferential::LogDifferential(ConstMatrixRef P)
    : P_(P), eigen_(spd_eigen(P)), log_values_(eigen_.values.array().log()), F_(divided_differences(log_values_)) {}

Matrix LogDifferential::log_tangent(ConstMatrixRef V) const {
  const Matrix& U = eigen_.vectors;
  return U * (U.transpose() * V * U).cwiseQuotient(F_) * U.transpose();
}

Matrix LogDifferential::exp_tangent(ConstMatrixRef A) const {
  const Matrix& U = eigen_.vectors;
  return U * (U.transpose() * A * U).cwiseProduct(F_) * U.transpose();
}

double LogDifferential::log_det() const {
  double sum = 0;
  for (Index i = 0; i < F_.rows(); ++i)
    for (Index j = 0; j <= i; ++j) {
      const double h = (log_values_[i] - log_values_[j]) / 2;
      sum += (log_values_[i] + log_values_[j]) / 2 + jacobi_log_abs_S(-h * h);
    }
  return sum;
}

// With Q = V diag(q) V', exactly: U' (log Q - log P) V = (U' (Q - P) V)_ij / F(w_i, q_j). The product's rounding error,
// eps |Q - P| / w_min, is below that of the plain difference only for |Q - P| << w_min.
bool LogDifferential::small_difference(ConstMatrixRef Q, Matrix& difference) const {
  const Matrix change = Q - P_;
  if (!(change.norm() <= near_radius())) return false;
  const SymmetricEigen other = spd_eigen(Q);
  if (!other.ok) return false;
  Matrix D = eigen_.vectors.transpose() * change * other.vectors;
  for (Index j = 0; j < D.cols(); ++j) {
    const double log_value = std::log(other.values[j]);
    for (Index i = 0; i < D.rows(); ++i) D(i, j) /= divided_difference(log_values_[i], log_value);
  }
  const Matrix result = eigen_.vectors * D * other.vectors.transpose();
  difference = (result + result.transpose()) / 2;
  return true;
}

Matrix LogDifferential::diagonal_jacobian() const { return wgp::diagonal_jacobian({log_values_, eigen_.vectors}); }

// D exp[e_j e_j'] has the diagonal entries J_ij = sum_ab U_ia U_ib F_ab U_ja U_jb.
Matrix diagonal_jacobian(const SymmetricEigen& A) {
  const Index n = A.values.size();
  const Matrix& U = A.vectors;
  const Matrix F = divided_differences(A.values);
  Matrix J(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const Vector both = U.row(i).cwiseProduct(U.row(j));
      J(i, j) = J(j, i) = both.dot(F * both);
    }
  return J;
}

}  // namespace wgp
