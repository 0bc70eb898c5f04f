#include "gp/likelihood.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "linalg/cholesky.h"

namespace wgp {

Matrix compress_rows(ConstMatrixRef V) {
  if (V.rows() == 0 || V.cols() == 0) return V;
  Matrix tall = V;
  if (V.rows() > V.cols()) {
    const Eigen::HouseholderQR<Matrix> qr(V);
    tall = qr.matrixQR().topRows(V.cols()).triangularView<Eigen::Upper>();
  }
  const Eigen::BDCSVD<Matrix> svd(tall, Eigen::ComputeThinU);
  const Vector& s = svd.singularValues();
  Index rank = 1;
  while (rank < s.size() && s[rank] > 1e-13 * s[0]) ++rank;
  if (rank == V.rows()) return V;  // nothing to gain, and no rounding
  return svd.matrixU().leftCols(rank).transpose() * tall;
}

double factor_with_jitter(MatrixRef K, double first_jitter) {
  const Vector diagonal = K.diagonal();
  const double scale = diagonal.mean();
  if (!(scale > 0 && std::isfinite(scale))) return -1;
  Matrix untouched = K;  // the factorisation overwrites it
  for (double jitter = first_jitter;; jitter = jitter == 0 ? 1e-10 * scale : 10 * jitter) {
    if (jitter > 2e-5 * scale) return -1;
    K.diagonal().array() += jitter;
    if (cholesky_lower(K)) return jitter;
    K.triangularView<Eigen::Lower>() = untouched;
  }
}

namespace {

class DenseEngine final : public GpEngine {
 public:
  DenseEngine(KernelPtr kernel, Matrix Z, Index d)
      : kernel_(std::move(kernel)), Z_(std::move(Z)), d_(d), K_(Z_.cols(), Z_.cols()), L_(Z_.cols(), Z_.cols()) {}

  double value(ConstMatrixRef X, ConstVectorRef theta, double noise) override {
    const Index N = Z_.cols();
    X_ = X;
    theta_ = theta;
    kernel_->cov_lower(theta, X, K_);
    L_.triangularView<Eigen::Lower>() = K_;
    L_.diagonal().array() += noise;
    // Sticky: once needed, jitter stays, or the objective would not be one function.
    bool factored = jitter_ == 0 && cholesky_lower(L_);
    if (!factored) {
      L_.triangularView<Eigen::Lower>() = K_;
      L_.diagonal().array() += noise;
      const double added = factor_with_jitter(L_, jitter_);
      if (added < 0) return -std::numeric_limits<double>::infinity();
      jitter_ = std::max(jitter_, added);
    }
    W_ = Z_.transpose();
    L_.triangularView<Eigen::Lower>().solveInPlace(W_);
    const double d = static_cast<double>(d_);
    return -0.5 * (d * static_cast<double>(N) * std::log(2 * std::numbers::pi) + d * log_det_from_cholesky(L_) +
                   W_.squaredNorm());
  }

  GpGradient gradient() override {
    const Index N = Z_.cols();
    Matrix A = W_;
    L_.triangularView<Eigen::Lower>().transpose().solveInPlace(A);
    inverse_from_cholesky(L_);
    L_.triangularView<Eigen::Lower>() *= -0.5 * static_cast<double>(d_);
    L_.selfadjointView<Eigen::Lower>().rankUpdate(A, 0.5);
    GpGradient gradient{Matrix::Zero(X_.rows(), N), Vector::Zero(theta_.size()), L_.diagonal().sum()};
    kernel_->pull_back_lower(theta_, X_, K_, L_, gradient.theta, gradient.X);
    return gradient;
  }

  double jitter() const override { return jitter_; }

 private:
  KernelPtr kernel_;
  Matrix Z_;
  Index d_;
  Matrix K_, L_, W_;  // kernel; factor, then G; L^-1 Z'
  Matrix X_;
  Vector theta_;
  double jitter_ = 0;
};

}  // namespace

std::unique_ptr<GpEngine> dense_engine(KernelPtr kernel, Matrix Z, Index d) {
  return std::make_unique<DenseEngine>(std::move(kernel), std::move(Z), d);
}

std::unique_ptr<GpEngine> make_engine(const KernelPtr& kernel, const LatentSpace& latent, Matrix Z, Index d) {
  if (auto engine = fourier_engine(kernel, latent, Z, d)) return engine;
  return dense_engine(kernel, std::move(Z), d);
}

}  // namespace wgp
