#include "geometry/cholesky_differential.h"

#include "linalg/small_symmetric.h"

namespace wgp {

CholeskyDifferential::CholeskyDifferential(ConstMatrixRef P) : P_(P) { cholesky_factor(P, L_); }

Matrix CholeskyDifferential::whiten(ConstMatrixRef V) const {
  const auto L = L_.triangularView<Eigen::Lower>();
  const Matrix half = L.solve(V);
  return L.solve(half.transpose());
}

Matrix CholeskyDifferential::factor_tangent(ConstMatrixRef V) const {
  Matrix phi = whiten(V).triangularView<Eigen::Lower>();
  phi.diagonal() /= 2;
  return L_ * phi;
}

Matrix CholeskyDifferential::point_tangent(ConstMatrixRef dL) const {
  const Matrix half = dL * L_.transpose();
  return half + half.transpose();
}

// (I + X)(I + X)' = I + E with E = L^-1 (Q - P) L^-T: Cholesky's recurrence with the ones taken out,
//   2 x_jj + x_jj^2 = E_jj - sum_{k<j} x_jk^2,   x_ij (1 + x_jj) = E_ij - sum_{k<j} x_ik x_jk.
bool CholeskyDifferential::small_difference(ConstMatrixRef Q, Matrix& X) const {
  const Index n = L_.rows();
  const Matrix E = whiten(Q - P_);
  if (!(E.squaredNorm() < 1e-6)) return false;
  X = Matrix::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    const double t = E(j, j) - X.row(j).head(j).squaredNorm();
    X(j, j) = t / (1 + std::sqrt(1 + t));
    for (Index i = j + 1; i < n; ++i) X(i, j) = (E(i, j) - X.row(i).head(j).dot(X.row(j).head(j))) / (1 + X(j, j));
  }
  return true;
}

}  // namespace wgp
