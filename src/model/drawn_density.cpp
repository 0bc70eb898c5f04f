#include "model/drawn_density.h"

#include <algorithm>
#include <cmath>

#include "gp/lattice_posterior.h"
#include "linalg/products.h"
#include "model/error_summary.h"

namespace wgp {
namespace {

constexpr double end_of_nodes = 4;
// Between nodes, in standard deviations of a usual latent: a sum over nodes is the integral to a part in 3,000.
constexpr double step_of_nodes = 1.5;
constexpr Index fewest_nodes = 40, most_nodes = 140;
// A node whose term is so many nats below the largest adds nothing, even if the law is so much wider.
constexpr double nats_of_nothing = 15, wider_noise = 2, wider_function = 4;

Vector axis_of(const Model& model, Index j) {
  const double step = step_of_nodes * median(model.parts().X_sd.row(j).transpose());
  const auto count = static_cast<Index>(
      std::clamp(2 * end_of_nodes / step, static_cast<double>(fewest_nodes), static_cast<double>(most_nodes)));
  const double half_step = end_of_nodes / static_cast<double>(count);
  return Vector::LinSpaced(count, half_step - end_of_nodes, end_of_nodes - half_step);
}

}  // namespace

bool has_draws(const Model& model) {
  return !model.lift().moves() && model.latent_dim() == 2 && !drawn_processes(*model.posterior()).empty();
}

double DrawnDensity::whitened(const NoiseLaw& law) const { return law.whiten(Matrix::Ones(dim_, 1)).squaredNorm(); }

DrawnDensity::DrawnDensity(const Model& model, ConstMatrixRef points)
    : dim_(model.dim()), unit_(whitened(model.law())) {
  const NoiseLaw& law = model.law();
  const Vector first = axis_of(model, 0), second = axis_of(model, 1);
  Vector log_weight = -0.5 * (first.cwiseAbs2() * Eigen::RowVectorXd::Ones(second.size()) +
                              Vector::Ones(first.size()) * second.cwiseAbs2().transpose())
                                 .reshaped();
  log_weight.array() -= std::log(log_weight.array().exp().sum());
  const Lifted lifted = model.lift().lift(Matrix(), points, LiftWanted::vectors_and_volume);
  offset_ = -lifted.log_volume;
  const Matrix V = law.whiten(lifted.V);
  const Vector lengths = V.colwise().squaredNorm();
  const double noise = model.parts().noise, d = static_cast<double>(dim_);
  // In the law's coordinates a variance of one has this size.
  const double size = unit_ / d;
  for (const DrawnProcess& drawn : drawn_processes(*model.posterior())) {
    const GpPrediction prediction = predict_pairs(*drawn.posterior, first, second);
    const Matrix mean = law.whiten(prediction.mean);
    const Vector mean_lengths = mean.colwise().squaredNorm();
    const Vector widest = size * (wider_noise * drawn.noise + wider_function * prediction.variance.array());
    const Vector constant = log_weight.array() - d / 2 * widest.array().log(), inverse = 0.5 * widest.cwiseInverse();
    Near near;
    near.noise_times = drawn.noise / noise;
    Vector squared(log_weight.size()), terms(log_weight.size());
    for (Index i = 0; i < V.cols(); ++i) {
      squared = product_tn(mean, V.col(i));
      squared = (mean_lengths.array() + lengths[i] - 2 * squared.array()).max(0.0);
      terms = constant - squared.cwiseProduct(inverse);
      const double least = terms.maxCoeff() - nats_of_nothing;
      for (Index g = 0; g < squared.size(); ++g)
        if (terms[g] > least) {
          near.squared.push_back(squared[g]);
          near.variance.push_back(prediction.variance[g]);
          near.log_weight.push_back(log_weight[g]);
        }
      near.end.push_back(static_cast<Index>(near.squared.size()));
    }
    draws_.push_back(std::move(near));
  }
}

Vector DrawnDensity::log_density(const NoiseLaw& law) const {
  const auto n = static_cast<std::size_t>(offset_.size());
  Matrix terms(static_cast<Index>(draws_.size()), offset_.size());
  for (std::size_t k = 0; k < draws_.size(); ++k) {
    const Near& near = draws_[k];
    const NoiseLawPtr own = law.with_noise_times(near.noise_times);
    const auto count = static_cast<Index>(near.squared.size());
    const Vector squared = whitened(*own) / unit_ * Eigen::Map<const Vector>(near.squared.data(), count);
    const Vector densities = own->log_density(squared, Eigen::Map<const Vector>(near.variance.data(), count)) +
                             Eigen::Map<const Vector>(near.log_weight.data(), count);
    Index from = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto one = densities.segment(from, near.end[i] - from).array();
      const double most = one.maxCoeff();
      terms(static_cast<Index>(k), static_cast<Index>(i)) = most + std::log((one - most).exp().sum());
      from = near.end[i];
    }
  }
  Vector density(offset_.size());
  for (Index i = 0; i < density.size(); ++i) {
    const double most = terms.col(i).maxCoeff();
    density[i] = most + std::log((terms.col(i).array() - most).exp().mean());
  }
  return density + offset_;
}

}  // namespace wgp
