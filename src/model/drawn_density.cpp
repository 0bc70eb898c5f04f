#include "model/drawn_density.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linalg/products.h"
#include "model/error_summary.h"
#include "model/log_sum.h"
#include "model/prior_nodes.h"
#include "simd/function_kernels.h"

namespace wgp {
namespace {

// Between nodes, in standard deviations of a usual latent: a sum over nodes is the integral to a part in 3,000.
constexpr double step_of_nodes = 1.5;
constexpr double fewest_nodes = 40, most_nodes = 140;
// A node whose term is so many nats below the largest adds nothing.
constexpr double nats_of_nothing = 15;
constexpr Index points_at_once = 16;

// Nodes along either coordinate; nothing where as many as are affordable would be too far apart.
std::optional<std::vector<Vector>> axes_of(const Model& model) {
  const Model::Parts& parts = model.parts();
  if (parts.latent.dim() != 2 || parts.latent.angles() > 0 || parts.X_sd.size() == 0) return std::nullopt;
  std::vector<Vector> axes;
  for (Index j = 0; j < 2; ++j) {
    const double wanted = 2 * end_of_prior_nodes / (step_of_nodes * median(parts.X_sd.row(j).transpose()));
    if (!(wanted <= most_nodes)) return std::nullopt;
    axes.push_back(prior_axis(static_cast<Index>(std::max(wanted, fewest_nodes)), end_of_prior_nodes));
  }
  return axes;
}

// Of a point that is too far for its distance to be a number: infinite.
double distance_or_infinity(double squared) { return squared > 0 ? squared : squared <= 0 ? 0 : infinity; }

// As log_sum(); the terms are lost.
double log_sum_of_many(VectorRef terms) {
  const double most = terms.maxCoeff();
  if (!std::isfinite(most)) return most;
  terms.array() -= most;
  simd_functions().exp(terms.data(), terms.size());
  return most + std::log(terms.sum());
}

}  // namespace

bool has_close_nodes(const Model& model) { return !model.lift().moves() && axes_of(model).has_value(); }

bool has_draws(const Model& model) { return !drawn_processes(*model.posterior()).empty() && has_close_nodes(model); }

double DrawnDensity::whitened(const NoiseLaw& law) const { return law.whiten(Matrix::Ones(dim_, 1)).squaredNorm(); }

DrawnDensity::DrawnDensity(const Model& model, const std::vector<DrawnProcess>& processes, ConstMatrixRef points,
                           const std::vector<NoiseLawPtr>& laws)
    : dim_(model.dim()), unit_(whitened(model.law())) {
  const NoiseLaw& law = model.law();
  const std::vector<Vector> axes = axes_of(model).value();
  const Vector log_weight = nodes_of_axes(model.parts().latent, axes).log_weight;
  const Lifted lifted = model.lift().lift(Matrix(), points, LiftWanted::vectors_and_volume);
  offset_ = -lifted.log_volume;
  const Matrix V = law.whiten(lifted.V);
  const Vector lengths = V.colwise().squaredNorm();
  for (const DrawnProcess& process : processes) {
    const GpPrediction prediction = predict_pairs(*process.posterior, axes[0], axes[1]);
    const Matrix mean = law.whiten(prediction.mean);
    const Vector mean_lengths = mean.colwise().squaredNorm();
    Near near;
    near.noise_times = process.noise / model.parts().noise;
    std::vector<NoiseLawPtr> own;
    for (const NoiseLawPtr& one : laws) own.push_back(one->with_noise_times(near.noise_times));
    for (Index first = 0; first < V.cols(); first += points_at_once) {
      const Index count = std::min(points_at_once, V.cols() - first);
      Matrix squared = -2 * product_tn(mean, V.middleCols(first, count));
      squared.colwise() += mean_lengths;
      squared.rowwise() += lengths.segment(first, count).transpose();
      squared = squared.unaryExpr(&distance_or_infinity);
      using Flags = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;
      Flags counts = Flags::Constant(squared.rows(), count, false);
      for (const NoiseLawPtr& one : own) {
        Matrix terms = one->log_densities(whitened(*one) / unit_ * squared, prediction.variance);
        terms.colwise() += log_weight;
        // Where all terms are minus infinity none is less than another: all stay.
        for (Index i = 0; i < count; ++i) {
          const double least = terms.col(i).maxCoeff() - nats_of_nothing;
          counts.col(i) = counts.col(i) || !(terms.col(i).array() < least);
        }
      }
      for (Index i = 0; i < count; ++i) {
        for (Index g = 0; g < squared.rows(); ++g)
          if (counts(g, i)) {
            near.squared.push_back(squared(g, i));
            near.variance.push_back(prediction.variance[g]);
            near.log_weight.push_back(log_weight[g]);
          }
        near.end.push_back(static_cast<Index>(near.squared.size()));
      }
    }
    draws_.push_back(std::move(near));
  }
}

Vector DrawnDensity::log_density(const NoiseLaw& law) const {
  const Index n = offset_.size();
  Matrix terms(static_cast<Index>(draws_.size()), n);
  for (std::size_t k = 0; k < draws_.size(); ++k) {
    const Near& near = draws_[k];
    const NoiseLawPtr own = law.with_noise_times(near.noise_times);
    const auto count = static_cast<Index>(near.squared.size());
    const Vector squared = whitened(*own) / unit_ * Eigen::Map<const Vector>(near.squared.data(), count);
    Vector densities = own->log_density(squared, Eigen::Map<const Vector>(near.variance.data(), count)) +
                       Eigen::Map<const Vector>(near.log_weight.data(), count);
    Index from = 0;
    for (Index i = 0; i < n; ++i) {
      const Index end = near.end[static_cast<std::size_t>(i)];
      terms(static_cast<Index>(k), i) = log_sum_of_many(densities.segment(from, end - from));
      from = end;
    }
  }
  Vector density(n);
  for (Index i = 0; i < n; ++i) density[i] = log_mean(terms.col(i));
  return density + offset_;
}

}  // namespace wgp
