#include "linalg/cholesky.h"

#include <Eigen/Cholesky>
#include <cmath>

namespace wgp {
namespace {

constexpr Index leaf = 48;

// The upper half of the rows, a multiple of 16 so that blocks stay aligned.
Index half(Index n) { return (n / 2 + 15) / 16 * 16; }

}  // namespace

bool cholesky_lower(MatrixRef A) {
  const Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> factor(A);
  if (factor.info() != Eigen::Success) return false;
  return A.diagonal().array().isFinite().all();
}

// [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1, C^-1]
void invert_triangle(MatrixRef L) {
  const Index n = L.rows();
  if (n <= leaf) {
    Matrix inverse = Matrix::Identity(n, n);
    L.triangularView<Eigen::Lower>().solveInPlace(inverse);
    L.triangularView<Eigen::Lower>() = inverse;
    return;
  }
  const Index m = half(n);
  auto A = L.topLeftCorner(m, m);
  auto B = L.bottomLeftCorner(n - m, m);
  auto C = L.bottomRightCorner(n - m, n - m);
  invert_triangle(A);
  invert_triangle(C);
  const Matrix CB = C.triangularView<Eigen::Lower>() * B;
  B.noalias() = -(CB * A.triangularView<Eigen::Lower>());
}

// [A 0; B C]'[A 0; B C] = [A'A + B'B, .; C'B, C'C]
void triangle_gram(MatrixRef L) {
  const Index n = L.rows();
  if (n <= leaf) {
    const Matrix lower = L.triangularView<Eigen::Lower>();
    L.triangularView<Eigen::Lower>() = lower.transpose() * lower;
    return;
  }
  const Index m = half(n);
  auto A = L.topLeftCorner(m, m);
  auto B = L.bottomLeftCorner(n - m, m);
  auto C = L.bottomRightCorner(n - m, n - m);
  triangle_gram(A);
  A.selfadjointView<Eigen::Lower>().rankUpdate(B.transpose());
  B = C.triangularView<Eigen::Lower>().transpose() * B.eval();
  triangle_gram(C);
}

double log_det_from_cholesky(ConstMatrixRef L) { return 2 * L.diagonal().array().log().sum(); }

}  // namespace wgp
