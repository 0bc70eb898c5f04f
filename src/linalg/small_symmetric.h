// Eigen-decompositions and functions of small symmetric matrices, many at once and to high relative accuracy.
//
// Batches are matrices whose columns are the small matrices: "full" is n * n numbers row by row (the lower triangle is
// read, both are written), "vech" the lower triangle row by row with off-diagonals times sqrt 2, an isometry from
// (symmetric matrices, Frobenius) to R^(n(n+1)/2). Eight columns are worked on together, one per SIMD lane; the result
// for a column does not depend on its neighbours.
//
// Positive definite input goes through a pivoted Cholesky factor and one-sided Jacobi rotations: every eigenvalue of
// D C D, C well conditioned and D any diagonal, comes out to nearly full RELATIVE accuracy, whatever its condition
// number. References: Demmel and Veselic (1992), Veselic and Hari (1989).
#pragma once

#include <vector>

#include "wgp/types.h"

namespace wgp {

Index vech_size(Index n);
Vector vech_sqrt2(ConstMatrixRef symmetric);
Matrix unvech_sqrt2(ConstVectorRef vech, Index n);

// The columns that could not be done: not positive definite to working precision, not finite, overflow. Their results
// are NaN. Empty almost always.
using FailedColumns = std::vector<Index>;

FailedColumns spd_log(Index n, ConstMatrixRef full, MatrixRef vech);
FailedColumns spd_sqrt(Index n, ConstMatrixRef full, MatrixRef roots);
// exp(offset + S); offset in vech form.
FailedColumns symmetric_exp(Index n, ConstMatrixRef vech, ConstVectorRef offset, MatrixRef full);

// The same seen from a lower triangular L: log(L^-1 Q L^-T), its Frobenius norm, and L exp(A) L'. The matrix
// L^-1 Q L^-T is never formed: the singular values of L^-1 times a factor of Q keep their relative accuracy.
FailedColumns whitened_log(ConstMatrixRef L, ConstMatrixRef full, MatrixRef vech);
FailedColumns whitened_log_norm(ConstMatrixRef L, ConstMatrixRef full, VectorRef norms);
FailedColumns whitened_exp(ConstMatrixRef L, ConstMatrixRef vech, MatrixRef full);

// One matrix: symmetric = vectors diag(values) vectors', values in no particular order.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
  bool ok =
      true;  // false: not finite, or (spd_eigen, factor_eigen) not positive definite; values and vectors are then 0
};
SymmetricEigen symmetric_eigen(ConstMatrixRef symmetric);
SymmetricEigen spd_eigen(ConstMatrixRef spd);
SymmetricEigen factor_eigen(ConstMatrixRef M);  // of M M', without forming it; M square

// vectors diag(f(values)) vectors'
template <class Function>
Matrix apply_function(const SymmetricEigen& eigen, Function f) {
  return eigen.vectors * eigen.values.unaryExpr(f).asDiagonal() * eigen.vectors.transpose();
}
Matrix spd_log(ConstMatrixRef spd);
Matrix spd_sqrt(ConstMatrixRef spd);
Matrix symmetric_exp(ConstMatrixRef symmetric);

// The lower Cholesky factor; nothing where a pivot is at rounding level of the diagonal entry it started from. Scaling
// rows and columns does not change the answer.
bool cholesky_factor(ConstMatrixRef spd, Matrix& L);

}  // namespace wgp
