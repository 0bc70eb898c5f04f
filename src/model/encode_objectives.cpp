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
  DensityObjective(const Model& model, Matrix points, double support_limit, PredictionTable* table)
      : model_(model),
        posterior_(model.posterior()),
        points_(std::move(points)),
        support_limit_(support_limit),
        table_(model.base_moves() ? nullptr : table) {}

  EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    if (table_ == nullptr) return exactly(X, owner);
    EncodeValues values{Vector(X.cols()), Matrix(X.rows(), X.cols())};
    GpPrediction prediction;
    GpSlopes slopes;
    const std::vector<Index> others = table_->predict_where_known(X, prediction, slopes);
    std::vector<bool> known(static_cast<std::size_t>(X.cols()), true);
    for (const Index b : others) known[static_cast<std::size_t>(b)] = false;
    Vector by_mean;
    for (Index b = 0; b < X.cols(); ++b) {
      if (!known[static_cast<std::size_t>(b)]) continue;
      double by_variance = 0;
      const auto v = points_.col(owner[static_cast<std::size_t>(b)]);
      values.f[b] = cost(v, prediction.mean.col(b), prediction.variance[b], by_mean, by_variance);
      for (Index j = 0; j < X.rows(); ++j) {
        const auto k = static_cast<std::size_t>(j);
        values.gradient(j, b) = by_mean.dot(slopes.mean[k].col(b)) + by_variance * slopes.variance[k][b];
      }
    }
    if (others.empty()) return values;
    std::vector<Index> owner_of_others;
    for (const Index b : others) owner_of_others.push_back(owner[static_cast<std::size_t>(b)]);
    const EncodeValues rest = exactly(X(Eigen::all, others), owner_of_others);
    values.f(others) = rest.f;
    values.gradient(Eigen::all, others) = rest.gradient;
    return values;
  }

 private:
  // f of one candidate, with its derivatives by mean and s^2.
  double cost(ConstVectorRef v, ConstVectorRef mean, double variance, Vector& by_mean, double& by_variance) const {
    const double d = static_cast<double>(v.size()), scale = model_.parts().variance_scale;
    const double total = scale * variance + model_.predictive_noise();
    by_mean = mean - v;
    const double squared = by_mean.squaredNorm();
    double f = d / 2 * std::log(2 * std::numbers::pi * total) + squared / (2 * total);
    by_variance = scale * (d / (2 * total) - squared / (2 * total * total));
    if (variance > support_limit_) {
      const double excess = std::log(variance / support_limit_), steepness = 100 * d;
      f += steepness * excess * excess;
      by_variance += 2 * steepness * excess / variance;
    }
    by_mean /= total;
    return f;
  }

  EncodeValues exactly(ConstMatrixRef X, const std::vector<Index>& owner) const {
    const Kernel& kernel = posterior_.kernel();
    const Vector& theta = posterior_.theta();
    const Index B = X.cols();
    const Matrix own = points_(Eigen::all, owner), V = model_.base_moves() ? model_.to_coords(X, own) : own;
    const Matrix k = kernel.cov(theta, X, posterior_.X());  // B x N
    const Matrix mean = (k * posterior_.A()).transpose();
    // s^2 is a small difference: |L^-1 k|^2 keeps the digits that k' K^-1 k loses to the condition of K.
    const auto L = posterior_.factor().triangularView<Eigen::Lower>();
    Matrix solved = L.solve(k.transpose());  // N x B
    const Vector variance = (kernel.diag(theta, X) - solved.colwise().squaredNorm().transpose()).cwiseMax(0);
    L.transpose().solveInPlace(solved);
    EncodeValues values{Vector(B), Matrix::Zero(X.rows(), B)};
    Matrix by_mean(V.rows(), B);
    Vector by_variance(B), column;
    for (Index b = 0; b < B; ++b) {
      values.f[b] = cost(V.col(b), mean.col(b), variance[b], column, by_variance[b]);
      by_mean.col(b) = column;
    }
    // df/dk: through the mean, and through s^2 = k(x, x) - k' K^-1 k.
    Matrix G = by_mean.transpose() * posterior_.A().transpose();
    G.noalias() -= 2 * (by_variance.asDiagonal() * solved.transpose());
    Vector unused = Vector::Zero(theta.size());
    kernel.pull_back(theta, X, posterior_.X(), k, G, unused, values.gradient);
    kernel.pull_back_diag(theta, X, by_variance, values.gradient);
    if (const Basepoint* base = model_.moving_base()) {  // df/dmean = -df/dv
      values.f += base->log_volume(X, V);
      values.gradient -= base->pull_back(X, own, by_mean, true).X;
    }
    return values;
  }

  const Model& model_;
  const GpPosterior& posterior_;
  Matrix points_;
  double support_limit_;
  PredictionTable* table_;
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

std::unique_ptr<const EncodeObjective> density_objective(const Model& model, Matrix V, double support_limit,
                                                         PredictionTable* table) {
  return std::make_unique<DensityObjective>(model, std::move(V), support_limit, table);
}

std::unique_ptr<const EncodeObjective> moving_density_objective(const Model& model, ConstMatrixRef points,
                                                                double support_limit) {
  return std::make_unique<DensityObjective>(model, points, support_limit, nullptr);
}

std::unique_ptr<const EncodeObjective> tangent_projection(const Model& model, Matrix V) {
  return std::make_unique<TangentProjection>(model, std::move(V));
}

std::unique_ptr<const EncodeObjective> manifold_projection(const Model& model, ConstMatrixRef points) {
  return std::make_unique<ManifoldProjection>(model, points);
}

double variance_limit(const Model& model) {
  const double least = model.posterior().inverse_diagonal().minCoeff(), noise = model.posterior().noise();
  return std::max(1 / least - noise, 1e-3 * noise);
}

}  // namespace wgp
