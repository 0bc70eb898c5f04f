#include "linalg/small_symmetric.h"

#include <numbers>

#include "linalg/products.h"

// The algorithms of the batches, on one matrix of doubles.
#define WGP_SIMD scalar
#include "simd/levels/jacobi_rotations.h"
#undef WGP_SIMD

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
  scalar::diagonalise(scalar::Size<0>{n}, a.data(), u.data());
  return {a.diagonal(), std::move(u), true};
}

SymmetricEigen spd_eigen(ConstMatrixRef spd) {
  const Index n = spd.rows();
  Matrix a = spd.transpose(), g(n, n);  // column-major storage of the transpose: the row-major lower triangle
  Vector squares(n);
  const bool failed = scalar::pivoted_cholesky(scalar::Size<0>{n}, a.data(), squares.data(), g.data());
  if (!failed) scalar::orthogonalise_columns(scalar::Size<0>{n}, g.data(), squares.data());
  return normalised(std::move(g), std::move(squares), failed);
}

SymmetricEigen factor_eigen(ConstMatrixRef M) {
  const Index n = M.rows();
  Matrix g = M;
  Vector squares(n);
  scalar::orthogonalise_columns(scalar::Size<0>{n}, g.data(), squares.data());
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
    if (!(pivot > static_cast<double>(n) * scalar::epsilon * spd(j, j))) return false;
    L(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < n; ++i) L(i, j) = (spd(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / L(j, j);
  }
  return true;
}

namespace {

// What the batched functions work in and what they could not do.
struct Batch {
  explicit Batch(Index n, Index columns) : room(symmetric_room(n)), failed(static_cast<std::size_t>(columns)) {}
  Vector room;
  std::vector<char> failed;
  bool* flags() { return reinterpret_cast<bool*>(failed.data()); }
  // Long vectors: from |S| = 1e100 on squares would overflow, and from 20 on eigenvalues may lie so far apart that the
  // rounding of the largest hides the smallest.
  void fail_lost(Index n, ConstMatrixRef vech, ConstVectorRef offset, ConstMatrixRef full) {
    Matrix L;
    for (Index i = 0; i < vech.cols(); ++i) {
      const double largest = (vech.col(i) + offset).cwiseAbs().maxCoeff();
      if (largest * static_cast<double>(n) < 20) continue;
      if (!(largest < 1e100) || !cholesky_factor(full.col(i).reshaped(n, n), L))
        failed[static_cast<std::size_t>(i)] = true;
    }
  }
  FailedColumns finish(MatrixRef output) {
    FailedColumns columns;
    for (std::size_t i = 0; i < failed.size(); ++i)
      if (failed[i]) {
        columns.push_back(static_cast<Index>(i));
        output.col(columns.back()).setConstant(std::numeric_limits<double>::quiet_NaN());
      }
    return columns;
  }
};
static_assert(sizeof(bool) == 1);

// The factor, and behind it the inverses of its diagonal.
Vector with_inverses(ConstMatrixRef L) {
  Vector numbers(L.size() + L.rows());
  numbers << L.reshaped(), L.diagonal().cwiseInverse();
  return numbers;
}

}  // namespace

FailedColumns spd_log(Index n, ConstMatrixRef full, MatrixRef vech) {
  Batch batch(n, full.cols());
  simd().symmetric.log(n, nullptr, columns(full), columns(vech), batch.flags(), batch.room.data());
  return batch.finish(vech);
}

FailedColumns whitened_log(ConstMatrixRef L, ConstMatrixRef full, MatrixRef vech) {
  Batch batch(L.rows(), full.cols());
  simd().symmetric.log(L.rows(), with_inverses(L).data(), columns(full), columns(vech), batch.flags(),
                       batch.room.data());
  return batch.finish(vech);
}

FailedColumns whitened_log_norm(ConstMatrixRef L, ConstMatrixRef full, VectorRef norms) {
  Batch batch(L.rows(), full.cols());
  simd().symmetric.log_norm(L.rows(), with_inverses(L).data(), columns(full), norms.data(), batch.flags(),
                            batch.room.data());
  return batch.finish(Eigen::Map<Matrix>(norms.data(), 1, norms.size()));
}

FailedColumns spd_sqrt(Index n, ConstMatrixRef full, MatrixRef roots) {
  Batch batch(n, full.cols());
  simd().symmetric.square_root(n, columns(full), columns(roots), batch.flags(), batch.room.data());
  return batch.finish(roots);
}

FailedColumns symmetric_exp(Index n, ConstMatrixRef vech, ConstVectorRef offset, MatrixRef full) {
  Batch batch(n, vech.cols());
  simd().symmetric.exp(n, nullptr, columns(vech), offset.data(), columns(full), batch.flags(), batch.room.data());
  batch.fail_lost(n, vech, offset, full);
  return batch.finish(full);
}

FailedColumns whitened_exp(ConstMatrixRef L, ConstMatrixRef vech, MatrixRef full) {
  Batch batch(L.rows(), vech.cols());
  simd().symmetric.exp(L.rows(), with_inverses(L).data(), columns(vech), nullptr, columns(full), batch.flags(),
                       batch.room.data());
  batch.fail_lost(L.rows(), vech, Vector::Zero(vech.rows()), full);
  return batch.finish(full);
}

}  // namespace wgp
