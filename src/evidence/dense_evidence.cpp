// The exact evidence by dense linear algebra: one sweep where the covariance is well conditioned, Cholesky with the
// jitter policy where it is not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "evidence/dense_tiles.h"
#include "evidence/evidence.h"
#include "gp/dense_posterior.h"
#include "gp/jitter.h"
#include "gp/kernels.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace wgp {
namespace {

// Below this share of the signal's variance the sweep is less accurate than Cholesky.
constexpr double smallest_noise_share = 1e-6;
constexpr Index points_a_worker = 200;  // loops over fewer are over before another thread is at work

class DenseEvidence final : public Evidence {
 public:
  DenseEvidence(const EvidenceSetting& setting, DensePath path)
      : setting_(setting), kernel_(*setting.kernel), path_(path), plain_rbf_(is_plain_rbf(kernel_)) {}

  double value(const Parameters& at, const Outputs& outputs) override {
    remember(at, outputs);
    if (prepare_sweep() && swept_->sweep.factor(swept_->S)) return swept_value();
    return safe_value();
  }
  void gradient(EvidenceGradient& gradient, ByOutputs by_outputs) override {
    if (swept_) {
      refill();
      if (swept_->sweep.invert(swept_->S)) {
        finish(gradient, by_outputs);
        return;
      }
      safe_value();
    }
    safe_gradient(gradient, by_outputs);
  }
  double value_and_gradient(const Parameters& at, const Outputs& outputs, EvidenceGradient& gradient,
                            ByOutputs by_outputs) override {
    remember(at, outputs);
    if (prepare_sweep() && swept_->sweep.invert(swept_->S)) {
      const double value = swept_value();
      finish(gradient, by_outputs);
      return value;
    }
    const double value = safe_value();
    if (std::isfinite(value)) safe_gradient(gradient, by_outputs);
    return value;
  }
  double jitter() const override { return jitter_; }

  PosteriorPtr condition(const Parameters& at, double noise, ConstMatrixRef V) const override {
    return condition_densely({setting_.kernel, setting_.latent, at.theta, noise, 0, at.X, V, {}, {}}, setting_.control);
  }

 private:
  // What the sweep works on. The safe path has its own two matrices; only one of the paths holds memory at a time.
  struct Swept {
    PanelMatrix S, K;  // covariance with the outputs below it; covariance of the function values (plain rbf only)
    Sweep sweep;
    LikelihoodTiles tiles;
    std::optional<RbfTiles> rbf;
  };

  Index N() const { return X_.cols(); }
  Index rank() const { return outputs_->rows.rows(); }
  Executor* executor() const {
    const bool worth = setting_.executor && setting_.executor->workers() > 1 && N() >= 2 * points_a_worker;
    return worth ? setting_.executor : nullptr;
  }

