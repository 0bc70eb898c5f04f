#include "model/prior_nodes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random_streams.h"
#include "gp/angle_density.h"
#include "model/log_sum.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr Index nodes_of_lines = 600, nodes_of_planes = 70, draws_each = 200;
constexpr double wide_share = 0.3;  // of the length-scale

double median_of(Vector values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

Vector prior_axis(Index count, double end) {
  Vector axis(count);
  for (Index k = 0; k < count; ++k) axis[k] = ((2 * static_cast<double>(k) + 1) / static_cast<double>(count) - 1) * end;
  return axis;
}

PriorNodes nodes_of_axes(const LatentSpace& latent, const std::vector<Vector>& axes) {
  const Index q = latent.dim(), first = axes[0].size(), count = first * (q == 1 ? 1 : axes[1].size());
  PriorNodes nodes{Matrix(q, count), Vector::Zero(count)};
  for (Index g = 0; g < count; ++g)
    for (Index j = 0; j < q; ++j) {
      const double x = axes[static_cast<std::size_t>(j)][j == 0 ? g % first : g / first];
      nodes.X(j, g) = x;
      if (!latent.is_angle(j)) nodes.log_weight[g] -= x * x / 2;
    }
  nodes.log_weight.array() -= std::log(nodes.log_weight.array().exp().sum());
  return nodes;
}

std::optional<PriorNodes> prior_nodes(const Model& model) {
  const Model::Parts& parts = model.parts();
  const LatentSpace& latent = parts.latent;
  const Index q = latent.dim(), each = q == 1 ? nodes_of_lines : nodes_of_planes;
  if (q > 2) return std::nullopt;
  std::vector<Vector> axes;
  for (Index j = 0; j < q; ++j) {
    const double end = latent.is_angle(j) ? std::numbers::pi : end_of_prior_nodes;
    if (parts.X_sd.size() > 0 && median_of(parts.X_sd.row(j).transpose()) < 2 * end / static_cast<double>(each))
      return std::nullopt;
    axes.push_back(prior_axis(each, end));
  }
  PriorNodes nodes = nodes_of_axes(latent, axes);
  if (parts.angle_density.size() > 0) {
    nodes.log_weight += AngleDensity(parts.angle_density).log_ratio(nodes.X.row(0).transpose());
    nodes.log_weight.array() -= std::log(nodes.log_weight.array().exp().sum());
  }
  return nodes;
}

Vector latent_log_prior(const Model& model, ConstMatrixRef X) {
  const LatentSpace& latent = model.parts().latent;
  const double log_two_pi = std::log(2 * std::numbers::pi);
  const Index p = latent.plain_count();
  Vector prior = -0.5 * X.bottomRows(p).colwise().squaredNorm().transpose().array() -
                 static_cast<double>(p) / 2 * log_two_pi - static_cast<double>(latent.angles()) * log_two_pi;
  if (model.parts().angle_density.size() > 0)
    prior += AngleDensity(model.parts().angle_density).log_ratio(X.row(0).transpose());
  return prior;
}

namespace {

// A mixture of normal distributions about the peaks of one point, each narrow and wide.
class Proposal {
 public:
  Proposal(std::vector<const LatentMode*> modes, const Vector& wide) : modes_(std::move(modes)) {
    for (const LatentMode* mode : modes_) {
      narrow_.push_back(std::numbers::sqrt2 * mode->sd);
      wide_.push_back((mode->sd.array().square() + wide.array().square()).sqrt());
    }
  }
  Matrix draws(Index count, Random& random) const {
    Matrix X = random.normals(wide_[0].size(), count);
    for (Index s = 0; s < count; ++s) {
      const auto k = static_cast<std::size_t>(s / 2) % modes_.size();
      X.col(s) = modes_[k]->x + (s % 2 == 0 ? narrow_ : wide_)[k].cwiseProduct(X.col(s));
    }
    return X;
  }
  double log_density(ConstVectorRef x) const {
    double most = -infinity;
    std::vector<double> terms;
    for (std::size_t k = 0; k < modes_.size(); ++k)
      for (const Vector* sd : {&narrow_[k], &wide_[k]}) {
        terms.push_back(-0.5 * (x - modes_[k]->x).cwiseQuotient(*sd).squaredNorm() - sd->array().log().sum() -
                        static_cast<double>(x.size()) / 2 * std::log(2 * std::numbers::pi));
        most = std::max(most, terms.back());
      }
    double sum = 0;
    for (const double term : terms) sum += std::exp(term - most);
    return most + std::log(sum / static_cast<double>(terms.size()));
  }

 private:
  std::vector<const LatentMode*> modes_;
  std::vector<Vector> narrow_, wide_;
};

}  // namespace

Vector importance_log_density(const Model& model, ConstMatrixRef points, const Encoding& codes, std::uint64_t seed) {
  const Index n = points.cols(), q = model.latent_dim();
  const Posterior::Grain grain = model.posterior()->grain();
  const LatentSpace& latent = model.parts().latent;
  Vector wide(q);
  for (Index j = 0; j < q; ++j) wide[j] = wide_share * std::min(latent.is_angle(j) ? grain.angle : grain.plain, 2.0);
  std::vector<std::vector<const LatentMode*>> modes(static_cast<std::size_t>(n));
  for (const LatentMode& mode : codes.modes) modes[static_cast<std::size_t>(mode.point)].push_back(&mode);
  Vector density(n);
  for (Index i = 0; i < n; ++i) {
    Random random(seed, stream::importance_draws + static_cast<std::uint64_t>(i));
    const Proposal proposal(modes[static_cast<std::size_t>(i)], wide);
    const Matrix X = proposal.draws(draws_each, random);
    Vector terms = model.log_density(X, points.col(i).replicate(1, draws_each)) + latent_log_prior(model, X);
    for (Index s = 0; s < draws_each; ++s) terms[s] -= proposal.log_density(X.col(s));
    density[i] = log_mean(terms);
  }
  return density;
}

}  // namespace wgp
