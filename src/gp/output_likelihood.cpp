#include "gp/output_likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "linalg/cholesky.h"

namespace wgp {

double OutputLikelihood::value(ConstMatrixRef X, ConstVectorRef theta, double noise, ConstMatrixRef V) {
  const Index N = X.cols();
  X_ = X;
  theta_ = theta;
  K_.resize(N, N);
  L_.resize(N, N);
  kernel_->cov_lower(theta_, X_, K_);
  L_.triangularView<Eigen::Lower>() = K_;
  L_.diagonal().array() += noise;
  // Sticky: once needed, jitter stays, or the objective would not be one function.
  if (jitter_ > 0 || !cholesky_lower(L_)) {
    L_.triangularView<Eigen::Lower>() = K_;
    L_.diagonal().array() += noise;
    const double added = factor_with_jitter(L_, jitter_);
    if (added < 0) return -std::numeric_limits<double>::infinity();
    jitter_ = std::max(jitter_, added);
  }
  A_ = V.transpose();
  L_.triangularView<Eigen::Lower>().solveInPlace(A_);
  const double quadratic = A_.squaredNorm();
  L_.triangularView<Eigen::Lower>().transpose().solveInPlace(A_);
  const double d = static_cast<double>(V.rows());
  return -0.5 *
         (static_cast<double>(V.size()) * std::log(2 * std::numbers::pi) + d * log_det_from_cholesky(L_) + quadratic);
}

GpGradient OutputLikelihood::gradient(Matrix& dL_dV) {
  dL_dV = -A_.transpose();
  inverse_from_cholesky(L_);
  L_.triangularView<Eigen::Lower>() *= -0.5 * static_cast<double>(A_.cols());
  L_.selfadjointView<Eigen::Lower>().rankUpdate(A_, 0.5);
  GpGradient gradient{Matrix::Zero(X_.rows(), X_.cols()), Vector::Zero(theta_.size()), L_.diagonal().sum()};
  kernel_->pull_back_lower(theta_, X_, K_, L_, gradient.theta, gradient.X);
  return gradient;
}

}  // namespace wgp
