#include "wgp/model.h"
#include "linalg/decompositions.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gp/dense_posterior.h"
#include "gp/slope_differences.h"
#include "lift/embedded_lift.h"
#include "model/score_summary.h"

namespace wgp {

std::string to_string(ModelKind kind) {
  switch (kind) {
    case ModelKind::wgplvm:
      return "wgplvm";
    case ModelKind::gplvm:
      return "gplvm";
    case ModelKind::gplvmproj:
      return "gplvmproj";
    case ModelKind::regression:
      return "regression";
  }
  return "unknown";
}
std::string to_string(Prior prior) { return prior == Prior::map ? "map" : prior == Prior::none ? "none" : "auto"; }
std::string to_string(Inference inference) { return inference == Inference::point ? "point" : "variational"; }
std::string to_string(Encoder encoder) { return encoder == Encoder::density ? "density" : "projection"; }
std::string to_string(BasepointKind kind) {
  switch (kind) {
    case BasepointKind::mean:
      return "mean";
    case BasepointKind::optimised:
      return "optimised";
    case BasepointKind::geodesic:
      return "geodesic";
    case BasepointKind::spline:
      return "spline";
    case BasepointKind::automatic:
      return "auto";
  }
  return "unknown";
}
std::string to_string(EncodeStatus status) {
  return status == EncodeStatus::ok                ? "ok"
         : status == EncodeStatus::ambiguous       ? "ambiguous"
         : status == EncodeStatus::outside_support ? "outside_support"
                                                   : "not_converged";
}

std::vector<int> Encoding::mode_counts() const {
  std::vector<int> counts(status.size(), 0);
  for (const LatentMode& mode : modes) ++counts[static_cast<std::size_t>(mode.point)];
  return counts;
}

LiftPtr lift_of(const Model::Parts& parts) {
  if (parts.kind == ModelKind::gplvm)
    return embedded_lift(parts.manifold, parts.base, Predictions::as_they_are, parts.clip);
  if (parts.kind == ModelKind::gplvmproj)
    return embedded_lift(parts.manifold, parts.base, Predictions::projected, parts.clip);
  return std::make_shared<const Basepoint>(parts.manifold, parts.base, parts.basis, parts.coefficients);
}

namespace {

void check_parts(const Model::Parts& p) {
  if (p.X_sd.size() > 0 && (p.X_sd.rows() != p.X.rows() || p.X_sd.cols() != p.X.cols()))
    throw Error(fmt::format("{} x {} standard deviations of {} x {} latents", p.X_sd.rows(), p.X_sd.cols(), p.X.rows(),
                            p.X.cols()));
  if (p.X.rows() != p.latent.dim() || (p.has_points() && p.X.cols() != p.P.cols()) || p.X.cols() == 0 ||
      (p.has_points() && p.P.rows() != p.manifold->ambient_dim()))
    throw Error(fmt::format(
        "a model of {} points with {} numbers each, {} latents with {} coordinates, on {} ({} numbers) "
        "with {} latent coordinates is impossible",
        p.P.cols(), p.P.rows(), p.X.cols(), p.X.rows(), p.manifold->spec(), p.manifold->ambient_dim(), p.latent.dim()));
}

PosteriorPtr condition(Model::Parts& p) {
  if (!p.kernel) p.kernel = parse_kernel("rbf", p.latent, p.lengths);
  check_parts(p);
  if (!p.has_points()) throw Error("a model without its points needs a process that is known already");
  PosteriorPtr posterior =
      condition_densely({p.kernel, p.latent, p.theta, p.noise, 0, p.X, lift_of(p)->lift(p.X, p.P).V, {}, {}});
  if (!posterior) throw Error("the model's covariance matrix is not positive definite");
  return posterior;
}

// lift.wrap(), with every column that has no point in the report: also those whose vector is not finite, as that of a
// kernel which grows without bound is far from the data, and those whose point is not. They are NaN then.
ExpReport wrap_all(const Lift& lift, ConstMatrixRef X, ConstMatrixRef V, MatrixRef points) {
  std::vector<bool> lost(static_cast<std::size_t>(V.cols()));
  if (!V.allFinite()) {
    Matrix finite = V;
    for (Index i = 0; i < V.cols(); ++i)
      if (!V.col(i).allFinite()) {
        lost[static_cast<std::size_t>(i)] = true;
        finite.col(i).setZero();
      }
    for (const Index i : lift.wrap(X, finite, points).outside_domain) lost[static_cast<std::size_t>(i)] = true;
  } else {
    for (const Index i : lift.wrap(X, V, points).outside_domain) lost[static_cast<std::size_t>(i)] = true;
  }
  ExpReport report;
  for (Index i = 0; i < V.cols(); ++i) {
    const bool has_none = !V.col(i).allFinite() || !points.col(i).allFinite();
    if (has_none) points.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
    if (has_none || lost[static_cast<std::size_t>(i)]) report.outside_domain.push_back(i);
  }
  return report;
}

}  // namespace

Model::Model(Parts parts) {
  PosteriorPtr posterior = condition(parts);
  *this = Model(std::move(parts), std::move(posterior));
}

Model::Model(Parts parts, PosteriorPtr posterior) : posterior_(std::move(posterior)) {
  check_parts(parts);
  lift_ = lift_of(parts);
  if (!parts.law) parts.law = normal_noise(lift_->dim(), parts.noise);
  parts_ = std::make_shared<const Parts>(std::move(parts));
}

Model Model::with(const std::function<void(Parts&)>& change) const {
  Parts changed = *parts_;
  change(changed);
  return Model(std::move(changed), posterior_);
}

Matrix Model::mean_points(ConstMatrixRef X, ExpReport* report) const {
  Matrix points(parts_->manifold->ambient_dim(), X.cols());
  const ExpReport found = wrap_all(*lift_, X, posterior_->mean(X), points);
  if (report) *report = found;
  return points;
}

Prediction Model::predict(ConstMatrixRef X) const { return predicted(X, posterior_->predict(X)); }

Prediction Model::predicted(ConstMatrixRef X, GpPrediction of_process) const {
  Prediction prediction;
  prediction.points.resize(parts_->manifold->ambient_dim(), X.cols());
  prediction.report = wrap_all(*lift_, X, of_process.mean, prediction.points);
  prediction.coords = std::move(of_process.mean);
  prediction.variance = law().function_variance(of_process.variance);
  prediction.noise = law().noise_variance();
  return prediction;
}

Matrix Model::sample(ConstMatrixRef X, Index count, Random& random, SampleOf of, SampleHow how,
                     ExpReport* report) const {
  const Index n = X.cols(), d = dim();
  const GpPrediction gp = posterior_->predict(X);
  Matrix root;
  std::vector<Index> known;  // where the process has a distribution: one that overflows must not spoil the others
  for (Index i = 0; i < n; ++i)
    if (gp.mean.col(i).allFinite() && std::isfinite(gp.variance[i])) known.push_back(i);
  if (how == SampleHow::jointly && !known.empty()) {
    // By eigenvalues: the covariance of a noise-free function at close inputs is singular to working precision.
    const Matrix covariance = law().function_scale() * posterior_->covariance(X(Eigen::all, known));
    const Spectrum spectrum = symmetric_spectrum((covariance + covariance.transpose()) / 2);
    root = spectrum.vectors * spectrum.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  }
  Matrix coords(d, n * count);
  for (Index s = 0; s < count; ++s) {
    auto draw = coords.middleCols(s * n, n);
    if (how == SampleHow::jointly) {
      draw.setConstant(std::numeric_limits<double>::quiet_NaN());
      draw(Eigen::all, known) = law().correlated(random.normals(d, root.cols()) * root.transpose());
      if (of == SampleOf::data) draw += law().draw_noise(n, random);
    } else if (of == SampleOf::data) {
      draw = law().draw(gp.variance, random);
    } else {
      draw = law().correlated(random.normals(d, n)) * law().function_variance(gp.variance).cwiseSqrt().asDiagonal();
    }
    draw += gp.mean;
  }
  Matrix points(parts_->manifold->ambient_dim(), n * count);
  const ExpReport found = wrap_all(*lift_, X.replicate(1, count), coords, points);
  if (report) *report = found;
  return points;
}

Vector Model::log_density(ConstMatrixRef X, ConstMatrixRef points) const {
  const Lifted lifted = lift_->lift(X, points, LiftWanted::vectors_and_volume);
  const GpPrediction gp = posterior_->predict(X);
  const Vector squared = (law().whiten(lifted.V) - law().whiten(gp.mean)).colwise().squaredNorm();
  return law().log_density(squared, gp.variance) - lifted.log_volume;
}

Score Model::score(ConstMatrixRef points, const EncodeOptions& options) const {
  return score_of(*this, score_points(*this, points, options));
}

Vector Model::confidence_radius(ConstMatrixRef X, double level) const {
  if (!(level > 0 && level < 1)) throw Error(fmt::format("a level of {} is not between 0 and 1", level));
  const Vector variance = posterior_->predict(X).variance;
  Vector radius(X.cols());
  for (Index i = 0; i < radius.size(); ++i) radius[i] = law().radius(level, variance[i]);
  return radius;
}

std::optional<double> Model::conformal_radius(double level) const {
  const Vector& sorted = parts_->calibration;
  if (sorted.size() == 0) return std::nullopt;
  if (!(level > 0 && level < 1)) throw Error(fmt::format("a level of {} is not between 0 and 1", level));
  // The ceil((n + 1) level)-th smallest: covers with at least this probability whatever the model got wrong.
  const auto rank = static_cast<Index>(std::ceil(static_cast<double>(sorted.size() + 1) * level - 1e-12));
  return rank > sorted.size() ? infinity : sorted[rank - 1];
}

Matrix Model::latent_metric(ConstVectorRef x) const {
  // J = d mean / dx by central differences of the (smooth) mean.
  const Index q = latent_dim(), d = dim();
  const SlopeDifferences beside(x);
  Matrix around(q, 2 * q + 1);
  around << Vector(x), beside.inputs;
  const GpPrediction gp = posterior_->predict(around);
  const Matrix J = gp.mean.rightCols(2 * q) * beside.weights;
  const Matrix S = law().function_scale() * posterior_->slope_covariance(x);
  const Matrix D = lift_->push_forward(x, gp.mean.col(0), Matrix::Identity(d, d));
  Matrix images;
  if (lift_->moves()) {
    // The image of the latent itself moves: differences of it, and the differential at its own base point.
    Matrix points(manifold().ambient_dim(), around.cols());
    lift_->wrap(around, gp.mean, points);
    const auto at_image = manifold().at(points.col(0));
    Matrix logs(d, 2 * q);
    at_image->log(points.rightCols(2 * q), logs);
    images = logs * beside.weights;
  } else {
    images = lift_->push_forward(x, gp.mean.col(0), J);
  }
  return images.transpose() * images + D.squaredNorm() * S;
}

}  // namespace wgp
