#include "core/format.h"
#include "linalg/decompositions.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "wgp/distribution.h"

namespace wgp {
namespace {

constexpr double negligible = 40;  // in log weight: e^-40 of the largest term

// The covariance, exactly symmetric, after checking that it is one.
Matrix checked_covariance(const Manifold& manifold, ConstMatrixRef covariance, const std::string& what) {
  const Index d = manifold.dim();
  if (covariance.rows() != d || covariance.cols() != d)
    throw Error(fmt::format("the {} on {} must be {} x {}, not {} x {}", what, manifold.spec(), d, d, covariance.rows(),
                            covariance.cols()));
  if (!covariance.allFinite()) throw Error(fmt::format("the {} has an entry that is not finite", what));
  const double asymmetry = (covariance - covariance.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > 1e-10 * covariance.cwiseAbs().maxCoeff())
    throw Error(
        fmt::format("the {} is not symmetric: entries differ by {:.3g} from their mirror images", what, asymmetry));
  const Matrix symmetric = (covariance + covariance.transpose()) / 2;
  const Cholesky factor(symmetric);
  if (!factor.ok() || !(factor.L().diagonal().minCoeff() > 0))
    throw Error(fmt::format("the {} is not positive definite: smallest eigenvalue {:.6g}", what,
                            symmetric_eigenvalues(symmetric)[0]));
  return symmetric;
}

Matrix lower_factor(const Matrix& covariance) { return Cholesky(covariance).L(); }

Vector checked_point(const Manifold& manifold, ConstVectorRef point, const std::string& what) {
  if (point.size() != manifold.ambient_dim())
    throw Error(fmt::format("the {} on {} needs {} numbers, not {}", what, manifold.spec(), manifold.ambient_dim(),
                            point.size()));
  if (!point.allFinite()) throw Error(fmt::format("the {} has an entry that is not finite", what));
  if (const auto defect = manifold.defect(point))
    throw Error(fmt::format("the {} is not a point of {}: {}", what, manifold.spec(), *defect));
  return manifold.project(point);
}

// N(offset, L L') in tangent coordinates.
struct Gaussian {
  const Vector& offset;
  const Matrix& factor;
  double log_scale, largest_variance;

