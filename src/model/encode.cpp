// Encoding: for each point the latent that explains it best, all points and all their starts advanced together.
//
// A point that the model cannot explain would be best explained where the model knows nothing: at any mean, with a huge
// variance. The density's search therefore stays within the support, by a steep penalty outside: where s(x) is at most
// that of the loneliest training latent, predicted from all others.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/executor.h"
#include "linalg/decompositions.h"
#include "linalg/products.h"
#include "model/batch_descent.h"
#include "model/settings.h"
#include "wgp/model.h"

namespace wgp {
namespace {

// Up to a handful of distinct latents for each point, among the training latents and a coarse grid.
class Starts {
 public:
  Starts(const Model& model, Encoder encoder, double support_limit)
      : latent_(model.parts().latent), law_(model.law()), encoder_(encoder) {
    const Posterior& posterior = *model.posterior();
    X_ = posterior.training_latents();
    const GpPrediction known = posterior.at_training_latents();
    mean_ = known.mean;
    variance_ = known.variance;
    // Points that fit badly may fit least badly where there are no data.
    const Matrix grid = latent_grid();
    if (grid.cols() == 0) return;
    const GpPrediction prediction = posterior.predict(grid);
    std::vector<Index> supported;
    for (Index k = 0; k < grid.cols(); ++k)
      if (prediction.variance[k] <= support_limit) supported.push_back(k);
    append(grid(Eigen::all, supported), prediction.mean(Eigen::all, supported), prediction.variance(supported));
  }

  // Squared distances between what each candidate predicts and each point: candidates x points.
  Matrix squared_distances(const Lift& lift, ConstMatrixRef points) const {
    if (lift.moves()) {
      Matrix squared(X_.cols(), points.cols());
      for (Index k = 0; k < X_.cols(); ++k)
        squared.row(k) = (lift.lift_at(X_.col(k), points, 0).V.colwise() - mean_.col(k)).colwise().squaredNorm();
      return squared;
    }
    const Matrix V = lift.lift(Matrix(), points).V;
    Matrix squared = -2 * product_tn(mean_, V);
    squared.colwise() += mean_.colwise().squaredNorm().transpose();
    squared.rowwise() += V.colwise().squaredNorm();
    return squared.cwiseMax(0);
  }

  void choose(ConstMatrixRef distances, Matrix& X, std::vector<Index>& owner) const {
    std::vector<Vector> chosen;
    std::vector<Index> order(static_cast<std::size_t>(X_.cols()));
    for (Index i = 0; i < distances.cols(); ++i) {
      const Vector squared = distances.col(i);
      std::vector<Vector> own;
      if (encoder_ == Encoder::density)
        take_best(-law_.log_density(squared, variance_), order, encoding::starts_per_point - 1, own);
      take_best(squared, order, encoding::starts_per_point, own);
      for (const Vector& x : own) {
        chosen.push_back(x);
        owner.push_back(i);
      }
    }
    X.resize(X_.rows(), static_cast<Index>(chosen.size()));
    for (std::size_t k = 0; k < chosen.size(); ++k) X.col(static_cast<Index>(k)) = chosen[k];
  }

