#include "model/encode_objectives.h"

#include <algorithm>
#include <cmath>

#include "gp/angle_density.h"
#include "linalg/products.h"
#include "model/settings.h"

namespace wgp {
namespace {

class DensityObjective final : public EncodeObjective {
 public:
  DensityObjective(const Model& model, const Matrix& points, double support_limit, PredictionTable* table,
                   const NoiseLaw& law)
      : model_(model), law_(law), points_(points), support_limit_(support_limit), table_(table) {
    if (model.lift().moves()) {
      table_ = nullptr;
      return;
    }
    // The same seen from every latent.
    const Lifted lifted = model.lift().lift(Matrix(), points, LiftWanted::vectors_and_volume);
    whitened_ = law_.whiten(lifted.V);
    log_volume_ = lifted.log_volume;
  }

  EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    if (model_.lift().moves()) return where_the_base_moves(X, owner);
    if (table_ == nullptr) return exactly(X, owner);
    EncodeValues values{Vector(X.cols()), Matrix(X.rows(), X.cols())};
    GpPrediction prediction;
    GpSlopes slopes;
    const std::vector<Index> others = table_->predict_where_known(X, prediction, slopes);
    std::vector<bool> known(static_cast<std::size_t>(X.cols()), true);
    for (const Index b : others) known[static_cast<std::size_t>(b)] = false;
    Matrix away = law_.whiten(prediction.mean);
    Vector by_variance(X.cols());
    for (Index b = 0; b < X.cols(); ++b) {
      if (!known[static_cast<std::size_t>(b)]) continue;
      const Index i = owner[static_cast<std::size_t>(b)];
      away.col(b) -= whitened_.col(i);
      const Cost cost = cost_of(away.col(b).squaredNorm(), prediction.variance[b]);
      values.f[b] = cost.f + log_volume_[i];
      away.col(b) *= 2 * cost.by_squared;
      by_variance[b] = cost.by_variance;
    }
    const Matrix by_mean = law_.whiten_adjoint(away);
    for (Index j = 0; j < X.rows(); ++j) {
      const auto k = static_cast<std::size_t>(j);
      for (Index b = 0; b < X.cols(); ++b)
        if (known[static_cast<std::size_t>(b)])
          values.gradient(j, b) = by_mean.col(b).dot(slopes.mean[k].col(b)) + by_variance[b] * slopes.variance[k][b];
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
  struct Cost {
    double f, by_squared, by_variance;
  };
  // Of one candidate, in whitened coordinates, without the volume.
  Cost cost_of(double squared, double variance) const {
    const NoiseLaw::Density density = law_.density(squared, variance);
    Cost cost{-density.log_density, -density.by_squared, -density.by_variance};
    if (variance > support_limit_) {
      const double excess = std::log(variance / support_limit_);
      const double steepness = encoding::support_steepness * static_cast<double>(law_.dim());
      cost.f += steepness * excess * excess;
      cost.by_variance += 2 * steepness * excess / variance;
    }
    return cost;
  }

  // f and its derivatives by mean and variance; V: whitened, column by column.
  Vector costs(const GpPrediction& prediction, const Matrix& V, Matrix& by_mean, Vector& by_variance) const {
    const Matrix away = law_.whiten(prediction.mean) - V;
    Vector f(V.cols());
    by_variance.resize(V.cols());
    by_mean.resize(away.rows(), away.cols());
    for (Index b = 0; b < V.cols(); ++b) {
      const Cost cost = cost_of(away.col(b).squaredNorm(), prediction.variance[b]);
      f[b] = cost.f;
      by_mean.col(b) = 2 * cost.by_squared * away.col(b);
      by_variance[b] = cost.by_variance;
    }
    by_mean = law_.whiten_adjoint(by_mean);
    return f;
  }

  EncodeValues exactly(ConstMatrixRef X, const std::vector<Index>& owner) const {
    const auto traced = model_.posterior()->trace(X, Posterior::Traced::mean_and_variance);
    Matrix by_mean;
    Vector by_variance;
    EncodeValues values{costs(traced->prediction(), whitened_(Eigen::all, owner), by_mean, by_variance),
                        Matrix::Zero(X.rows(), X.cols())};
    values.f += log_volume_(owner);
    traced->pull_back(by_mean, by_variance, values.gradient);
    return values;
  }

  // v is the point seen from the latent, and the volume depends on the latent too.
  EncodeValues where_the_base_moves(ConstMatrixRef X, const std::vector<Index>& owner) const {
    const Matrix own = points_(Eigen::all, owner);
    const Lifted lifted = model_.lift().lift(X, own, LiftWanted::everything);
    const auto traced = model_.posterior()->trace(X, Posterior::Traced::mean_and_variance);
    Matrix by_mean;
    Vector by_variance;
    EncodeValues values{costs(traced->prediction(), law_.whiten(lifted.V), by_mean, by_variance),
                        Matrix::Zero(X.rows(), X.cols())};
    values.f += lifted.log_volume;
    traced->pull_back(by_mean, by_variance, values.gradient);
    // df/dmean = -df/dv
    values.gradient -= model_.lift().pull_back(X, own, lifted, by_mean, Lift::Volume::subtracted).X;
    return values;
  }

  const Model& model_;
  const NoiseLaw& law_;
  const Matrix& points_;
  Matrix whitened_;
  Vector log_volume_;
  double support_limit_;
  PredictionTable* table_;
};

class TangentProjection final : public EncodeObjective {
 public:
  TangentProjection(const Model& model, const Matrix& points)
      : model_(model), V_(model.lift().lift(Matrix(), points).V) {
    unit_ = std::max(1e-300, V_.squaredNorm() / static_cast<double>(std::max<Index>(1, V_.cols())));
  }

  EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    const auto traced = model_.posterior()->trace(X, Posterior::Traced::mean);
    const Matrix residual = traced->prediction().mean - V_(Eigen::all, owner);
    EncodeValues values{residual.colwise().squaredNorm().transpose() / (2 * unit_), Matrix::Zero(X.rows(), X.cols())};
    traced->pull_back(residual / unit_, Vector(), values.gradient);
    return values;
  }

 private:
  const Model& model_;
  Matrix V_;
  double unit_;
};

class ManifoldProjection final : public EncodeObjective {
 public:
  ManifoldProjection(const Model& model, const Matrix& points) : model_(model) {
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

class WithLatentPrior final : public EncodeObjective {
 public:
  WithLatentPrior(std::unique_ptr<const EncodeObjective> objective, Index plain, AngleDensity density)
      : objective_(std::move(objective)), plain_(plain), density_(std::move(density)) {}
  EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    EncodeValues values = objective_->at(X, owner);
    values.f += 0.5 * X.bottomRows(plain_).colwise().squaredNorm().transpose();
    values.gradient.bottomRows(plain_) += X.bottomRows(plain_);
    if (!density_.is_uniform()) {
      values.f -= density_.log_ratio(X.row(0).transpose());
      values.gradient.row(0) -= density_.slope(X.row(0).transpose()).transpose();
    }
    return values;
  }

 private:
  std::unique_ptr<const EncodeObjective> objective_;
  Index plain_;
  AngleDensity density_;
};

}  // namespace

std::unique_ptr<const EncodeObjective> density_objective(const Model& model, const Matrix& points, double support_limit,
                                                         PredictionTable* table, const NoiseLaw* law) {
  return std::make_unique<DensityObjective>(model, points, support_limit, table, law ? *law : model.law());
}

std::unique_ptr<const EncodeObjective> tangent_projection(const Model& model, const Matrix& points) {
  return std::make_unique<TangentProjection>(model, points);
}

std::unique_ptr<const EncodeObjective> manifold_projection(const Model& model, const Matrix& points) {
  return std::make_unique<ManifoldProjection>(model, points);
}

std::unique_ptr<const EncodeObjective> with_latent_prior(std::unique_ptr<const EncodeObjective> objective,
                                                         const Model& model) {
  const Model::Parts& parts = model.parts();
  return std::make_unique<WithLatentPrior>(std::move(objective), parts.latent.plain_count(),
                                           AngleDensity(parts.angle_density));
}

}  // namespace wgp
