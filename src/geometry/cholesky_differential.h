// The differential of P -> L, P = L L' (lower triangular, positive diagonal), and differences of factors.
//   dL = L Phi(L^-1 V L^-T),   Phi = strict lower triangle + half the diagonal
#pragma once

#include "wgp/types.h"

namespace wgp {

class CholeskyDifferential {
 public:
  explicit CholeskyDifferential(ConstMatrixRef P);

  const Matrix& factor() const { return L_; }
  Matrix factor_tangent(ConstMatrixRef V) const;  // dL, from symmetric V
  Matrix point_tangent(ConstMatrixRef dL) const;  // its inverse: dL L' + L dL'

  // |Q - P| <= |L|^2 |E| for E = L^-1 (Q - P) L^-T, and only |E| < 1e-3 is near.
  double near_radius() const { return 1e-3 * L_.squaredNorm(); }
  // X, lower triangular, with L_Q = L (I + X), to full relative accuracy; false where Q is not so near P that the plain
  // difference L_Q - L would lose digits.
  bool small_difference(ConstMatrixRef Q, Matrix& X) const;

 private:
  Matrix whiten(ConstMatrixRef V) const;  // L^-1 V L^-T

  Matrix P_, L_;
};

}  // namespace wgp
