#include "wgp/model.h"
#include "linalg/decompositions.h"

#include "core/format.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numbers>

#include "gp/conditioning.h"
#include "model/coordinates.h"
#include "model/error_summary.h"

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
std::string to_string(Effort effort) {
  return effort == Effort::quick ? "quick" : effort == Effort::normal ? "normal" : "thorough";
}
std::string to_string(Encoder encoder) { return encoder == Encoder::density ? "density" : "projection"; }
std::string to_string(VarianceRule rule) {
  return rule == VarianceRule::as_fitted ? "as_fitted" : rule == VarianceRule::dof ? "dof" : "held_out";
}
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
         : status == EncodeStatus::outside_support ? "outside_support"
                                                   : "not_converged";
}

Model::Model(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {
  const Parts& p = *parts_;
  if (p.X.rows() != p.latent.dim() || p.X.cols() != p.P.cols() || p.P.rows() != p.manifold->ambient_dim())
    throw Error(fmt::format(
        "a model of {} points with {} numbers each, {} latents with {} coordinates, on {} ({} numbers) "
        "with {} latent coordinates is impossible",
        p.P.cols(), p.P.rows(), p.X.cols(), p.X.rows(), p.manifold->spec(), p.manifold->ambient_dim(), p.latent.dim()));
  if (p.kind == ModelKind::gplvm || p.kind == ModelKind::gplvmproj)
    coordinates_ = embedded_coordinates(p.manifold, p.base, p.kind == ModelKind::gplvmproj, p.clip);
  else if (p.basis)
    basepoint_ = std::make_shared<const Basepoint>(p.manifold, p.base, p.basis, p.coefficients);
  else
    coordinates_ = wrapped_coordinates(p.manifold, p.base);
  V_ = to_coords(p.X, p.P);
  auto posterior =
      std::make_shared<GpPosterior>(parse_kernel(p.kernel, p.latent, p.lengths), p.theta, p.noise, p.X, V_);
  if (!posterior->ok()) throw Error("the model's covariance matrix is not positive definite");
  posterior_ = std::move(posterior);
}

Matrix Model::to_coords(ConstMatrixRef points) const {
  if (base_moves()) throw Error("coordinates of points need latents where the base point moves with them");
  return coordinates_->to_coords(points);
}
Matrix Model::to_coords(ConstMatrixRef X, ConstMatrixRef points) const {
  return base_moves() ? basepoint_->lift(X, points) : coordinates_->to_coords(points);
}
Matrix Model::to_points(ConstMatrixRef X, ConstMatrixRef coords) const {
  return base_moves() ? basepoint_->wrap(X, coords) : coordinates_->to_points(coords);
}

Matrix Model::mean_points(ConstMatrixRef X) const {
  const Matrix k = posterior_->kernel().cov(posterior_->theta(), posterior_->X(), X);
  return to_points(X, posterior_->A().transpose() * k);
}

Prediction Model::predict(ConstMatrixRef X) const { return predicted(X, posterior_->predict(X)); }

Prediction Model::predicted(ConstMatrixRef X, GpPrediction of_process) const {
  Prediction prediction;
  prediction.points = to_points(X, of_process.mean);
  prediction.coords = std::move(of_process.mean);
  prediction.variance = parts_->variance_scale * of_process.variance;
  prediction.noise = predictive_noise();
  return prediction;
}

Matrix Model::sample(ConstMatrixRef X, Index count, Random& random, bool with_noise, bool joint) const {
  const GpPrediction gp = posterior_->predict(X);
  const Index n = X.cols(), d = V_.rows();
  const double scale = parts_->variance_scale, noise = with_noise ? predictive_noise() : 0;
  Matrix root;
  if (joint) {
    Matrix covariance = scale * posterior_->covariance(X);
    covariance.diagonal().array() += noise;
    // By eigenvalues: the covariance of a noise-free function at close inputs is singular to working precision.
    const Spectrum spectrum = symmetric_spectrum((covariance + covariance.transpose()) / 2);
    root = spectrum.vectors * spectrum.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  }
  Matrix coords(d, n * count);
  for (Index s = 0; s < count; ++s) {
    Matrix draw = random.normals(d, n);
    if (joint)
      draw = draw * root.transpose();
    else
      draw = draw * (scale * gp.variance.array() + noise).sqrt().matrix().asDiagonal();
    coords.middleCols(s * n, n) = gp.mean + draw;
  }
  return to_points(X.replicate(1, count), coords);
}

Vector Model::log_density(ConstMatrixRef X, ConstMatrixRef points, bool volume_corrected) const {
  const Matrix V = to_coords(X, points);
  const GpPrediction gp = posterior_->predict(X);
  const double d = static_cast<double>(V.rows());
  const Vector total = parts_->variance_scale * gp.variance.array() + predictive_noise();
  Vector density = -d / 2 * (2 * std::numbers::pi * total.array()).log() -
                   (V - gp.mean).colwise().squaredNorm().transpose().array() / (2 * total.array());
  if (volume_corrected) density -= base_moves() ? basepoint_->log_volume(X, V) : coordinates_->log_volume(V);
  return density;
}

Vector Model::log_volume(ConstMatrixRef X, ConstMatrixRef points) const {
  const Matrix V = to_coords(X, points);
  return base_moves() ? basepoint_->log_volume(X, V) : coordinates_->log_volume(V);
}

Score Model::score(ConstMatrixRef points, Encoder encoder) const {
  const Encoding encoding = encode(points, encoder);
  const Matrix back = mean_points(encoding.X);
  Score score;
  score.n = points.cols();
  score.euclidean = euclidean_distances(manifold(), points, back);
  score.intrinsic = Vector::Constant(score.n, std::numeric_limits<double>::quiet_NaN());
  if (on_manifold())
    for (Index i = 0; i < score.n; ++i) score.intrinsic[i] = distance(manifold(), points.col(i), back.col(i));
  score.intrinsic_rmse = root_mean_square(score.intrinsic);
  score.euclidean_rmse = root_mean_square(score.euclidean);
  score.intrinsic_median = median(score.intrinsic);
  score.log_density_mean = encoding.log_density.mean();
  score.outside_support = std::count(encoding.status.begin(), encoding.status.end(), EncodeStatus::outside_support);
  return score;
}

Vector Model::confidence_radius(ConstMatrixRef X, double level) const {
  if (!(level > 0 && level < 1)) throw Error(fmt::format("a level of {} is not between 0 and 1", level));
  const boost::math::chi_squared chi(static_cast<double>(V_.rows()));
  const Vector variance = parts_->variance_scale * posterior_->predict(X).variance.array() + predictive_noise();
  return (boost::math::quantile(chi, level) * variance).cwiseSqrt();
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
  // J = d mean / dx by central differences of the (smooth) mean; S_J = d^2 k / dx dx' - dk' K^-1 dk likewise.
  constexpr double h = 1e-4;
  const Index q = latent_dim(), d = V_.rows();
  Matrix around(q, 2 * q + 1);
  around.colwise() = Vector(x);
  for (Index j = 0; j < q; ++j) {
    around(j, 1 + 2 * j) += h;
    around(j, 2 + 2 * j) -= h;
  }
  const GpPrediction gp = posterior_->predict(around);
  Matrix J(d, q), difference = Matrix::Zero(2 * q + 1, q);
  for (Index j = 0; j < q; ++j) {
    J.col(j) = (gp.mean.col(1 + 2 * j) - gp.mean.col(2 + 2 * j)) / (2 * h);
    difference(1 + 2 * j, j) = 1 / (2 * h);
    difference(2 + 2 * j, j) = -1 / (2 * h);
  }
  const Matrix S = parts_->variance_scale * (difference.transpose() * posterior_->covariance(around) * difference);
  if (parts_->kind == ModelKind::gplvm || parts_->kind == ModelKind::gplvmproj)
    return J.transpose() * J + static_cast<double>(d) * S;
  if (base_moves()) {
    // The image of the latent itself moves: differences of it, and the differential at its own base point.
    const Matrix points = to_points(around, gp.mean);
    const auto at_image = manifold().at(points.col(0));
    Matrix logs(d, 2 * q);
    at_image->log(points.rightCols(2 * q), logs);
    for (Index j = 0; j < q; ++j) J.col(j) = (logs.col(2 * j) - logs.col(2 * j + 1)) / (2 * h);
    const auto at_base = manifold().at(basepoint_->points(x).col(0));
    const Matrix D = at_base->jacobi(log_coords(*at_base, points.col(0)))->dexp(Matrix::Identity(d, d));
    return J.transpose() * J + D.squaredNorm() * S;
  }
  // In normal coordinates the metric at v is dExp' dExp.
  const auto space = manifold().at(parts_->base);
  const auto fields = space->jacobi(gp.mean.col(0));
  const Matrix DJ = fields->dexp(J);
  const Matrix D = fields->dexp(Matrix::Identity(d, d));
  return DJ.transpose() * DJ + D.squaredNorm() * S;
}

}  // namespace wgp
