#include "linalg/small_symmetric.h"

#include <numbers>

#include "linalg/jacobi_rotations.h"

namespace wgp {

Index vech_size(Index n) { return n * (n + 1) / 2; }

Vector vech_sqrt2(ConstMatrixRef symmetric) {
  const Index n = symmetric.rows();
  Vector vech(vech_size(n));
  for (Index i = 0, e = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j, ++e) vech[e] = i == j ? symmetric(i, i) : std::numbers::sqrt2 * symmetric(i, j);
  return vech;
}

Matrix unvech_sqrt2(ConstVectorRef vech, Index n) {
  Matrix symmetric(n, n);
  for (Index i = 0, e = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j, ++e)
      symmetric(i, j) = symmetric(j, i) = i == j ? vech[e] : vech[e] / std::numbers::sqrt2;
  return symmetric;
}

namespace {

// From orthogonal columns g_k of lengths sqrt(w_k).
SymmetricEigen normalised(Matrix g, Vector squares, bool failed) {
  const Index n = squares.size();
  if (failed || !squares.allFinite() || !(squares.minCoeff() > 0)) return {Vector::Zero(n), Matrix::Zero(n, n), false};
  for (Index k = 0; k < n; ++k) g.col(k) /= std::sqrt(squares[k]);
  return {std::move(squares), std::move(g), true};
}

}  // namespace

SymmetricEigen symmetric_eigen(ConstMatrixRef symmetric) {
  const Index n = symmetric.rows();
  Matrix a = symmetric.selfadjointView<Eigen::Lower>(), u(n, n);
  if (!a.allFinite()) return {Vector::Zero(n), Matrix::Zero(n, n), false};
  lanes::diagonalise(lanes::Size<0>{n}, a.data(), u.data());
  return {a.diagonal(), std::move(u), true};
}

SymmetricEigen spd_eigen(ConstMatrixRef spd) {
  const Index n = spd.rows();
  Matrix a = spd.transpose(), g(n, n);  // column-major storage of the transpose: the row-major lower triangle
  Vector squares(n);
  const bool failed = lanes::pivoted_cholesky(lanes::Size<0>{n}, a.data(), squares.data(), g.data());
  if (!failed) lanes::orthogonalise_columns(lanes::Size<0>{n}, g.data(), squares.data());
  return normalised(std::move(g), std::move(squares), failed);
}

SymmetricEigen factor_eigen(ConstMatrixRef M) {
  const Index n = M.rows();
  Matrix g = M;
  Vector squares(n);
  lanes::orthogonalise_columns(lanes::Size<0>{n}, g.data(), squares.data());
  return normalised(std::move(g), std::move(squares), false);
}

Matrix spd_log(ConstMatrixRef spd) {
  return apply_function(spd_eigen(spd), [](double w) { return std::log(w); });
}
Matrix spd_sqrt(ConstMatrixRef spd) {
  return apply_function(spd_eigen(spd), [](double w) { return std::sqrt(w); });
}
Matrix symmetric_exp(ConstMatrixRef symmetric) {
  return apply_function(symmetric_eigen(symmetric), [](double s) { return std::exp(s); });
}

bool cholesky_factor(ConstMatrixRef spd, Matrix& L) {
  const Index n = spd.rows();
  L = Matrix::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    const double pivot = spd(j, j) - L.row(j).head(j).squaredNorm();
    if (!(pivot > static_cast<double>(n) * lanes::epsilon * spd(j, j))) return false;
    L(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < n; ++i) L(i, j) = (spd(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / L(j, j);
  }
  return true;
}

}  // namespace wgp
