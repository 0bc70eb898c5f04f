#include "gp/dense_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "gp/grain.h"
#include "gp/jitter.h"
#include "linalg/products.h"

namespace wgp {
namespace {

constexpr Index columns_at_once = 512;  // memory grows with the points, not with the inputs asked for

class DensePosterior final : public Posterior {
 public:
  explicit DensePosterior(DensePosteriorParts parts) : parts_(std::move(parts)) {}

  // False: K has no factor within the jitter that is allowed.
  bool condition(RunControl* control) {
    Matrix K(size(), size());
    parts_.kernel->cov_lower(parts_.theta, parts_.X, K);
    K.diagonal().array() += parts_.noise;
    parts_.jitter = factor_with_jitter(K, 0, control);
    if (parts_.jitter < 0) return false;
    std::call_once(factored_, [&] { L_ = std::move(K); });
    parts_.A = parts_.V.transpose();
    solve_lower(L_, parts_.A);
    solve_lower_transpose(L_, parts_.A);
    return true;
  }

  const LatentSpace& latent() const override { return parts_.latent; }
  Index outputs() const override { return parts_.A.cols(); }
  const Matrix& training_latents() const override { return parts_.X; }
  double jitter() const { return parts_.jitter; }

  GpPrediction predict(ConstMatrixRef at) const override {
    const Matrix& L = factor();
    GpPrediction prediction{Matrix::Zero(outputs(), at.cols()), prior_variance(at)};
    for (Index first = 0; first < at.cols(); first += columns_at_once) {
      const Index count = std::min(columns_at_once, at.cols() - first);
      Matrix k = covariances(at.middleCols(first, count));
      add_product_tn(prediction.mean.middleCols(first, count), parts_.A, k);
      if (L.size() == 0) continue;
      solve_lower(L, k);
      prediction.variance.segment(first, count) -= k.colwise().squaredNorm().transpose();
    }
    prediction.variance = prediction.variance.cwiseMax(0);
    return prediction;
  }

  Matrix mean(ConstMatrixRef at) const override {
    Matrix mean = Matrix::Zero(outputs(), at.cols());
    for (Index first = 0; first < at.cols(); first += columns_at_once) {
      const Index count = std::min(columns_at_once, at.cols() - first);
      add_product_tn(mean.middleCols(first, count), parts_.A, covariances(at.middleCols(first, count)));
    }
    return mean;
  }

  Matrix covariance(ConstMatrixRef at) const override {
    Matrix k = covariances(at);
    const Matrix& L = factor();
    if (L.size() == 0) return parts_.kernel->cov(parts_.theta, at, at);
    solve_lower(L, k);
    return parts_.kernel->cov(parts_.theta, at, at) - product_tn(k, k);
  }

  Vector prior_variance(ConstMatrixRef at) const override { return parts_.kernel->diag(parts_.theta, at); }

  std::unique_ptr<const TracedPrediction> trace(ConstMatrixRef at, Traced what) const override {
    return std::make_unique<DenseTrace>(*this, at, what);
  }

  // At the training latents K_f K^-1 = I - noise K^-1: predictions for nothing.
  GpPrediction at_training_latents() const override {
    const double noise = on_diagonal();
    return {parts_.V - noise * parts_.A.transpose(),
            (noise - noise * noise * inverse_diagonal().array()).max(0).matrix()};
  }

  // v_i - a_i / Q_ii with variance 1 / Q_ii, Q = K^-1.
  std::optional<LeaveOneOut> leave_one_out() const override {
    const Vector& Q = inverse_diagonal();
    const Vector variance = Q.cwiseInverse();
    return LeaveOneOut{parts_.V - parts_.A.transpose() * variance.asDiagonal(), variance,
                       (variance.array() - on_diagonal()).max(0).matrix()};
  }

  double support_limit() const override {
    const double noise = parts_.noise;
    return std::max(1 / inverse_diagonal().minCoeff() - noise, 1e-3 * noise);
  }

  Grain grain() const override {
    return grain_of_kernel_sums(*parts_.kernel, parts_.theta, parts_.A, prior_variance(parts_.X).maxCoeff());
  }

  std::string kind() const override { return "dense"; }
  std::map<std::string, Matrix> arrays() const override {
    return {{weights_array, parts_.A}, {inverse_diagonal_array, inverse_diagonal()}};
  }

