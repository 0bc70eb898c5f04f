#include "gp/conditioning.h"

#include <cmath>
#include <numbers>

#include "gp/likelihood.h"
#include "linalg/cholesky.h"

namespace wgp {

GpPosterior::GpPosterior(KernelPtr kernel, Vector theta, double noise, Matrix X, ConstMatrixRef V)
    : kernel_(std::move(kernel)), theta_(std::move(theta)), noise_(noise), X_(std::move(X)) {
  const Index N = X_.cols();
  L_.resize(N, N);
  kernel_->cov_lower(theta_, X_, L_);
  L_.diagonal().array() += noise_;
  jitter_ = factor_with_jitter(L_, 0);
  if (jitter_ < 0) return;
  ok_ = true;
  A_ = V.transpose();
  L_.triangularView<Eigen::Lower>().solveInPlace(A_);
  L_.triangularView<Eigen::Lower>().transpose().solveInPlace(A_);
  inverse_ = L_;
  inverse_from_cholesky(inverse_);
  inverse_ = Matrix(inverse_.selfadjointView<Eigen::Lower>());
}

GpPrediction GpPosterior::predict(ConstMatrixRef at) const {
  Matrix k = kernel_->cov(theta_, X_, at);
  GpPrediction prediction;
  prediction.mean.noalias() = A_.transpose() * k;
  L_.triangularView<Eigen::Lower>().solveInPlace(k);
  prediction.variance = (kernel_->diag(theta_, at) - k.colwise().squaredNorm().transpose()).cwiseMax(0);
  return prediction;
}

Matrix GpPosterior::covariance(ConstMatrixRef at) const {
  Matrix k = kernel_->cov(theta_, X_, at);
  L_.triangularView<Eigen::Lower>().solveInPlace(k);
  return kernel_->cov(theta_, at, at) - k.transpose() * k;
}

Vector GpPosterior::leave_one_out(ConstMatrixRef V) const {
  const double d = static_cast<double>(V.rows());
  Vector density(V.cols());
  for (Index i = 0; i < V.cols(); ++i) {
    const double q = inverse_(i, i);
    density[i] = -d / 2 * std::log(2 * std::numbers::pi / q) - A_.row(i).squaredNorm() / (2 * q);
  }
  return density;
}

}  // namespace wgp
