// Jacobi fields along a geodesic, and the differentials of Exp and Log that follow from them.
//
// Along t -> Exp_p(t v), 0 <= t <= 1, with E the frame at p and E' its parallel transport to q = Exp_p(v), everything
// is in coordinates: inputs "at p" refer to E, inputs "at q" to E'.
//   J0: the field with J(0) = 0, J'(0) = x   ->  J(1) = J0 x = dExp_p(v)[x]
//   J1: the field with J(0) = x, J'(0) = 0   ->  J(1) = J1 x = the motion of the end point when p moves along x and v
//   is
//                                                              carried along in parallel
//   D_p Log_p(q) = -J0^-1 J1   (covariant; equals -Hess_p of d^2/2, hence self-adjoint)
//   D_q Log_p(q) =  J0^-1
// On a symmetric space the Jacobi operator R(., v)v = F Lambda F^T is constant in a parallel frame, so that
//   J0 = F S(Lambda) F^T,   J1 = F C(Lambda) F^T,   log|det J0| = sum_i log|S(lambda_i)|
// with the scalar functions below. Reference: do Carmo, Riemannian Geometry, chapter 5.
#pragma once

#include <memory>

#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// lambda = curvature times squared length. r = sqrt|lambda|.
double jacobi_S(double lambda);          // sin r / r,  1,  sinh r / r
double jacobi_C(double lambda);          // cos r,      1,  cosh r
double jacobi_H(double lambda);          // (1 - C) / lambda = S(lambda / 4)^2 / 2, without cancellation
double jacobi_C_over_S(double lambda);   // r cot r,    1,  r coth r
double jacobi_log_abs_S(double lambda);  // log|S|, to full relative accuracy near 0, without overflow
double cot_minus_inverse(double x);      // c(x)  = cot x - 1/x,  the derivative of log(sin x / x)
double coth_minus_inverse(double x);     // ch(x) = coth x - 1/x, the derivative of log(sinh x / x)

using ScalarFunction = double (*)(double lambda);

class JacobiFields {
 public:
  virtual ~JacobiFields() = default;

  // Each takes and returns one tangent vector per column.
  virtual Matrix dexp(ConstMatrixRef at_p) const = 0;               // J0 x
  virtual Matrix dexp_adjoint(ConstMatrixRef at_q) const = 0;       // J0^T y
  virtual Matrix dexp_base(ConstMatrixRef at_p) const = 0;          // J1 x
  virtual Matrix dexp_base_adjoint(ConstMatrixRef at_q) const = 0;  // J1^T y
  virtual Matrix dlog_base(ConstMatrixRef at_p) const = 0;          // -J0^-1 J1 x, its own adjoint
  // weight times its matrix, added up: for sums over many geodesics.
  virtual void add_dlog_base(double weight, MatrixRef into) const {
    into += weight * dlog_base(Matrix::Identity(into.rows(), into.cols()));
  }
  virtual Matrix dlog_end(ConstMatrixRef at_q) const = 0;          // J0^-1 y
  virtual Matrix dlog_end_adjoint(ConstMatrixRef at_p) const = 0;  // J0^-T x
  virtual double log_det() const = 0;                              // log|det J0|
  virtual Vector log_det_gradient() const = 0;                     // its gradient in v
};

// Base for symmetric spaces: supply x -> F g(Lambda) F^T x and the two determinant terms, get the rest.
class SymmetricJacobiFields : public JacobiFields {
 public:
  virtual Matrix apply(ScalarFunction g, ConstMatrixRef x) const = 0;  // F g(Lambda) F^T x

  Matrix dexp(ConstMatrixRef x) const final { return apply(jacobi_S, x); }
  Matrix dexp_adjoint(ConstMatrixRef y) const final { return apply(jacobi_S, y); }
  Matrix dexp_base(ConstMatrixRef x) const final { return apply(jacobi_C, x); }
  Matrix dexp_base_adjoint(ConstMatrixRef y) const final { return apply(jacobi_C, y); }
  Matrix dlog_base(ConstMatrixRef x) const final { return -apply(jacobi_C_over_S, x); }
  Matrix dlog_end(ConstMatrixRef y) const final;
  Matrix dlog_end_adjoint(ConstMatrixRef x) const final { return dlog_end(x); }
};

// The flat case: J0 = J1 = I.
std::unique_ptr<const JacobiFields> flat_jacobi_fields(Index dim);

// From dense J0, J1 (dim x dim) where no closed form exists; log_det_gradient must come along.
std::unique_ptr<const JacobiFields> dense_jacobi_fields(Matrix J0, Matrix J1, Vector log_det_gradient);

}  // namespace WGP_PUBLIC
