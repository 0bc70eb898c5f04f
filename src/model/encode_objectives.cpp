#include "model/encode_objectives.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gp/conditioning.h"

namespace wgp {
namespace {

class DensityObjective final : public EncodeObjective {
 public:
  // What each column holds: the vectors V, or where the base moves the points themselves.
  DensityObjective(const Model& model, Matrix points, double support_limit)
      : model_(model), posterior_(model.posterior()), points_(std::move(points)), support_limit_(support_limit) {}

  EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    const Kernel& kernel = posterior_.kernel();
    const Vector& theta = posterior_.theta();
    const Index B = X.cols();
    const Matrix own = points_(Eigen::all, owner), V = model_.base_moves() ? model_.to_coords(X, own) : own;
    const double d = static_cast<double>(V.rows()), noise = model_.predictive_noise(),
                 scale = model_.parts().variance_scale;
    const Matrix k = kernel.cov(theta, X, posterior_.X());  // B x N
    const Matrix mean = (k * posterior_.A()).transpose();
    // s^2 is a small difference: |L^-1 k|^2 keeps the digits that k' K^-1 k loses to the condition of K.
    const auto L = posterior_.factor().triangularView<Eigen::Lower>();
    Matrix solved = L.solve(k.transpose());  // N x B
    const Vector variance = (kernel.diag(theta, X) - solved.colwise().squaredNorm().transpose()).cwiseMax(0);
    L.transpose().solveInPlace(solved);
    EncodeValues values{Vector(B), Matrix::Zero(X.rows(), B)};
    Matrix residual(V.rows(), B);
    Vector by_variance(B);  // df / ds^2
    for (Index b = 0; b < B; ++b) {
      const double total = scale * variance[b] + noise;
      residual.col(b) = V.col(b) - mean.col(b);
      const double squared = residual.col(b).squaredNorm();
      values.f[b] = d / 2 * std::log(2 * std::numbers::pi * total) + squared / (2 * total);
      by_variance[b] = scale * (d / (2 * total) - squared / (2 * total * total));
      if (variance[b] > support_limit_) {
        const double excess = std::log(variance[b] / support_limit_), steepness = 100 * d;
        values.f[b] += steepness * excess * excess;
        by_variance[b] += 2 * steepness * excess / variance[b];
      }
      residual.col(b) /= -total;  // df / dmean
    }
    // df/dk: through the mean, and through s^2 = k(x, x) - k' K^-1 k.
    Matrix G = residual.transpose() * posterior_.A().transpose();
    G.noalias() -= 2 * (by_variance.asDiagonal() * solved.transpose());
    Vector unused = Vector::Zero(theta.size());
    kernel.pull_back(theta, X, posterior_.X(), k, G, unused, values.gradient);
    kernel.pull_back_diag(theta, X, by_variance, values.gradient);
    if (const Basepoint* base = model_.moving_base()) {  // residual is df/dmean = -df/dv
      values.f += base->log_volume(X, V);
      values.gradient -= base->pull_back(X, own, residual, true).X;
    }
    return values;
  }

 private:
  const Model& model_;
  const GpPosterior& posterior_;
  Matrix points_;
  double support_limit_;
};

// Half the squared length of v - m(x): the projection in the tangent space.
class TangentProjection final : public EncodeObjective {
 public:
  TangentProjection(const Model& model, Matrix V) : posterior_(model.posterior()), V_(std::move(V)) {
    unit_ = std::max(1e-300, V_.squaredNorm() / static_cast<double>(std::max<Index>(1, V_.cols())));
  }

  EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    const Kernel& kernel = posterior_.kernel();
    const Matrix k = kernel.cov(posterior_.theta(), X, posterior_.X());
    Matrix residual = (k * posterior_.A()).transpose();
    for (Index b = 0; b < X.cols(); ++b) residual.col(b) -= V_.col(owner[static_cast<std::size_t>(b)]);
    EncodeValues values{residual.colwise().squaredNorm().transpose() / (2 * unit_), Matrix::Zero(X.rows(), X.cols())};
    const Matrix G = residual.transpose() * posterior_.A().transpose() / unit_;
    Vector unused = Vector::Zero(posterior_.theta().size());
    kernel.pull_back(posterior_.theta(), X, posterior_.X(), k, G, unused, values.gradient);
    return values;
  }

 private:
  const GpPosterior& posterior_;
  Matrix V_;
  double unit_;
};

// Half the squared distance on the manifold, with central differences: predictions of the mean are cheap.
class ManifoldProjection final : public EncodeObjective {
 public:
  ManifoldProjection(const Model& model, ConstMatrixRef points) : model_(model) {
    for (Index i = 0; i < points.cols(); ++i) spaces_.push_back(model.manifold().at(points.col(i)));
  }

  EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    constexpr double h = 1e-5;
    const Index q = X.rows(), B = X.cols();
    EncodeValues values{half_squares(X, owner), Matrix(q, B)};
    for (Index j = 0; j < q; ++j) {
      Matrix moved = X;
      moved.row(j).array() += h;
      const Vector above = half_squares(moved, owner);
      moved.row(j).array() -= 2 * h;
      values.gradient.row(j) = (above - half_squares(moved, owner)).transpose() / (2 * h);
    }
    return values;
  }

 private:
  Vector half_squares(ConstMatrixRef X, const std::vector<Index>& owner) const {
    const Matrix points = model_.mean_points(X);
    Vector result(X.cols());
    for (Index b = 0; b < X.cols(); ++b) {
      const double distance =
          spaces_[static_cast<std::size_t>(owner[static_cast<std::size_t>(b)])]->distance(points.col(b))[0];
      result[b] = distance * distance / 2;
    }
    return result;
  }
  const Model& model_;
  std::vector<std::unique_ptr<const TangentSpace>> spaces_;
};

}  // namespace

std::unique_ptr<const EncodeObjective> density_objective(const Model& model, Matrix V, double support_limit) {
  return std::make_unique<DensityObjective>(model, std::move(V), support_limit);
}

std::unique_ptr<const EncodeObjective> moving_density_objective(const Model& model, ConstMatrixRef points,
                                                                double support_limit) {
  return std::make_unique<DensityObjective>(model, points, support_limit);
}

std::unique_ptr<const EncodeObjective> tangent_projection(const Model& model, Matrix V) {
  return std::make_unique<TangentProjection>(model, std::move(V));
}

std::unique_ptr<const EncodeObjective> manifold_projection(const Model& model, ConstMatrixRef points) {
  return std::make_unique<ManifoldProjection>(model, points);
}

double variance_limit(const Model& model) {
  const double least = model.posterior().inverse().diagonal().minCoeff(), noise = model.posterior().noise();
  return std::max(1 / least - noise, 1e-3 * noise);
}

}  // namespace wgp
