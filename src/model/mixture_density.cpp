#include "model/mixture_density.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/random_streams.h"
#include "model/prior_nodes.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr Index components_wanted = 2000;

// From one latent to the others, the shorter way round along angles; infinite to itself.
Vector squared_distances_from(const LatentSpace& latent, ConstMatrixRef X, Index i) {
  Vector squared = Vector::Zero(X.cols());
  for (Index j = 0; j < X.rows(); ++j)
    for (Index k = 0; k < X.cols(); ++k) {
      double difference = X(j, i) - X(j, k);
      if (latent.is_angle(j)) difference = std::remainder(difference, 2 * std::numbers::pi);
      squared[k] += difference * difference;
    }
  squared[i] = infinity;
  return squared;
}

// Kernel density of the latents. New points have latents where the old ones have: along a line none beyond the ends, so
// what a kernel spreads beyond them is folded back. A density that may stop at its ends affords wider kernels between.
class LatentDensity {
 public:
  LatentDensity(const LatentSpace& latent, ConstMatrixRef X)
      : X_(X),
        line_(X.row(0)),
        is_line_(latent.dim() == 1 && latent.angles() == 0),
        low_(X.minCoeff()),
        high_(X.maxCoeff()) {
    const Index N = X_.cols();
    double nearest = 0;
    for (Index i = 0; i < N; ++i)
      nearest += std::sqrt(squared_distances_from(latent, X_, i).minCoeff()) / static_cast<double>(N);
    std::vector<double> widths;
    for (double tried = nearest / 2; tried < 100 * nearest; tried *= std::numbers::sqrt2) widths.push_back(tried);
    if (widths.empty()) return;  // every latent has another at its place

    Vector found(static_cast<Index>(widths.size()));
    for (Index w = 0; w < found.size(); ++w)
      found[w] = -static_cast<double>(N * X_.rows()) * std::log(widths[static_cast<std::size_t>(w)]);
    for (Index i = 0; i < N; ++i) {
      const Vector squared = squared_distances_from(latent, X_, i);
      for (Index w = 0; w < found.size(); ++w)
        found[w] += log_density_without(i, squared, widths[static_cast<std::size_t>(w)]);
    }
    Index best = 0;
    found.maxCoeff(&best);
    width_ = widths[static_cast<std::size_t>(best)];
  }

  // Each latent `copies` times, displaced.
  Matrix draws(Index copies, Random& random) const {
    Matrix spread(X_.rows(), X_.cols() * copies);
    for (Index c = 0; c < copies; ++c)
      spread.middleCols(c * X_.cols(), X_.cols()) = X_ + width_ * random.normals(X_.rows(), X_.cols());
    if (is_line_)
      for (double& x : spread.reshaped()) {
        if (x < low_) x = 2 * low_ - x;
        if (x > high_) x = 2 * high_ - x;
        x = std::clamp(x, low_, high_);
      }
    return spread;
  }

 private:
  // Of latent i under the kernels of the others, but for a constant.
  double log_density_without(Index i, const Vector& squared, double width) const {
    const double scale = -1 / (2 * width * width);
    double here = (squared.array() * scale).exp().sum();
    if (is_line_) {
      const auto x = line_.array();
      here +=
          ((2 * low_ - X_(0, i) - x).square() * scale).exp().sum() - std::exp(4 * std::pow(low_ - X_(0, i), 2) * scale);
      here += ((2 * high_ - X_(0, i) - x).square() * scale).exp().sum() -
              std::exp(4 * std::pow(high_ - X_(0, i), 2) * scale);
    }
    return std::log(1e-30 + here);  // one lonely latent must not decide the width of all
  }

  Matrix X_;
  Vector line_;  // of one latent, its places one after the other in memory
  bool is_line_;
  double low_, high_, width_ = 0;
};

Matrix components(const Model& model, std::uint64_t seed) {
  const Matrix& X = model.parts().X;
  Random random(seed, stream::mixture_components);
  // Rounded down while that makes little difference.
  const Index few = components_wanted / X.cols(),
              copies = few >= 4 ? few : (components_wanted + X.cols() - 1) / X.cols();
  return LatentDensity(model.parts().latent, X).draws(copies, random);
}

}  // namespace

LatentMixture::LatentMixture(const Model& model, ConstMatrixRef points, std::uint64_t seed, double widest_scale)
    : law_(model.parts().law) {
  Matrix X;
  if (auto nodes = model.parts().inference == Inference::variational ? prior_nodes(model) : std::nullopt) {
    X = std::move(nodes->X);
    log_weight_ = std::move(nodes->log_weight);
  } else {
    X = components(model, seed);
    log_weight_.setConstant(X.cols(), -std::log(static_cast<double>(X.cols())));
  }
  const GpPrediction prediction = model.posterior()->predict(X);
  const Index n = points.cols();
  variance_ = prediction.variance;
  squared_.resize(X.cols(), n);
  const Matrix mean = law_->whiten(prediction.mean);
  if (model.lift().moves()) {
    const NoiseLawPtr widest = law_->scaled(std::max(1.0, widest_scale));
    log_volume_.resize(X.cols(), n);
    for (Index s = 0; s < X.cols(); ++s) {
      const double radius = prediction.mean.col(s).norm() + widest->reach(variance_[s]);
      const Lifted lifted = model.lift().lift_at(X.col(s), points, radius);
      squared_.row(s) = (law_->whiten(lifted.V).colwise() - mean.col(s)).colwise().squaredNorm();
      log_volume_.row(s) = lifted.log_volume.transpose();
    }
    return;
  }
  const Lifted lifted = model.lift().lift(Matrix(), points, LiftWanted::vectors_and_volume);
  const Matrix V = law_->whiten(lifted.V);
  for (Index i = 0; i < n; ++i) squared_.col(i) = (mean.colwise() - V.col(i)).colwise().squaredNorm().transpose();
  offset_ = -lifted.log_volume;  // the same at every latent
}

Vector LatentMixture::log_density(double scale) const {
  const NoiseLawPtr law = scale == 1 ? law_ : law_->scaled(scale);
  Matrix densities = law->log_densities(squared_, variance_);
  if (log_volume_.size() > 0) densities -= log_volume_;
  Vector density(squared_.cols());
  for (Index i = 0; i < density.size(); ++i) {
    const Vector terms = densities.col(i) + log_weight_;
    const double most = terms.maxCoeff();
    density[i] = most + std::log((terms.array() - most).exp().sum());
  }
  if (offset_.size() > 0) density += offset_;
  return density;
}

Vector mixture_log_density(const Model& model, ConstMatrixRef points, std::uint64_t seed, const Encoding* codes) {
  if (model.parts().inference == Inference::variational && !prior_nodes(model))
    return importance_log_density(model, points, codes ? *codes : model.encode(points), seed);
  // In blocks: there are thousands of latents for each point.
  constexpr Index at_once = 1000;
  Vector density(points.cols());
  for (Index first = 0; first < points.cols(); first += at_once) {
    const Index count = std::min(at_once, points.cols() - first);
    density.segment(first, count) = LatentMixture(model, points.middleCols(first, count), seed).log_density();
  }
  return density;
}

}  // namespace wgp
