// The differential of the matrix logarithm at a positive definite P = U diag(w) U', and differences of logarithms.
//   D log[V] = U ((U'VU) / F) U',   F_ij = (w_i - w_j) / (log w_i - log w_j) = sqrt(w_i w_j) sinh(h) / h,
//   h = (log w_i - log w_j) / 2: the second form has no cancellation and no case i = j.
#pragma once

#include "linalg/small_symmetric.h"
#include "wgp/types.h"

namespace wgp {

// J_ij = d (exp(A + diag x))_ii / d x_j at x = 0, symmetric positive definite, from the decomposition of A.
Matrix diagonal_jacobian(const SymmetricEigen& A);

class LogDifferential {
 public:
  explicit LogDifferential(ConstMatrixRef P);

  Matrix log_tangent(ConstMatrixRef V) const;  // D log[V], V symmetric
  Matrix exp_tangent(ConstMatrixRef A) const;  // its inverse, D exp at log P
  double log_det() const;                      // log det of D exp on symmetric matrices: sum over i <= j of log F_ij

  double near_radius() const { return 1e-3 * eigen_.values.minCoeff(); }
  // log Q - log P to full relative accuracy, where |Q - P| <= near_radius(); false elsewhere.
  bool small_difference(ConstMatrixRef Q, Matrix& difference) const;

  Matrix diagonal_jacobian() const;  // at A = log P

 private:
  Matrix P_;
  SymmetricEigen eigen_;
  Vector log_values_;
  Matrix F_;
};

}  // namespace wgp