  void remember(const Parameters& at, const Outputs& outputs) {
    // By what is here: the outputs of the last call may be gone, or be these with other rows.
    if (swept_ &&
        (swept_->S.size() != at.X.cols() || swept_->S.appended() != outputs.rows.rows() || X_.rows() != at.X.rows()))
      swept_.reset();
    X_ = at.X;
    theta_ = at.theta;
    noise_ = at.noise();
    outputs_ = &outputs;
  }
  // The covariance into the sweep's matrix; false where the sweep should not be used.
  bool prepare_sweep() {
    if (!simd().sweep.fast || path_ == DensePath::safe || jitter_ > 0) return false;
    double signal = 0;
    if (plain_rbf_) {
      signal = std::exp(theta_[0]);
    } else {
      K_.resize(N(), N());
      kernel_.cov_lower(theta_, X_, K_);
      signal = K_.diagonal().maxCoeff();
    }
    if (!(noise_ >= smallest_noise_share * signal)) return false;
    if (!swept_) {
      L_.resize(0, 0);
      swept_.emplace(Swept{PanelMatrix(N(), rank()), PanelMatrix(plain_rbf_ ? N() : 0, 0),
                           Sweep(N(), rank(), executor(), setting_.control), LikelihoodTiles(N(), rank(), executor()),
                           std::nullopt});
      if (plain_rbf_) {
        K_.resize(0, 0);
        swept_->rbf.emplace(N(), X_.rows(), executor());
      }
    }
    if (plain_rbf_)
      swept_->rbf->fill(theta_, X_, noise_, swept_->K, swept_->S);
    else
      pack_lower(K_, noise_, swept_->S);
    append_rows(outputs_->rows, swept_->S, executor());
    return true;
  }
  void refill() {
    if (plain_rbf_)
      swept_->rbf->refill(theta_, noise_, swept_->K, swept_->S);
    else
      pack_lower(K_, noise_, swept_->S);
    append_rows(outputs_->rows, swept_->S, executor());
  }
  double swept_value() const { return log_likelihood(swept_->sweep.log_det(), swept_->sweep.quadratic()); }
  double log_likelihood(double log_det, double quadratic) const {
    const double d = static_cast<double>(outputs_->d), n = static_cast<double>(N());
    return -0.5 * (d * n * std::log(2 * std::numbers::pi) + d * log_det + quadratic);
  }
  void finish(EvidenceGradient& gradient, ByOutputs by_outputs) {
    swept_->tiles.take(swept_->S, outputs_->d);
    if (by_outputs == ByOutputs::wanted) gradient.rows = -appended_rows(swept_->S);
    if (plain_rbf_) {
      swept_->rbf->pull_back(theta_, swept_->K, swept_->tiles, gradient);
      return;
    }
    L_.resize(N(), N());
    swept_->tiles.lower(L_);
    pull_back(gradient);
  }
  void pull_back(EvidenceGradient& gradient) const {
    gradient.X.setZero(X_.rows(), X_.cols());
    gradient.theta.setZero(theta_.size());
    gradient.noise = L_.diagonal().sum();
    kernel_.pull_back_lower(theta_, X_, K_, L_, gradient.theta, gradient.X);
  }

  double safe_value() {
    swept_.reset();
    K_.resize(N(), N());
    L_.resize(N(), N());
    kernel_.cov_lower(theta_, X_, K_);
    if (setting_.control) setting_.control->check();
    const auto covariance = [&] {
      L_.triangularView<Eigen::Lower>() = K_;
      L_.diagonal().array() += noise_;
    };
    covariance();
    // Sticky: once needed, jitter stays, or the objective would not be one function.
    if (jitter_ > 0 || !cholesky_lower(L_, setting_.control)) {
      covariance();
      const double added = factor_with_jitter(L_, jitter_, setting_.control);
      if (added < 0) return -std::numeric_limits<double>::infinity();
      jitter_ = std::max(jitter_, added);
    }
    W_ = outputs_->rows.transpose();
    solve_lower(L_, W_);
    return log_likelihood(log_det_from_cholesky(L_), W_.squaredNorm());
  }
  void safe_gradient(EvidenceGradient& gradient, ByOutputs by_outputs) {
    solve_lower_transpose(L_, W_);
    if (by_outputs == ByOutputs::wanted) gradient.rows = -W_.transpose();
    if (setting_.control) setting_.control->check();
    inverse_from_cholesky(L_);
    L_.triangularView<Eigen::Lower>() *= -0.5 * static_cast<double>(outputs_->d);
    add_gram(L_, W_, 0.5);
    pull_back(gradient);
  }

  EvidenceSetting setting_;
  const Kernel& kernel_;
  DensePath path_;
  bool plain_rbf_;
  Matrix X_;
  Vector theta_;
  double noise_ = 0, jitter_ = 0;
  const Outputs* outputs_ = nullptr;
  std::optional<Swept> swept_;
  Matrix K_, L_, W_;  // kernel; factor, then G; L^-1 Z', then K^-1 Z'
};

}  // namespace

std::unique_ptr<Evidence> dense_evidence(const EvidenceSetting& setting, DensePath path) {
  return std::make_unique<DenseEvidence>(setting, path);
}

}  // namespace wgp