 private:
  // Over the range of the latents and one length-scale around it; empty beyond three dimensions.
  Matrix latent_grid() const {
    const Index q = X_.rows(), side = q <= 3 ? encoding::grid_side[q] : 0;
    Index cells = side > 0 ? 1 : 0;
    for (Index j = 0; j < q; ++j) cells *= side;
    Matrix grid(q, cells);
    for (Index k = 0; k < cells; ++k) {
      Index rest = k;
      for (Index j = 0; j < q; ++j, rest /= side) {
        const double share = (static_cast<double>(rest % side) + 0.5) / static_cast<double>(side);
        const double low = latent_.is_angle(j) ? -std::numbers::pi : X_.row(j).minCoeff() - encoding::grid_margin;
        const double high = latent_.is_angle(j) ? std::numbers::pi : X_.row(j).maxCoeff() + encoding::grid_margin;
        grid(j, k) = low + share * (high - low);
      }
    }
    return grid;
  }
  void append(ConstMatrixRef X, ConstMatrixRef mean, ConstVectorRef variance) {
    const Index n = X_.cols(), m = X.cols();
    X_.conservativeResize(Eigen::NoChange, n + m);
    mean_.conservativeResize(Eigen::NoChange, n + m);
    variance_.conservativeResize(n + m);
    X_.rightCols(m) = X;
    mean_.rightCols(m) = mean;
    variance_.tail(m) = variance;
  }
  void take_best(const Vector& cost, std::vector<Index>& order, Index limit, std::vector<Vector>& own) const {
    const Index look = std::min<Index>(encoding::starts_looked_at, cost.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::partial_sort(order.begin(), order.begin() + look, order.end(),
                      [&](Index a, Index b) { return cost[a] < cost[b] || (cost[a] == cost[b] && a < b); });
    for (Index k = 0; k < look && static_cast<Index>(own.size()) < limit; ++k) {
      const Vector x = X_.col(order[static_cast<std::size_t>(k)]);
      const bool near = std::any_of(
          own.begin(), own.end(), [&](const Vector& y) { return (x - y).norm() < encoding::least_distance_of_starts; });
      if (!near) own.push_back(x);
    }
  }

  LatentSpace latent_;
  const NoiseLaw& law_;
  Encoder encoder_;
  Matrix X_, mean_;
  Vector variance_;
};

// A latent's coordinate lies somewhere on the circle, or within a length-scale of the training latents: the standard
// deviation of who knows no more than that.
Vector widest_sd(const Model& model) {
  const Matrix& X = model.posterior()->training_latents();
  Vector sd(X.rows());
  for (Index j = 0; j < X.rows(); ++j) {
    const bool angle = model.parts().latent.is_angle(j);
    const double width = angle ? 2 * std::numbers::pi : X.row(j).maxCoeff() - X.row(j).minCoeff() + 2;
    sd[j] = width / std::sqrt(12.0);
  }
  return sd;
}

struct Laplace {
  Matrix sd;
  std::vector<bool> minimum;  // false: f falls away on some side, by more than rounding
};

// Inverse Hessian of f, by central differences of the gradient. In units of the widest sd its eigenvalues are at least
// 1: where f is flat, or no minimum, nothing is known but the support.
Laplace laplace(const EncodeObjective& objective, const Vector& widest, ConstMatrixRef X) {
  constexpr double h = 1e-4;
  const Index q = X.rows(), n = X.cols();
  std::vector<Index> owner(static_cast<std::size_t>(n));
  std::iota(owner.begin(), owner.end(), Index{0});
  std::vector<Matrix> hessian(static_cast<std::size_t>(n), Matrix(q, q));
  for (Index j = 0; j < q; ++j) {
    Matrix moved = X;
    moved.row(j).array() += h;
    const Matrix above = objective.at(moved, owner).gradient;
    moved.row(j).array() -= 2 * h;
    const Matrix slope = (above - objective.at(moved, owner).gradient) / (2 * h);
    for (Index i = 0; i < n; ++i) hessian[static_cast<std::size_t>(i)].col(j) = slope.col(i);
  }
  Laplace result{Matrix(q, n), std::vector<bool>(static_cast<std::size_t>(n), true)};
  for (Index i = 0; i < n; ++i) {
    const Matrix& S = hessian[static_cast<std::size_t>(i)];
    const Spectrum spectrum = symmetric_spectrum(widest.asDiagonal() * ((S + S.transpose()) / 2) * widest.asDiagonal());
    const Vector& curvature = spectrum.values;
    result.minimum[static_cast<std::size_t>(i)] = curvature[0] > -1e-4 * (1 + curvature[q - 1]);
    const Vector variance = spectrum.vectors.cwiseAbs2() * curvature.cwiseMax(1).cwiseInverse();
    result.sd.col(i) = widest.cwiseProduct(variance.cwiseSqrt());
  }
  return result;
}

// The best candidate of each point.
struct Best {
  Matrix X;
  std::vector<bool> converged;
};
Best best_of(const Candidates& candidates, Index points) {
  Best best{Matrix(candidates.X.rows(), points), std::vector<bool>(static_cast<std::size_t>(points), false)};
  Vector least = Vector::Constant(points, infinity);
  for (Index b = 0; b < candidates.X.cols(); ++b) {
    const Index i = candidates.owner[static_cast<std::size_t>(b)];
    if (!(candidates.f[b] < least[i])) continue;
    least[i] = candidates.f[b];
    best.X.col(i) = candidates.X.col(b);
    best.converged[static_cast<std::size_t>(i)] = candidates.converged[static_cast<std::size_t>(b)];
  }
  return best;
}

Encoding encode_block(const Model& model, const Starts& starts, double limit, const Matrix& points, Encoder encoder,
                      PredictionTable* table) {
  const Index n = points.cols();
  const Lift& lift = model.lift();
  Matrix X;
  std::vector<Index> owner;
  starts.choose(starts.squared_distances(lift, points), X, owner);
  auto search = density_objective(model, points, limit, table);
  if (model.parts().inference == Inference::variational)
    search = with_latent_prior(std::move(search), model.parts().latent);
  const auto density = density_objective(model, points, infinity);
  Best best;
  if (encoder == Encoder::density) {
    best = best_of(descend(*search, X, owner), n);
  } else if (lift.moves()) {
    best = best_of(descend(*manifold_projection(model, points), X, owner), n);
  } else {
    Candidates found = descend(*tangent_projection(model, points), X, owner);
    if (model.on_manifold() &&
        !model.manifold().is_flat()) {  // distances in the tangent space are not those on the manifold
      std::vector<Index> kept;
      for (Index b = 0; b < found.X.cols(); ++b)
        if (std::isfinite(found.f[b])) kept.push_back(b);
      Matrix polished = found.X(Eigen::all, kept);
      std::vector<Index> of(kept.size());
      for (std::size_t k = 0; k < kept.size(); ++k) of[k] = found.owner[static_cast<std::size_t>(kept[k])];
      found = descend(*manifold_projection(model, points), polished, of);
    }
    best = best_of(found, n);
  }

  Encoding result;
  result.X = best.X;
  std::vector<Index> each(static_cast<std::size_t>(n));
  std::iota(each.begin(), each.end(), Index{0});
  result.log_density = -density->at(result.X, each).f;
  const Laplace spread = laplace(encoder == Encoder::density ? *search : *density, widest_sd(model), result.X);
  result.sd = spread.sd;
  const Vector variance = model.posterior()->predict(result.X).variance;
  const Vector prior = model.posterior()->prior_variance(result.X);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    // The projection minimises something else.
    const bool settled = best.converged[at] && (encoder == Encoder::projection || spread.minimum[at]);
    result.status.push_back(variance[i] > std::min(limit, encoding::unknown_share * prior[i])
                                ? EncodeStatus::outside_support
                            : !settled ? EncodeStatus::not_converged
                                       : EncodeStatus::ok);
  }
  result.X = model.parts().latent.wrapped(result.X);
  return result;
}

}  // namespace

Encoding Model::encode(ConstMatrixRef points, const EncodeOptions& options) const {
  const Index n = points.cols(), q = latent_dim();
  Encoding all{Matrix(q, n), Matrix(q, n), Vector(n), std::vector<EncodeStatus>(static_cast<std::size_t>(n))};
  const double limit = posterior_->support_limit();
  const Starts starts(*this, options.encoder, limit);
  // Candidates of many points come by the same places: groups of blocks share a table.
  const Index group = n >= encoding::worth_a_table ? encoding::blocks_a_table * encoding::block : encoding::block;
  Executor(options.threads).each((n + group - 1) / group, [&](Index g, int) {
    std::optional<PredictionTable> table;
    if (n >= encoding::worth_a_table) table.emplace(posterior_, encoding::gradient_cost);
    for (Index first = g * group; first < std::min(n, (g + 1) * group); first += encoding::block) {
      const Index count = std::min(encoding::block, n - first);
      const Encoding part = encode_block(*this, starts, limit, points.middleCols(first, count), options.encoder,
                                         table ? &*table : nullptr);
      all.X.middleCols(first, count) = part.X;
      all.sd.middleCols(first, count) = part.sd;
      all.log_density.segment(first, count) = part.log_density;
      std::copy(part.status.begin(), part.status.end(), all.status.begin() + first);
    }
  });
  return all;
}

}  // namespace wgp
