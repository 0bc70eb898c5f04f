#include "wgp/jacobi.h"
#include "linalg/decompositions.h"

#include <cmath>

namespace wgp {

// sin r / r and sinh r / r are fully accurate for every r != 0; only r = 0 needs a branch.
double jacobi_S(double lambda) {
  if (lambda == 0) return 1;
  const double r = std::sqrt(std::abs(lambda));
  return (lambda > 0 ? std::sin(r) : std::sinh(r)) / r;
}

double jacobi_C(double lambda) {
  const double r = std::sqrt(std::abs(lambda));
  return lambda > 0 ? std::cos(r) : std::cosh(r);
}

double jacobi_H(double lambda) {
  const double s = jacobi_S(lambda / 4);
  return s * s / 2;
}

double jacobi_C_over_S(double lambda) {
  if (lambda == 0) return 1;
  const double r = std::sqrt(std::abs(lambda));
  return lambda > 0 ? r / std::tan(r) : r / std::tanh(r);
}

double jacobi_log_abs_S(double lambda) {
  if (std::abs(lambda) < 1e-2)  // log of a number near 1 loses the relative accuracy of a small result
    return -lambda *
           (1.0 / 6 + lambda * (1.0 / 180 + lambda * (1.0 / 2835 + lambda * (1.0 / 37800 + lambda / 467775))));
  const double r = std::sqrt(std::abs(lambda));
  if (lambda > 0) return std::log(std::abs(std::sin(r)) / r);
  return r > 20 ? r - std::log(2 * r) + std::log1p(-std::exp(-2 * r)) : std::log(std::sinh(r) / r);
}

// x cot x and x coth x start as 1 -+ x^2/3; below 0.3 their series (Bernoulli numbers) avoids the cancellation with 1.
double cot_minus_inverse(double x) {
  if (std::abs(x) >= 0.3) return 1 / std::tan(x) - 1 / x;
  const double y = x * x;
  return -x * (1.0 / 3 +
               y * (1.0 / 45 + y * (2.0 / 945 + y * (1.0 / 4725 + y * (2.0 / 93555 + y * (1382.0 / 638512875 +
                                                                                          y * (4.0 / 18243225)))))));
}

double coth_minus_inverse(double x) {
  if (std::abs(x) >= 0.3) return 1 / std::tanh(x) - 1 / x;
  const double y = x * x;
  return x * (1.0 / 3 -
              y * (1.0 / 45 - y * (2.0 / 945 - y * (1.0 / 4725 - y * (2.0 / 93555 - y * (1382.0 / 638512875 -
                                                                                         y * (4.0 / 18243225)))))));
}

Matrix SymmetricJacobiFields::dlog_end(ConstMatrixRef y) const {
  return apply([](double lambda) { return 1 / jacobi_S(lambda); }, y);
}

namespace {

class FlatJacobiFields final : public SymmetricJacobiFields {
 public:
  explicit FlatJacobiFields(Index dim) : dim_(dim) {}
  Matrix apply(ScalarFunction g, ConstMatrixRef x) const override { return g(0) * x; }
  double log_det() const override { return 0; }
  Vector log_det_gradient() const override { return Vector::Zero(dim_); }

 private:
  Index dim_;
};

class DenseJacobiFields final : public JacobiFields {
 public:
  DenseJacobiFields(Matrix J0, Matrix J1, Vector gradient)
      : J0_(std::move(J0)), J1_(std::move(J1)), gradient_(std::move(gradient)), lu_(J0_) {}

  Matrix dexp(ConstMatrixRef x) const override { return J0_ * x; }
  Matrix dexp_adjoint(ConstMatrixRef y) const override { return J0_.transpose() * y; }
  Matrix dexp_base(ConstMatrixRef x) const override { return J1_ * x; }
  Matrix dexp_base_adjoint(ConstMatrixRef y) const override { return J1_.transpose() * y; }
  Matrix dlog_base(ConstMatrixRef x) const override { return -lu_.solve(J1_ * x); }
  Matrix dlog_end(ConstMatrixRef y) const override { return lu_.solve(y); }
  Matrix dlog_end_adjoint(ConstMatrixRef x) const override { return lu_.transpose_solve(x); }
  double log_det() const override { return lu_.log_abs_determinant(); }
  Vector log_det_gradient() const override { return gradient_; }

 private:
  Matrix J0_, J1_;
  Vector gradient_;
  Lu lu_;
};

}  // namespace

std::unique_ptr<const JacobiFields> flat_jacobi_fields(Index dim) { return std::make_unique<FlatJacobiFields>(dim); }

std::unique_ptr<const JacobiFields> dense_jacobi_fields(Matrix J0, Matrix J1, Vector log_det_gradient) {
  return std::make_unique<DenseJacobiFields>(std::move(J0), std::move(J1), std::move(log_det_gradient));
}

}  // namespace wgp
