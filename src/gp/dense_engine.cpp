// The likelihood by dense linear algebra: one sweep where the covariance is well conditioned, Cholesky with the jitter
// policy where it is not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "gp/dense_tiles.h"
#include "linalg/cholesky.h"

namespace wgp {
namespace {

// Below this share of the signal's variance the sweep is less accurate than Cholesky.
constexpr double smallest_noise_share = 1e-6;
constexpr Index points_a_member = 200;  // loops over fewer are over before another thread is at work
constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_plain_rbf(const Kernel& kernel) { return kernel.spec() == "rbf" && kernel.angle_length_parameters().empty(); }

class DenseEngine final : public GpEngine {
 public:
  DenseEngine(KernelPtr kernel, Matrix Z, Index d, DensePath path, int threads)
      : kernel_(std::move(kernel)), Z_(std::move(Z)), d_(d), path_(path), plain_rbf_(is_plain_rbf(*kernel_)) {
    // No more than the machine has, nor than there is work for.
    const Index members =
        std::min<Index>({threads, std::max(1U, std::thread::hardware_concurrency()), Z_.cols() / points_a_member});
    if (members > 1) executor_ = std::make_unique<Executor>(static_cast<int>(members));
  }

  double value(ConstMatrixRef X, ConstVectorRef theta, double noise) override {
    remember(X, theta, noise);
    if (prepare_sweep() && swept_->sweep.factor(swept_->S)) return swept_value();
    return safe_value();
  }
  GpGradient gradient() override {
    GpGradient gradient;
    if (!swept_) return safe_gradient();
    refill();
    if (swept_->sweep.invert(swept_->S)) {
      finish(gradient);
      return gradient;
    }
    safe_value();
    return safe_gradient();
  }
  double value_and_gradient(ConstMatrixRef X, ConstVectorRef theta, double noise, GpGradient& gradient) override {
    remember(X, theta, noise);
    if (prepare_sweep() && swept_->sweep.invert(swept_->S)) {
      const double value = swept_value();
      finish(gradient);
      return value;
    }
    const double value = safe_value();
    if (std::isfinite(value)) gradient = safe_gradient();
    return value;
  }
  double jitter() const override { return jitter_; }

 private:
  // What the sweep works on. The safe path has its own two matrices; only one of the paths holds memory at a time.
  struct Swept {
    PanelMatrix S, K;  // covariance with Z below it; covariance of the function values (plain rbf only)
    Sweep sweep;
    LikelihoodTiles tiles;
    std::optional<RbfTiles> rbf;
  };

  void remember(ConstMatrixRef X, ConstVectorRef theta, double noise) {
    X_ = X;
    theta_ = theta;
    noise_ = noise;
  }
  // The covariance into the sweep's matrix; false where the sweep should not be used.
  bool prepare_sweep() {
    if (!simd().sweep.fast || path_ == DensePath::safe || jitter_ > 0) return false;
    const Index N = Z_.cols(), rank = Z_.rows();
    double signal = 0;
    if (plain_rbf_) {
      signal = std::exp(theta_[0]);
    } else {
      K_.resize(N, N);
      kernel_->cov_lower(theta_, X_, K_);
      signal = K_.diagonal().maxCoeff();
    }
    if (!(noise_ >= smallest_noise_share * signal)) return false;
    if (!swept_) {
      L_.resize(0, 0);
      swept_.emplace(Swept{PanelMatrix(N, rank), PanelMatrix(plain_rbf_ ? N : 0, 0), Sweep(N, rank, executor_.get()),
                           LikelihoodTiles(N, rank, executor_.get()), std::nullopt});
      if (plain_rbf_) {
        K_.resize(0, 0);
        swept_->rbf.emplace(N, X_.rows(), executor_.get());
      }
    }
    if (plain_rbf_)
      swept_->rbf->fill(theta_, X_, noise_, swept_->K, swept_->S);
    else
      pack_lower(K_, noise_, swept_->S);
    append_rows(Z_, swept_->S, executor_.get());
    return true;
  }
  void refill() {
    if (plain_rbf_)
      swept_->rbf->refill(theta_, noise_, swept_->K, swept_->S);
    else
      pack_lower(K_, noise_, swept_->S);
    append_rows(Z_, swept_->S, executor_.get());
  }
  double swept_value() const { return log_likelihood(swept_->sweep.log_det(), swept_->sweep.quadratic()); }
  double log_likelihood(double log_det, double quadratic) const {
    const double d = static_cast<double>(d_), N = static_cast<double>(Z_.cols());
    return -0.5 * (d * N * std::log(2 * std::numbers::pi) + d * log_det + quadratic);
  }
  void finish(GpGradient& gradient) {
    swept_->tiles.take(swept_->S, d_);
    if (plain_rbf_) {
      swept_->rbf->pull_back(theta_, swept_->K, swept_->tiles, gradient);
      return;
    }
    L_.resize(Z_.cols(), Z_.cols());
    swept_->tiles.lower(L_);
    pull_back(gradient);
  }
  void pull_back(GpGradient& gradient) const {
    gradient.X.setZero(X_.rows(), X_.cols());
    gradient.theta.setZero(theta_.size());
    gradient.noise = L_.diagonal().sum();
    kernel_->pull_back_lower(theta_, X_, K_, L_, gradient.theta, gradient.X);
  }

  double safe_value() {
    swept_.reset();
    const Index N = Z_.cols();
    K_.resize(N, N);
    L_.resize(N, N);
    kernel_->cov_lower(theta_, X_, K_);
    L_.triangularView<Eigen::Lower>() = K_;
    L_.diagonal().array() += noise_;
    // Sticky: once needed, jitter stays, or the objective would not be one function.
    bool factored = jitter_ == 0 && cholesky_lower(L_);
    if (!factored) {
      L_.triangularView<Eigen::Lower>() = K_;
      L_.diagonal().array() += noise_;
      const double added = factor_with_jitter(L_, jitter_);
      if (added < 0) return -infinity;
      jitter_ = std::max(jitter_, added);
    }
    W_ = Z_.transpose();
    L_.triangularView<Eigen::Lower>().solveInPlace(W_);
    return log_likelihood(log_det_from_cholesky(L_), W_.squaredNorm());
  }
  GpGradient safe_gradient() {
    Matrix A = W_;
    L_.triangularView<Eigen::Lower>().transpose().solveInPlace(A);
    inverse_from_cholesky(L_);
    L_.triangularView<Eigen::Lower>() *= -0.5 * static_cast<double>(d_);
    L_.selfadjointView<Eigen::Lower>().rankUpdate(A, 0.5);
    GpGradient gradient;
    pull_back(gradient);
    return gradient;
  }

  KernelPtr kernel_;
  Matrix Z_;
  Index d_;
  DensePath path_;
  bool plain_rbf_;
  Matrix X_;
  Vector theta_;
  double noise_ = 0, jitter_ = 0;
  std::unique_ptr<Executor> executor_;
  std::optional<Swept> swept_;
  Matrix K_, L_, W_;  // kernel; factor, then G; L^-1 Z'
};

}  // namespace

std::unique_ptr<GpEngine> dense_engine(KernelPtr kernel, Matrix Z, Index d, DensePath path, int threads) {
  return std::make_unique<DenseEngine>(std::move(kernel), std::move(Z), d, path, threads);
}

}  // namespace wgp
