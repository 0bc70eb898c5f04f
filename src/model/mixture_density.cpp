#include "model/mixture_density.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/random_streams.h"
#include "model/drawn_density.h"
#include "model/log_sum.h"
#include "model/prior_nodes.h"
#include "simd/kernels.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using Array = Eigen::ArrayXd;
constexpr Index components_wanted = 2000, nodes_of_curves[] = {600, 2400};
// What a point sees of a curve must be as wide as this many nodes: sums over nodes are integrals then, to a part in
// 1e4.
constexpr double fewest_nodes_seen = 2.5;

constexpr double turn = 2 * std::numbers::pi;

// How far angles of at most half a turn are from another one, the shorter way round.
Array distances_round(double from, ConstVectorRef to) {
  const Array distance = (from - to.array()).abs();
  return distance.min(turn - distance);
}

// From one latent to all, by coordinates. Xt: one latent per row.
Matrix distances_from(const LatentSpace& latent, ConstMatrixRef Xt, Index i) {
  Matrix distances(Xt.rows(), Xt.cols());
  for (Index j = 0; j < Xt.cols(); ++j)
    if (latent.is_angle(j))
      distances.col(j) = distances_round(Xt(i, j), Xt.col(j));
    else
      distances.col(j) = (Xt(i, j) - Xt.col(j).array()).abs();
  return distances;
}

// exp(-|x - y|^2 / 2) for every row y, in units of a kernel's width.
void kernels_at(const Vector& x, const Matrix& rows, VectorRef kernels) {
  simd().stationary.covariances(StationaryShape::rbf, {rows.data(), rows.rows(), rows.cols()}, 0,
                                {x.data(), 1, rows.cols()}, 0, 1, rows.rows(), kernels.data());
}

// Kernel density of the latents. New points have latents where the old ones have: along a line none beyond the ends, so
// what a kernel spreads beyond them is folded back. A density that may stop at its ends affords wider kernels between.
class LatentDensity {
 public:
  LatentDensity(const LatentSpace& latent, ConstMatrixRef X)
      : X_(X), is_line_(latent.dim() == 1 && latent.angles() == 0), low_(X.minCoeff()), high_(X.maxCoeff()) {
    const Index N = X_.cols();
    Matrix Xt = X_.transpose();
    for (Index j = 0; j < latent.angles(); ++j)
      for (double& x : Xt.col(j)) x = std::remainder(x, turn);
    line_ = Xt.col(0);
    double nearest = 0;
    for (Index i = 0; i < N; ++i) {
      Vector squared = distances_from(latent, Xt, i).rowwise().squaredNorm();
      squared[i] = infinity;
      nearest += std::sqrt(squared.minCoeff()) / static_cast<double>(N);
    }
    std::vector<double> widths;
    for (double tried = nearest / 2; tried < 100 * nearest; tried *= std::numbers::sqrt2) widths.push_back(tried);
    if (widths.empty()) return;  // every latent has another at its place

    Vector found(static_cast<Index>(widths.size()));
    for (Index w = 0; w < found.size(); ++w)
      found[w] = -static_cast<double>(N * X_.rows()) * std::log(widths[static_cast<std::size_t>(w)]);
    for (Index i = 0; i < N; ++i) found += log_densities_without(i, distances_from(latent, Xt, i), widths);
    Index best = 0;
    found.maxCoeff(&best);
    width_ = widths[static_cast<std::size_t>(best)];
  }

