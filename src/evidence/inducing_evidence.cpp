#include "evidence/inducing_evidence.h"

#include <algorithm>
#include <cmath>

#include "evidence/inducing_bound.h"
#include "evidence/latent_divergence.h"
#include "evidence/psi_statistics.h"
#include "evidence/variational_evidence.h"
#include "gp/inducing_posterior.h"
#include "gp/kernels.h"
#include "linalg/products.h"
#include "wgp/manifold.h"

namespace wgp {
namespace {

constexpr Index points_a_block = 64;
constexpr double most_jitter = 1e-4;  // of the kernel's variance

class InducingEvidence final : public Evidence {
 public:
  InducingEvidence(const EvidenceSetting& setting, const InducingSettings& settings)
      : setting_(setting), settings_(settings), term_(*stationary_term(*setting.kernel)) {
    if (!setting_.executor) setting_.executor = &own_;
  }

  double value(const Parameters& at, const Outputs& outputs) override {
    at_ = at;
    outputs_ = &outputs;
    if (!at.theta.allFinite() || !at.X.allFinite() || !at.S.allFinite() || !at.Z.allFinite()) return -infinity;
    Z_ = inputs(at);
    if (at.Z.size() == 0) chosen_ = Z_;
    take_units();
    sum(outputs.rows, outputs.d);
    const double jitter = jitter_at(at.theta), data = bound_.value(covariance_of_inputs(jitter), at.noise(), sums_);
    largest_jitter_ = std::max(largest_jitter_, jitter);
    Matrix none;
    return S_.size() > 0 ? data - latent_divergence(setting_.latent, at.X, S_, none, none) : data;
  }

  void gradient(EvidenceGradient& gradient, ByOutputs by_outputs) override {
    InducingGradient by;
    bound_.gradient(sums_, by);
    const Index q = at_.X.rows(), N = at_.X.cols();
    // Through k(Z, Z), then through the variance of all the rest; the jitter is a share of it.
    const double variance = std::exp(at_.theta[term_.log_variance]);
    gradient.theta = Vector::Zero(at_.theta.size());
    Matrix by_Z = Matrix::Zero(q, Z_.cols());
    setting_.kernel->pull_back_lower(at_.theta, Z_, K_, by.by_K, gradient.theta, by_Z);
    gradient.theta[term_.log_variance] += jitter_at(at_.theta) * by.by_K.trace() + by.by_variance * sums_.variance +
                                          by.by_cross.cwiseProduct(sums_.cross).sum() +
                                          2 * by.by_second.cwiseProduct(sums_.second).sum();
    gradient.noise = by.by_noise;

    gradient.X.setZero(q, N);
    gradient.S.setZero(S_.rows(), S_.cols());
    if (by_outputs == ByOutputs::wanted)
      gradient.rows.resize(outputs_->rows.rows(), N);
    else
      gradient.rows.resize(0, 0);
    const PsiStatistics psi(z_);
    const Matrix by_second = psi.prepared(variance * variance * by.by_second), weights = bound_.weights();
    const Matrix by_z = setting_.executor->reduce<Matrix>(
        blocks(),
        [&](Index b) {
          const Block block = at_block(b);
          const auto V = outputs_->rows.middleCols(block.first, block.count);
          Matrix by_first = Matrix::Zero(block.count, Z_.cols());
          simd().products.add_product(columns(MatrixRef(by_first)), variance, columns(ConstMatrixRef(V)), Turned::yes,
                                      columns(ConstMatrixRef(by.by_cross)), Turned::yes);
          PsiGradient of_block;
          psi.pull_back(block.mu, block.S, by_first, by_second, of_block);
          gradient.X.middleCols(block.first, block.count) = of_block.mu;
          if (S_.size() > 0) gradient.S.middleCols(block.first, block.count) = of_block.S;
          // -(v - w'E k)/noise
          if (by_outputs == ByOutputs::wanted) {
            Matrix residuals = -V;
            simd().products.add_product(columns(MatrixRef(residuals)), variance, columns(ConstMatrixRef(weights)),
                                        Turned::yes, columns(ConstMatrixRef(psi.first(block.mu, block.S))),
                                        Turned::yes);
            gradient.rows.middleCols(block.first, block.count) = 1 / at_.noise() * residuals;
          }
          return of_block.z;
        },
        [](Matrix& into, const Matrix& part) { into += part; });

    // Out of the units of the length-scales: mu/l, S/l^2 and z/l fall with l as -1, -2 and -1 powers of it.
    for (Index j = 0; j < q; ++j) {
      double by_length = -gradient.X.row(j).dot(mu_.row(j)) - by_z.col(j).dot(z_.row(j).transpose());
      if (S_.size() > 0) by_length -= 2 * gradient.S.row(j).dot(s_.row(j));
      gradient.theta[term_.log_length[static_cast<std::size_t>(j)]] += by_length;
      gradient.X.row(j) /= lengths_[j];
      by_Z.row(j) += by_z.col(j).transpose() / lengths_[j];
      if (S_.size() > 0) gradient.S.row(j) /= lengths_[j] * lengths_[j];
    }
    gradient.Z = at_.Z.size() > 0 ? by_Z : Matrix();
    if (S_.size() == 0) return;
    latent_divergence(setting_.latent, at_.X, S_, gradient.X, gradient.S);
    // By log S; a variance at the end of its range stays there.
    gradient.S.array() *= (at_.S.array() >= least_log_variance && at_.S.array() <= most_log_variance)
                              .select(S_.array(), Matrix::Zero(q, N).array());
  }

  double jitter() const override { return largest_jitter_; }

