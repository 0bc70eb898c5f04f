#include "gp/inducing_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/format.h"
#include "gp/grain.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "wgp/manifold.h"

namespace wgp {
namespace {

constexpr Index inputs_a_block = 512;

class InducingPosterior final : public Posterior {
 public:
  explicit InducingPosterior(InducingPosteriorParts parts) : parts_(std::move(parts)) {
    const Index M = parts_.Z.cols(), q = parts_.latent.dim();
    if (M == 0 || parts_.Z.rows() != q || parts_.X.rows() != q || parts_.X.cols() == 0 || parts_.weights.rows() != M ||
        parts_.second.rows() != M || parts_.second.cols() != M ||
        parts_.theta.size() != parts_.kernel->parameter_count() || !(parts_.noise > 0) || !(parts_.jitter >= 0))
      throw Error(fmt::format("{} weights and moments of {} x {} do not belong to {} inducing inputs of {} coordinates",
                              parts_.weights.rows(), parts_.second.rows(), parts_.second.cols(), M, q));
  }

  const InducingPosteriorParts& parts() const { return parts_; }
  const LatentSpace& latent() const override { return parts_.latent; }
  Index outputs() const override { return parts_.weights.cols(); }
  const Matrix& training_latents() const override { return parts_.X; }
  Vector prior_variance(ConstMatrixRef at) const override { return parts_.kernel->diag(parts_.theta, at); }

  GpPrediction predict(ConstMatrixRef at) const override {
    GpPrediction prediction{Matrix::Zero(outputs(), at.cols()), Vector(at.cols())};
    in_blocks(at, [&](Index first, Index count) {
      const Matrix k = covariances(at.middleCols(first, count));
      add_product_tn(prediction.mean.middleCols(first, count), parts_.weights, k);
      const Variances parts = variances(at.middleCols(first, count), k);
      prediction.variance.segment(first, count) = parts.unseen + parts.of_values;
    });
    return prediction;
  }

  Matrix mean(ConstMatrixRef at) const override {
    Matrix mean = Matrix::Zero(outputs(), at.cols());
    in_blocks(at, [&](Index first, Index count) {
      add_product_tn(mean.middleCols(first, count), parts_.weights, covariances(at.middleCols(first, count)));
    });
    return mean;
  }

  Matrix covariance(ConstMatrixRef at) const override {
    Matrix k = covariances(at);
    solve_lower(factors().L, k);
    Matrix covariance = parts_.kernel->cov(parts_.theta, at, at);
    add_product_tn(covariance, k, k, -1);
    solve_lower(factors().R, k);
    add_product_tn(covariance, k, k);
    return covariance;
  }

  std::unique_ptr<const TracedPrediction> trace(ConstMatrixRef at, Traced what) const override {
    return std::make_unique<InducingTrace>(*this, at, what);
  }

  // Of a latent whose own point is taken away: what the data say of the inducing values, s^2, becomes
  // s^2/(1 - s^2/noise), what these do not say of the function stays.
  double support_limit() const override {
    double widest = 1e-3 * parts_.noise;
    in_blocks(parts_.X, [&](Index first, Index count) {
      const auto at = parts_.X.middleCols(first, count);
      const Variances parts = variances(at, covariances(at));
      for (Index i = 0; i < count; ++i)
        widest = std::max(widest,
                          parts.unseen[i] + parts.of_values[i] / std::max(0.1, 1 - parts.of_values[i] / parts_.noise));
    });
    return std::min(widest, prior_variance(parts_.X).maxCoeff());
  }

  Grain grain() const override {
    return grain_of_kernel_sums(*parts_.kernel, parts_.theta, parts_.weights, prior_variance(parts_.X).maxCoeff());
  }

  std::string kind() const override { return "inducing"; }
  std::map<std::string, Matrix> arrays() const override {
    return {{inducing_array::weights, parts_.weights},
            {inducing_array::inputs, parts_.Z},
            {inducing_array::second, parts_.second},
            {inducing_array::jitter, Matrix::Constant(1, 1, parts_.jitter)}};
  }

 private:
  struct Variances {
    Vector unseen, of_values;  // beside the inducing values, and of these
  };
  Variances variances(ConstMatrixRef at, Matrix k) const {
    solve_lower(factors().L, k);
    Vector unseen = (prior_variance(at) - k.colwise().squaredNorm().transpose()).cwiseMax(0);
    solve_lower(factors().R, k);
    return {std::move(unseen), k.colwise().squaredNorm().transpose()};
  }

