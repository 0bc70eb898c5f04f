#include "linalg/polar.h"

#include <limits>

#include "linalg/decompositions.h"

namespace wgp {

double orthonormality_defect(ConstMatrixRef Y) {
  return (Y.transpose() * Y - Matrix::Identity(Y.cols(), Y.cols())).norm();
}

Matrix orthonormalise(ConstMatrixRef Y) {
  // The step converges for singular values below sqrt 3; beyond a rough match only the singular vectors are safe.
  const double defect = orthonormality_defect(Y);
  if (!(defect < 0.1)) return polar_factor(Y).Q;
  Matrix polished = newton_schulz(Y);
  const double rounding = 1e-15 * static_cast<double>(Y.cols());
  for (double left = defect * defect; left > rounding; left *= left) polished = newton_schulz(polished);
  return polished;
}

PolarFactor polar_factor(ConstMatrixRef A) {
  // What a decomposition makes of numbers that are not finite may well be finite.
  if (!A.allFinite()) return {Matrix::Constant(A.rows(), A.cols(), std::numeric_limits<double>::quiet_NaN()), 0};
  const Svd svd = jacobi_svd(A);
  const Vector& s = svd.s;
  return {svd.U * svd.V.transpose(), s[0] > 0 ? s[s.size() - 1] / s[0] : 0};
}

PolarFactor rotation_factor(ConstMatrixRef A) {
  Svd svd = jacobi_svd(A);
  const Vector& s = svd.s;
  const Index last = s.size() - 1;
  // The least costly way to turn a reflection into a rotation: flip the weakest direction.
  const bool reflection = determinant(svd.U * svd.V.transpose()) < 0;
  if (reflection) svd.U.col(last) *= -1;
  const double gap = s[last > 0 ? last - 1 : 0] + (reflection ? -s[last] : s[last]);
  return {svd.U * svd.V.transpose(), s[0] > 0 ? gap / s[0] : 0};
}

}  // namespace wgp
