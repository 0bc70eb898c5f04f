#include "model/prior_nodes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random_streams.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr double node_end = 4;
constexpr Index nodes_of_lines = 600, nodes_of_planes = 70, draws_each = 200;
constexpr double wide_share = 0.3;  // of the length-scale

double median_of(Vector values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

std::optional<PriorNodes> prior_nodes(const Model& model) {
  const Model::Parts& parts = model.parts();
  const LatentSpace& latent = parts.latent;
  const Index q = latent.dim(), each = q == 1 ? nodes_of_lines : nodes_of_planes;
  if (q > 2) return std::nullopt;
  for (Index j = 0; j < q; ++j) {
    const double step = 2 * (latent.is_angle(j) ? std::numbers::pi : node_end) / static_cast<double>(each);
    if (parts.X_sd.size() > 0 && median_of(parts.X_sd.row(j).transpose()) < step) return std::nullopt;
  }
  const Index count = q == 1 ? each : each * each;
  PriorNodes nodes{Matrix(q, count), Vector::Zero(count)};
  for (Index g = 0; g < count; ++g)
    for (Index j = 0; j < q; ++j) {
      const double share = (static_cast<double>(j == 0 ? g % each : g / each) + 0.5) / static_cast<double>(each);
      const double x = (2 * share - 1) * (latent.is_angle(j) ? std::numbers::pi : node_end);
      nodes.X(j, g) = x;
      if (!latent.is_angle(j)) nodes.log_weight[g] -= x * x / 2;
    }
  nodes.log_weight.array() -= std::log(nodes.log_weight.array().exp().sum());
  return nodes;
}

Vector latent_log_prior(const LatentSpace& latent, ConstMatrixRef X) {
  const double log_two_pi = std::log(2 * std::numbers::pi);
  const Index p = latent.plain_count();
  return -0.5 * X.bottomRows(p).colwise().squaredNorm().transpose().array() - static_cast<double>(p) / 2 * log_two_pi -
         static_cast<double>(latent.angles()) * log_two_pi;
}

Vector importance_log_density(const Model& model, ConstMatrixRef points, std::uint64_t seed) {
  const Encoding codes = model.encode(points);
  const Index n = points.cols(), q = model.latent_dim();
  const Posterior::Grain grain = model.posterior()->grain();
  const LatentSpace& latent = model.parts().latent;
  Vector wide(q);
  for (Index j = 0; j < q; ++j) wide[j] = wide_share * std::min(latent.is_angle(j) ? grain.angle : grain.plain, 2.0);
  Vector density(n);
  const double log_two_pi = std::log(2 * std::numbers::pi);
  for (Index i = 0; i < n; ++i) {
    Random random(seed, stream::importance_draws + static_cast<std::uint64_t>(i));
    const Vector narrow_sd = std::numbers::sqrt2 * codes.sd.col(i),
                 wide_sd = (codes.sd.col(i).array().square() + wide.array().square()).sqrt();
    Matrix X = random.normals(q, draws_each);
    for (Index s = 0; s < draws_each; ++s)
      X.col(s) = codes.X.col(i) + (s % 2 == 0 ? narrow_sd : wide_sd).cwiseProduct(X.col(s));
    Vector terms = model.log_density(X, points.col(i).replicate(1, draws_each)) + latent_log_prior(latent, X);
    for (Index s = 0; s < draws_each; ++s) {
      const Vector far = X.col(s) - codes.X.col(i);
      const auto log_normal = [&](const Vector& sd) {
        return -0.5 * far.cwiseQuotient(sd).squaredNorm() - sd.array().log().sum() -
               static_cast<double>(q) / 2 * log_two_pi;
      };
      const double a = log_normal(narrow_sd), b = log_normal(wide_sd), most = std::max(a, b);
      terms[s] -= most + std::log(0.5 * (std::exp(a - most) + std::exp(b - most)));
    }
    const double most = terms.maxCoeff();
    density[i] = most + std::log((terms.array() - most).exp().mean());
  }
  return density;
}

}  // namespace wgp
