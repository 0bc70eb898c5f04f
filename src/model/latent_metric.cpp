#include "wgp/latent_metric.h"
#include "core/random_streams.h"
#include "gp/slope_differences.h"
#include "linalg/decompositions.h"

#include <cmath>

#include "wgp/statistics.h"

namespace wgp {
namespace {

// f and its derivatives at x: means, and the covariance of one coordinate's (f, df).
struct Jet {
  Vector mean;       // d
  Matrix jacobian;   // d x q
  double variance;   // of f
  Vector with_f;     // q, covariance of df and f
  Matrix of_slopes;  // q x q, covariance of df
};

// By central differences of the posterior's mean and covariance, which are smooth.
Jet jet_at(const Model& model, ConstVectorRef x) {
  const Index q = x.size();
  const SlopeDifferences beside(x);
  Matrix around(q, 2 * q + 1);
  around << Vector(x), beside.inputs;
  const Posterior& posterior = *model.posterior();
  const GpPrediction gp = posterior.predict(around);
  const double scale = model.law().function_scale();
  const Matrix covariance = scale * posterior.covariance(around);
  return {gp.mean.col(0), gp.mean.rightCols(2 * q) * beside.weights, covariance(0, 0),
          beside.weights.transpose() * covariance.col(0).tail(2 * q), scale * posterior.slope_covariance(x)};
}

// Nodes and weights of E over a standard normal: eigenvalues of the Jacobi matrix of Hermite's polynomials.
struct Rule {
  Matrix nodes;  // d x count
  Vector weights;
};
Rule gauss_hermite(Index d) {
  constexpr Index n = 20;
  Matrix T = Matrix::Zero(n, n);
  for (Index k = 1; k < n; ++k) T(k, k - 1) = T(k - 1, k) = std::sqrt(static_cast<double>(k));
  const Spectrum spectrum = symmetric_spectrum(T);
  const Vector at = spectrum.values, weight = spectrum.vectors.row(0).cwiseAbs2().transpose();
  Rule rule{Matrix(d, d == 1 ? n : n * n), Vector(d == 1 ? n : n * n)};
  for (Index k = 0; k < rule.weights.size(); ++k) {
    rule.nodes(0, k) = at[k % n];
    rule.weights[k] = weight[k % n];
    if (d == 2) {
      rule.nodes(1, k) = at[k / n];
      rule.weights[k] *= weight[k / n];
    }
  }
  return rule;
}
Rule antithetic(Index d) {
  constexpr Index pairs = 256;
  Random random(0, stream::metric_draws);
  Rule rule{Matrix(d, 2 * pairs), Vector::Constant(2 * pairs, 0.5 / pairs)};
  rule.nodes.leftCols(pairs) = random.normals(d, pairs);
  rule.nodes.rightCols(pairs) = -rule.nodes.leftCols(pairs);
  return rule;
}

}  // namespace

Matrix expected_latent_metric(const Model& model, ConstVectorRef x) {
  // Where the metric is constant the plug-in form is exact. Where the base point moves, coordinates are small, and so
  // is the error of the plug-in form.
  if (model.lift().is_embedded() || model.manifold().is_flat() || model.lift().moves()) return model.latent_metric(x);
  const Jet jet = jet_at(model, x);
  const Index d = jet.mean.size(), q = x.size();
  const auto space = model.manifold().at(model.parts().base);
  const bool certain = !(jet.variance > 0);
  const Vector regression = certain ? Vector::Zero(q) : Vector(jet.with_f / jet.variance);
  const Matrix left = jet.of_slopes - regression * jet.with_f.transpose();
  const Rule rule = certain ? Rule{Matrix::Zero(d, 1), Vector::Ones(1)} : d <= 2 ? gauss_hermite(d) : antithetic(d);
  Matrix metric = Matrix::Zero(q, q);
  for (Index k = 0; k < rule.weights.size(); ++k) {
    const Vector away = std::sqrt(std::max(0.0, jet.variance)) * rule.nodes.col(k);
    const auto fields = space->jacobi(jet.mean + away);
    const Matrix DJ = fields->dexp(jet.jacobian + away * regression.transpose());
    metric += rule.weights[k] * (DJ.transpose() * DJ + fields->dexp(Matrix::Identity(d, d)).squaredNorm() * left);
  }
  return metric;
}

double magnification(const Model& model, ConstVectorRef x) {
  return std::sqrt(std::max(0.0, determinant(expected_latent_metric(model, x))));
}

Vector monte_carlo_mean(const Model& model, ConstVectorRef x, Index draws, Random& random) {
  const Matrix points = model.sample(x, draws, random);
  if (!model.on_manifold()) return points.rowwise().mean();
  return frechet_mean(model.manifold(), points).mean;
}

}  // namespace wgp