  // Of one coordinate: places all over its range, and the logarithms of what lies at them. Nothing where the latents
  // say nothing about their density.
  std::optional<PriorNodes> nodes(Index count) const {
    if (X_.rows() != 1 || !(width_ > 0)) return std::nullopt;
    const double from = is_line_ ? low_ : -std::numbers::pi, to = is_line_ ? high_ : std::numbers::pi;
    const Vector origin = Vector::Zero(1);
    const Matrix latents = line_ / width_;
    Vector kernels(latents.rows());
    PriorNodes nodes{Matrix(1, count), Vector(count)};
    for (Index k = 0; k < count; ++k) {
      const double x = from + (static_cast<double>(k) + 0.5) / static_cast<double>(count) * (to - from);
      nodes.X(0, k) = x;
      double here = 0;
      if (is_line_) {
        for (const double image : {x, 2 * low_ - x, 2 * high_ - x}) {
          kernels_at(Vector::Constant(1, image / width_), latents, kernels);
          here += kernels.sum();
        }
      } else {
        kernels_at(origin, distances_round(x, line_) / width_, kernels);
        here = kernels.sum();
      }
      nodes.log_weight[k] = std::log(std::max(here, 1e-300));
    }
    nodes.log_weight.array() -= std::log(nodes.log_weight.array().exp().sum());
    return nodes;
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
  // Of latent i under the kernels of the others, of each width, but for a constant. Each width is the one before times
  // sqrt(2): a kernel's square is the next narrower one.
  Vector log_densities_without(Index i, const Matrix& distances, const std::vector<double>& widths) const {
    const double width = widths.back();
    const Index N = distances.rows();
    Vector kernels(is_line_ ? 3 * N : N);
    kernels_at(Vector::Zero(distances.cols()), distances / width, kernels.head(N));
    if (is_line_) {  // and what is folded back at the ends
      const Matrix latents = line_ / width;
      kernels_at(Vector::Constant(1, (2 * low_ - X_(0, i)) / width), latents, kernels.segment(N, N));
      kernels_at(Vector::Constant(1, (2 * high_ - X_(0, i)) / width), latents, kernels.tail(N));
      kernels[N + i] = kernels[2 * N + i] = 0;
    }
    kernels[i] = 0;
    Vector result(static_cast<Index>(widths.size()));
    for (Index w = result.size(); w-- > 0;) {
      result[w] = std::log(1e-30 + kernels.sum());  // one lonely latent must not decide the width of all
      kernels = kernels.cwiseAbs2();
    }
    return result;
  }

  Matrix X_;
  Vector line_;  // the first coordinate, angles of at most half a turn, one after the other in memory
  bool is_line_;
  double low_, high_, width_ = 0;
};

// Rounded down while that makes little difference.
PriorNodes drawn_components(const LatentDensity& density, Index latents, std::uint64_t seed) {
  Random random(seed, stream::mixture_components);
  const Index few = components_wanted / latents, copies = few >= 4 ? few : (components_wanted + latents - 1) / latents;
  PriorNodes drawn{density.draws(copies, random), {}};
  drawn.log_weight.setConstant(drawn.X.cols(), -std::log(static_cast<double>(drawn.X.cols())));
  return drawn;
}

// Where a base point follows the latents it takes them where the points are, and the place of a latent on its curve is
// not the process's to choose: N(0, 1) would say that points crowd about the middle of every geodesic.
bool has_prior_of_latents(const Model& model) {
  return model.parts().inference == Inference::variational && !model.lift().moves();
}

}  // namespace

LatentMixture::LatentMixture(const Model& model, ConstMatrixRef points, std::uint64_t seed, double widest_scale)
    : law_(model.parts().law) {
  if (const auto nodes = has_prior_of_latents(model) ? prior_nodes(model) : std::nullopt) {
    take(model, points, *nodes, widest_scale);
    return;
  }
  const Matrix& X = model.parts().X;
  const LatentDensity density(model.parts().latent, X);
  for (const Index count : nodes_of_curves)
    if (const auto nodes = density.nodes(count)) {
      take(model, points, *nodes, widest_scale);
      if (sees_enough()) return;
    }
  take(model, points, drawn_components(density, X.cols(), seed), widest_scale);
}

void LatentMixture::take(const Model& model, ConstMatrixRef points, const PriorNodes& components, double widest_scale) {
  const Matrix& X = components.X;
  log_weight_ = components.log_weight;
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

bool LatentMixture::sees_enough() const {
  Matrix terms = law_->log_densities(squared_, variance_);
  if (log_volume_.size() > 0) terms -= log_volume_;
  Index blind = 0;
  for (Index i = 0; i < terms.cols(); ++i) {
    const Vector one = terms.col(i) + log_weight_;
    const Vector seen = (one.array() - one.maxCoeff()).exp();
    const double sum = seen.sum();
    blind += !(sum * sum >= fewest_nodes_seen * seen.squaredNorm());
  }
  return blind * 10 <= terms.cols();
}

Vector LatentMixture::log_density(double scale) const {
  const NoiseLawPtr law = scale == 1 ? law_ : law_->scaled(scale);
  Matrix densities = law->log_densities(squared_, variance_);
  if (log_volume_.size() > 0) densities -= log_volume_;
  Vector density(squared_.cols());
  for (Index i = 0; i < density.size(); ++i) {
    const Vector terms = densities.col(i) + log_weight_;
    density[i] = log_sum(terms);
  }
  if (offset_.size() > 0) density += offset_;
  return density;
}

Vector mixture_log_density(const Model& model, ConstMatrixRef points, std::uint64_t seed, const Encoding* codes) {
  if (has_draws(model)) {
    constexpr Index at_once = 500;
    Vector density(points.cols());
    for (Index first = 0; first < points.cols(); first += at_once) {
      const Index count = std::min(at_once, points.cols() - first);
      const NoiseLawPtr law = widened(model.law(), model.parts().scales_of_draws);
      const DrawnDensity drawn(model, drawn_processes(*model.posterior()), points.middleCols(first, count), {law});
      density.segment(first, count) = drawn.log_density(*law);
    }
    return density;
  }
  if (has_prior_of_latents(model) && !prior_nodes(model))
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