  PosteriorPtr condition(const Parameters& at, double noise, ConstMatrixRef V) const override {
    if (!at.X.allFinite() || !V.allFinite() || !(noise > 0)) return nullptr;
    InducingEvidence other(setting_, settings_);
    other.at_ = at;
    other.Z_ = inputs(at);
    other.take_units();
    other.sum(V, V.rows());
    // A process that was fitted has to be had: with more jitter than the fit's, where another noise asks for it.
    double jitter = jitter_at(at.theta);
    const double most = most_jitter * std::exp(at.theta[term_.log_variance]);
    while (!std::isfinite(other.bound_.value(other.covariance_of_inputs(jitter), noise, other.sums_))) {
      if (!(jitter > 0 && jitter < most)) return nullptr;
      jitter *= 10;
    }
    return inducing_posterior({setting_.kernel, setting_.latent, at.theta, noise, jitter, at.X, other.Z_,
                               other.bound_.weights(), other.sums_.second});
  }

 private:
  struct Block {
    Index first, count;
    Matrix mu, S;
  };
  Index blocks() const { return (at_.X.cols() + points_a_block - 1) / points_a_block; }
  Block at_block(Index b) const {
    const Index first = b * points_a_block, count = std::min(points_a_block, at_.X.cols() - first);
    return {first, count, mu_.middleCols(first, count), s_.size() > 0 ? Matrix(s_.middleCols(first, count)) : Matrix()};
  }

  Matrix inputs(const Parameters& at) const {
    if (at.Z.size() > 0) return at.Z;
    const Index most = std::min(settings_.most, at.X.cols());
    if (chosen_.rows() == at.X.rows() && chosen_.cols() > 0 && chosen_.cols() <= most) return chosen_;
    return inducing_inputs(at.X, settings_);
  }
  double jitter_at(const Vector& theta) const { return settings_.jitter_share * std::exp(theta[term_.log_variance]); }
  const Matrix& covariance_of_inputs(double jitter) {
    const Index M = Z_.cols();
    K_.setZero(M, M);
    setting_.kernel->cov_lower(at_.theta, Z_, K_);
    with_jitter_ = K_;
    with_jitter_.diagonal().array() += jitter;
    return with_jitter_;
  }

  void take_units() {
    const Index q = at_.X.rows();
    lengths_.resize(q);
    for (Index j = 0; j < q; ++j) lengths_[j] = std::exp(at_.theta[term_.log_length[static_cast<std::size_t>(j)]]);
    const Vector inverse = lengths_.cwiseInverse();
    S_ = at_.S.cwiseMax(least_log_variance).cwiseMin(most_log_variance).array().exp();
    mu_ = inverse.asDiagonal() * at_.X;
    z_ = inverse.asDiagonal() * Z_;
    s_ = S_;
    if (S_.size() > 0) s_ = inverse.cwiseAbs2().asDiagonal() * S_;
  }

  void sum(ConstMatrixRef V, Index d) {
    struct Part {
      Matrix second, cross;
    };
    const PsiStatistics psi(z_);
    const double variance = std::exp(at_.theta[term_.log_variance]);
    const Part all = setting_.executor->reduce<Part>(
        blocks(),
        [&](Index b) {
          if (setting_.control) setting_.control->check();
          const Block block = at_block(b);
          Part part{psi.room(), Matrix::Zero(Z_.cols(), V.rows())};
          psi.add_second(block.mu, block.S, part.second);
          const Matrix first = psi.first(block.mu, block.S);
          simd().products.add_product(columns(MatrixRef(part.cross)), variance, columns(ConstMatrixRef(first)),
                                      Turned::yes, columns(ConstMatrixRef(V.middleCols(block.first, block.count))),
                                      Turned::yes);
          return part;
        },
        [](Part& into, const Part& part) {
          into.second += part.second;
          into.cross += part.cross;
        });
    sums_.count = static_cast<double>(at_.X.cols());
    sums_.squares = V.squaredNorm();
    sums_.variance = sums_.count * variance;
    sums_.second = variance * variance * psi.whole(all.second);
    sums_.cross = all.cross;
    sums_.d = d;
  }

  EvidenceSetting setting_;
  InducingSettings settings_;
  SpectralTerm term_;
  Executor own_;
  Parameters at_;
  const Outputs* outputs_ = nullptr;
  Matrix Z_, chosen_;  // inducing inputs; those of its own choice
  Matrix S_;           // variances
  Vector lengths_;
  Matrix mu_, s_, z_;       // in units of the length-scales
  Matrix K_, with_jitter_;  // of the inducing inputs
  InducingSums sums_;
  InducingBound bound_;
  double largest_jitter_ = 0;
};

}  // namespace

std::unique_ptr<Evidence> inducing_evidence(const EvidenceSetting& setting, const InducingSettings& settings) {
  if (!is_plain_rbf(*setting.kernel)) return nullptr;
  return std::make_unique<InducingEvidence>(setting, settings);
}

Matrix inducing_inputs(ConstMatrixRef X, const InducingSettings& settings) {
  const Index N = X.cols(), M = std::max<Index>(1, std::min(settings.most, N / 2));
  Matrix inputs(X.rows(), M);
  Index next = 0;
  const Vector mean = X.rowwise().mean();
  (X.colwise() - mean).colwise().squaredNorm().minCoeff(&next);
  Vector nearest = Vector::Constant(N, infinity);
  for (Index m = 0; m < M; ++m) {
    inputs.col(m) = X.col(next);
    nearest = nearest.cwiseMin((X.colwise() - inputs.col(m)).colwise().squaredNorm().transpose());
    nearest.maxCoeff(&next);
  }
  return inputs;
}

}  // namespace wgp