  Gaussian(const Vector& centre, const Matrix& L) : offset(centre), factor(L) {
    log_scale = -factor.diagonal().array().log().sum() -
                0.5 * static_cast<double>(offset.size()) * std::log(2 * std::numbers::pi);
    const Matrix covariance = factor * factor.transpose();
    largest_variance = symmetric_eigenvalues(covariance).maxCoeff();
  }
  Vector squared_lengths(ConstMatrixRef V) const {
    return factor.triangularView<Eigen::Lower>().solve(V.colwise() - offset).colwise().squaredNorm();
  }
};

struct Terms {
  Preimages preimages;
  Vector log_weights;  // log N(v), minus log|det dExp(v)| unless kind is paper
};

// Every preimage whose Gaussian term can come within e^-40 of the largest: |v - offset|^2 <= lambda_max (80 + q), q the
// least squared Mahalanobis length among the preimages. A first, shorter list bounds q.
Terms preimage_terms(const TangentSpace& space, const Gaussian& gaussian, ConstVectorRef point, DensityKind kind) {
  Terms terms;
  if (space.injectivity_radius() == infinity) {
    terms.preimages = space.preimages(point, infinity);
  } else {
    const auto radius = [&](double q) {
      return gaussian.offset.norm() + std::sqrt(gaussian.largest_variance * (2 * negligible + q));
    };
    const double first = radius(0) + space.injectivity_radius();
    terms.preimages = space.preimages(point, first);
    const double needed = radius(gaussian.squared_lengths(terms.preimages.coords).minCoeff());
    if (needed > first && terms.preimages.countable) terms.preimages = space.preimages(point, needed);
  }
  terms.log_weights = gaussian.log_scale - gaussian.squared_lengths(terms.preimages.coords).array() / 2;
  // At a conjugate point the determinant is 0 up to rounding; a bound keeps the density finite.
  if (kind != DensityKind::paper) terms.log_weights -= terms.preimages.log_abs_det.cwiseMax(-700);
  return terms;
}

}  // namespace

WrappedGaussian::WrappedGaussian(ManifoldPtr manifold, ConstVectorRef mean, ConstMatrixRef covariance)
    : WrappedGaussian(manifold, mean, Vector::Zero(manifold->dim()), covariance) {}

WrappedGaussian::WrappedGaussian(ManifoldPtr manifold, ConstVectorRef mean, ConstVectorRef offset,
                                 ConstMatrixRef covariance)
    : manifold_(std::move(manifold)),
      mean_(checked_point(*manifold_, mean, "mean")),
      offset_(offset),
      covariance_(checked_covariance(*manifold_, covariance, "covariance")),
      factor_(lower_factor(covariance_)),
      space_(manifold_->at(mean_)) {
  if (offset_.size() != manifold_->dim() || !offset_.allFinite())
    throw Error(fmt::format("the offset must be {} finite numbers; {} were given", manifold_->dim(), offset_.size()));
}

Sample WrappedGaussian::sample(Random& random, Index count) const {
  if (count < 0) throw Error(fmt::format("{} draws were asked for", count));
  Sample sample;
  sample.points.resize(manifold_->ambient_dim(), count);
  const Index block_size = 1024;
  for (Index filled = 0; filled < count;) {
    const Index size = std::min(block_size, count - filled);
    Matrix V = random.normals(manifold_->dim(), size);
    // Column by column: a product of matrices would round differently for another number of draws.
    for (Index i = 0; i < size; ++i) V.col(i) = offset_ + factor_.triangularView<Eigen::Lower>() * V.col(i).eval();
    Matrix drawn(manifold_->ambient_dim(), size);
    const ExpReport report = space_->exp(V, drawn);
    std::size_t next_bad = 0;
    for (Index i = 0; i < size; ++i) {
      if (next_bad < report.outside_domain.size() && report.outside_domain[next_bad] == i) {
        ++next_bad;
        ++sample.rejected;
      } else {
        sample.points.col(filled++) = drawn.col(i);
      }
    }
    if (sample.rejected > 1000 * (filled + 100))
      throw Error(fmt::format("{} of {} draws left {}: the covariance is too large for an incomplete manifold",
                              sample.rejected, sample.rejected + filled, manifold_->spec()));
  }
  return sample;
}

LogDensity WrappedGaussian::log_density(ConstMatrixRef points, DensityKind kind) const {
  if (points.rows() != manifold_->ambient_dim())
    throw Error(fmt::format("points of {} have {} numbers, but {} were given (one point per column)", manifold_->spec(),
                            manifold_->ambient_dim(), points.rows()));
  const Index N = points.cols();
  LogDensity result;
  result.values.resize(N);
  result.neglected = Vector::Zero(N);
  result.status.resize(static_cast<std::size_t>(N));
  const Gaussian gaussian(offset_, factor_);
  Matrix coords(manifold_->dim(), 1);
  for (Index i = 0; i < N; ++i) {
    LogStatus& status = result.status[static_cast<std::size_t>(i)];
    status = space_->log(points.col(i), coords).status[0];
    if (status == LogStatus::outside_domain) {  // no tangent vector leads there
      result.values[i] = -infinity;
      continue;
    }
    const Terms terms = preimage_terms(*space_, gaussian, points.col(i), kind);
    result.complete = result.complete && terms.preimages.complete;
    if (!terms.preimages.countable) status = LogStatus::cut_locus;
    const double largest = terms.log_weights.maxCoeff();
    const double sum = (terms.log_weights.array() - largest).exp().sum();
    const double others = (terms.log_weights.tail(terms.log_weights.size() - 1).array() - largest).exp().sum();
    result.neglected[i] = others / sum;
    const bool principal = kind == DensityKind::principal || !terms.preimages.countable;
    result.values[i] = principal ? terms.log_weights[0] : largest + std::log(sum);
  }
  return result;
}

WrappedGaussianMixture condition(const JointWrappedGaussian& joint, ConstVectorRef p2, DensityKind kind) {
  const Manifold &first = *joint.first, &second = *joint.second;
  if (joint.K12.rows() != first.dim() || joint.K12.cols() != second.dim())
    throw Error(
        fmt::format("K12 must be {} x {}, not {} x {}", first.dim(), second.dim(), joint.K12.rows(), joint.K12.cols()));
  const Matrix K11 = checked_covariance(first, joint.K11, "covariance K11");
  const Matrix factor = lower_factor(checked_covariance(second, joint.K22, "covariance K22"));
  const auto space = second.at(checked_point(second, joint.mean2, "second mean"));
  const Vector zero = Vector::Zero(second.dim());
  const Gaussian gaussian(zero, factor);
  const Terms terms = preimage_terms(*space, gaussian, checked_point(second, p2, "conditioning point"), kind);

  // v1 | v2 ~ N(K12 K22^-1 v2, K11 - K12 K22^-1 K21); B = L^-1 K21 with K22 = L L'.
  const auto L = factor.triangularView<Eigen::Lower>();
  const Matrix B = L.solve(joint.K12.transpose());
  const Matrix covariance = K11 - B.transpose() * B;

  std::vector<Index> order(static_cast<std::size_t>(terms.log_weights.size()));
  std::iota(order.begin(), order.end(), 0);
  if (kind == DensityKind::principal || !terms.preimages.countable) order.resize(1);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return terms.log_weights[a] > terms.log_weights[b]; });
  const double largest = terms.log_weights[order[0]];
  std::erase_if(order, [&](Index k) { return terms.log_weights[k] < largest - negligible; });

  WrappedGaussianMixture mixture;
  mixture.countable = terms.preimages.countable;
  mixture.weights.resize(static_cast<Index>(order.size()));
  for (std::size_t k = 0; k < order.size(); ++k) {
    mixture.weights[static_cast<Index>(k)] = std::exp(terms.log_weights[order[k]] - largest);
    const Vector offset = B.transpose() * L.solve(terms.preimages.coords.col(order[k]));
    mixture.components.emplace_back(joint.first, joint.mean1, offset, covariance);
  }
  mixture.weights /= mixture.weights.sum();
  return mixture;
}

}  // namespace wgp