  class InducingTrace final : public TracedPrediction {
   public:
    InducingTrace(const InducingPosterior& posterior, ConstMatrixRef at, Traced what)
        : posterior_(posterior), at_(at), k_(posterior.covariances(at)) {
      prediction_.mean = Matrix::Zero(posterior.outputs(), at.cols());
      add_product_tn(prediction_.mean, posterior.parts_.weights, k_);
      if (what == Traced::mean) return;
      const Variances parts = posterior.variances(at, k_);
      prediction_.variance = parts.unseen + parts.of_values;
      // Half of minus the variance's derivative by k: L^-T (I - B^-1) L^-1 k.
      const Factors& factors = posterior.factors();
      by_k_ = k_;
      solve_lower(factors.L, by_k_);
      Matrix known = by_k_;
      solve_lower(factors.R, known);
      solve_lower_transpose(factors.R, known);
      by_k_ -= known;
      solve_lower_transpose(factors.L, by_k_);
    }

    void pull_back(ConstMatrixRef by_mean, ConstVectorRef by_variance, MatrixRef d_X) const override {
      const InducingPosteriorParts& parts = posterior_.parts_;
      Matrix G = product(parts.weights, by_mean);
      const bool with_variance = by_variance.size() > 0 && by_k_.size() > 0;
      if (with_variance) G -= 2 * (by_k_ * by_variance.asDiagonal());
      Vector unused = Vector::Zero(parts.theta.size());
      parts.kernel->pull_back(parts.theta, at_, parts.Z, k_.transpose(), G.transpose(), unused, d_X);
      if (with_variance) parts.kernel->pull_back_diag(parts.theta, at_, by_variance, d_X);
    }

   private:
    const InducingPosterior& posterior_;
    Matrix at_, k_;  // covariances: inducing inputs x inputs
    Matrix by_k_;
  };

  struct Factors {
    Matrix L, R;
  };
  const Factors& factors() const {
    std::call_once(factored_, [&] {
      const Index M = parts_.Z.cols();
      factors_.L.setZero(M, M);
      parts_.kernel->cov_lower(parts_.theta, parts_.Z, factors_.L);
      factors_.L.diagonal().array() += parts_.jitter;
      bool positive = cholesky_lower(factors_.L);
      if (positive) {
        factors_.R = parts_.second;
        solve_lower(factors_.L, factors_.R);
        factors_.R.transposeInPlace();
        solve_lower(factors_.L, factors_.R);
        factors_.R *= 1 / parts_.noise;
        factors_.R.diagonal().array() += 1;
        positive = factors_.R.allFinite() && cholesky_lower(factors_.R);
      }
      if (!positive) throw Error("the model's inducing inputs have no covariance: its sums are not those of points");
    });
    return factors_;
  }
  Matrix covariances(ConstMatrixRef at) const { return parts_.kernel->cov(parts_.theta, parts_.Z, at); }
  template <class F>
  static void in_blocks(ConstMatrixRef at, const F& body) {
    for (Index first = 0; first < at.cols(); first += inputs_a_block)
      body(first, std::min(inputs_a_block, at.cols() - first));
  }

  InducingPosteriorParts parts_;
  mutable std::once_flag factored_;
  mutable Factors factors_;
};

}  // namespace

PosteriorPtr inducing_posterior(InducingPosteriorParts parts) {
  return std::make_shared<InducingPosterior>(std::move(parts));
}

const InducingPosteriorParts* inducing_parts(const Posterior& posterior) {
  const auto* own = dynamic_cast<const InducingPosterior*>(&posterior);
  return own ? &own->parts() : nullptr;
}

PosteriorPtr restore_inducing_posterior(KernelPtr kernel, const LatentSpace& latent, ConstVectorRef theta, double noise,
                                        ConstMatrixRef X, const std::map<std::string, Matrix>& arrays) {
  const auto array = [&](const char* name) -> const Matrix& {
    const auto found = arrays.find(name);
    if (found == arrays.end()) throw Error(fmt::format("a process with inducing inputs needs the array '{}'", name));
    return found->second;
  };
  const Matrix& jitter = array(inducing_array::jitter);
  if (jitter.size() != 1) throw Error(fmt::format("the array '{}' is one number", inducing_array::jitter));
  return inducing_posterior({std::move(kernel), latent, theta, noise, jitter(0, 0), X, array(inducing_array::inputs),
                             array(inducing_array::weights), array(inducing_array::second)});
}

}  // namespace wgp