 private:
  class DenseTrace final : public TracedPrediction {
   public:
    DenseTrace(const DensePosterior& posterior, ConstMatrixRef at, Traced what)
        : posterior_(posterior), at_(at), k_(posterior.kernel().cov(posterior.parts_.theta, at, posterior.parts_.X)) {
      prediction_.mean = Matrix::Zero(posterior.outputs(), at.cols());
      simd().products.add_product(columns(MatrixRef(prediction_.mean)), 1, columns(ConstMatrixRef(posterior.parts_.A)),
                                  Turned::yes, columns(ConstMatrixRef(k_)), Turned::yes);
      if (what == Traced::mean) return;
      prediction_.variance = posterior.prior_variance(at);
      const Matrix& L = posterior.factor();
      if (L.size() == 0) return;
      // |L^-1 k|^2 keeps the digits that k' K^-1 k loses to the condition of K.
      solved_ = k_.transpose();
      solve_lower(L, solved_);
      prediction_.variance = (prediction_.variance - solved_.colwise().squaredNorm().transpose()).cwiseMax(0).eval();
      solve_lower_transpose(L, solved_);
    }

    void pull_back(ConstMatrixRef by_mean, ConstVectorRef by_variance, MatrixRef d_X) const override {
      const DensePosteriorParts& parts = posterior_.parts_;
      // Through the mean, and through s^2 = k(x, x) - k' K^-1 k.
      Matrix G = Matrix::Zero(at_.cols(), parts.X.cols());
      simd().products.add_product(columns(MatrixRef(G)), 1, columns(by_mean), Turned::yes,
                                  columns(ConstMatrixRef(parts.A)), Turned::yes);
      if (solved_.size() > 0) G.noalias() -= 2 * (by_variance.asDiagonal() * solved_.transpose());
      Vector unused = Vector::Zero(parts.theta.size());
      parts.kernel->pull_back(parts.theta, at_, parts.X, k_, G, unused, d_X);
      if (by_variance.size() > 0) parts.kernel->pull_back_diag(parts.theta, at_, by_variance, d_X);
    }

   private:
    const DensePosterior& posterior_;
    Matrix at_, k_;  // covariances: inputs x points
    Matrix solved_;  // K^-1 k
  };

  const Kernel& kernel() const { return *parts_.kernel; }
  Index size() const { return parts_.X.cols(); }
  double on_diagonal() const { return parts_.noise + parts_.jitter; }
  Matrix covariances(ConstMatrixRef at) const { return parts_.kernel->cov(parts_.theta, parts_.X, at); }

  // Empty if there is none.
  const Matrix& factor() const {
    std::call_once(factored_, [&] {
      Matrix K(size(), size());
      parts_.kernel->cov_lower(parts_.theta, parts_.X, K);
      K.diagonal().array() += parts_.noise;
      if (factor_with_jitter(K, parts_.jitter) >= 0) L_ = std::move(K);
    });
    return L_;
  }
  // (K^-1)_ii is the squared norm of column i of L^-1, which is zero above i.
  const Vector& inverse_diagonal() const {
    std::call_once(inverted_, [&] {
      if (parts_.inverse_diagonal.size() == size()) {
        inverse_diagonal_ = parts_.inverse_diagonal;
        return;
      }
      constexpr Index width = 64;
      const Matrix& L = factor();
      const Index N = size();
      inverse_diagonal_.resize(N);
      Matrix columns;
      for (Index first = 0; first < N; first += width) {
        const Index rest = N - first, count = std::min(width, rest);
        columns.setIdentity(rest, count);
        solve_lower(L.bottomRightCorner(rest, rest), columns);
        inverse_diagonal_.segment(first, count) = columns.colwise().squaredNorm().transpose();
      }
    });
    return inverse_diagonal_;
  }

  DensePosteriorParts parts_;
  mutable std::once_flag factored_, inverted_;
  mutable Matrix L_;  // the lower triangle
  mutable Vector inverse_diagonal_;
};

}  // namespace

PosteriorPtr condition_densely(DensePosteriorParts parts, RunControl* control) {
  auto posterior = std::make_shared<DensePosterior>(std::move(parts));
  if (!posterior->condition(control)) return nullptr;
  return posterior;
}

PosteriorPtr restore_dense_posterior(DensePosteriorParts parts) {
  return std::make_shared<DensePosterior>(std::move(parts));
}

double jitter_of(const Posterior& posterior) {
  const auto* dense = dynamic_cast<const DensePosterior*>(&posterior);
  return dense ? dense->jitter() : 0;
}

}  // namespace wgp
