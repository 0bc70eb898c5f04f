#include "gp/conditioning.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gp/likelihood.h"
#include "linalg/cholesky.h"

namespace wgp {
namespace {

constexpr Index columns_at_once = 512;  // memory grows with the points, not with the inputs asked for

}  // namespace

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
}

// (K^-1)_ii is the squared norm of column i of L^-1, which is zero above i.
const Vector& GpPosterior::inverse_diagonal() const {
  std::call_once(inverse_diagonal_->known, [&] {
    constexpr Index width = 64;
    const Index N = L_.rows();
    inverse_diagonal_->values.resize(N);
    Matrix columns;
    for (Index first = 0; first < N; first += width) {
      const Index rest = N - first, count = std::min(width, rest);
      columns.setIdentity(rest, count);
      L_.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>().solveInPlace(columns);
      inverse_diagonal_->values.segment(first, count) = columns.colwise().squaredNorm().transpose();
    }
  });
  return inverse_diagonal_->values;
}

GpPrediction GpPosterior::predict(ConstMatrixRef at) const {
  GpPrediction prediction{Matrix(A_.cols(), at.cols()), kernel_->diag(theta_, at)};
  for (Index first = 0; first < at.cols(); first += columns_at_once) {
    const Index count = std::min(columns_at_once, at.cols() - first);
    Matrix k = kernel_->cov(theta_, X_, at.middleCols(first, count));
    prediction.mean.middleCols(first, count).noalias() = A_.transpose() * k;
    L_.triangularView<Eigen::Lower>().solveInPlace(k);
    prediction.variance.segment(first, count) -= k.colwise().squaredNorm().transpose();
  }
  prediction.variance = prediction.variance.cwiseMax(0);
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
    const double q = inverse_diagonal()[i];
    density[i] = -d / 2 * std::log(2 * std::numbers::pi / q) - A_.row(i).squaredNorm() / (2 * q);
  }
  return density;
}

}  // namespace wgp
