// Nearest matrices with orthonormal columns.
#pragma once

#include "wgp/types.h"

namespace wgp {

// |Y'Y - I| in the Frobenius norm.
double orthonormality_defect(ConstMatrixRef Y);

// One Newton-Schulz step Y (3 I - Y'Y) / 2 towards the polar factor: squares the defect, so it removes the rounding of
// a matrix whose columns are orthonormal up to 1e-8 or so.
template <class Derived>
typename Derived::PlainObject newton_schulz(const Eigen::MatrixBase<Derived>& expression) {
  const typename Derived::PlainObject Y = expression;
  return 1.5 * Y - 0.5 * Y * (Y.transpose() * Y);
}

// Repeats the step until it stops to matter; for input that is a point up to rounding.
Matrix orthonormalise(ConstMatrixRef Y);

// The orthonormal factor of a tall matrix, nearest to it in the Frobenius norm. sharpness: smallest over largest
// singular value; at 0 the factor is not unique.
struct PolarFactor {
  Matrix Q;
  double sharpness = 0;
};
PolarFactor polar_factor(ConstMatrixRef A);

// The nearest rotation to a square matrix: as above with determinant +1. sharpness: (s_(n-1) +- s_n) / s_1, the sign
// that of det A; at 0 there are several nearest rotations.
PolarFactor rotation_factor(ConstMatrixRef A);

}  // namespace wgp
