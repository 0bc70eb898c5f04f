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

#include "core/evenly.h"
#include "core/executor.h"
#include "gp/angle_density.h"
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
      : latent_(model.parts().latent),
        law_(model.law().for_codes()),
        density_(model.parts().angle_density),
        encoder_(encoder),
        integrated_(model.parts().inference == Inference::variational) {
    const Posterior& posterior = *model.posterior();
    // Point estimates are in units of length-scales.
    if (integrated_) unit_ = std::min({1.0, posterior.grain().plain, posterior.grain().angle});
    const Matrix& training = posterior.training_latents();
    const bool all = training.cols() <= encoding::most_training_latents;
    X_ = all ? training : Matrix(training(Eigen::all, evenly(training.cols(), encoding::most_training_latents)));
    const GpPrediction known = all ? posterior.at_training_latents() : posterior.predict(X_);
    mean_ = known.mean;
    variance_ = known.variance;
    widest_ = widest_sd(training);
    // Points that fit badly may fit least badly where there are no data.
    const Matrix grid = latent_grid(training);
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
    std::vector<Index> chosen, own;
    Order order(static_cast<std::size_t>(X_.cols()));
    Matrix costs;
    if (encoder_ == Encoder::density) {
      costs = -law_.log_densities(distances, variance_);
      if (integrated_)
        costs.colwise() += 0.5 * X_.bottomRows(latent_.plain_count()).colwise().squaredNorm().transpose() -
                           density_.log_ratio(X_.row(0).transpose());
    }
    for (Index i = 0; i < distances.cols(); ++i) {
      own.clear();
      if (encoder_ == Encoder::density) take_best(costs.col(i), order, encoding::starts_per_point - 1, own);
      take_best(distances.col(i), order, encoding::starts_per_point, own);
      chosen.insert(chosen.end(), own.begin(), own.end());
      owner.insert(owner.end(), own.size(), i);
    }
    X = X_(Eigen::all, chosen);
  }

  // A latent's coordinate lies somewhere on the circle, or within a length-scale of the training latents: the standard
  // deviation of who knows no more than that.
  const Vector& widest() const { return widest_; }

 private:
  Vector widest_sd(const Matrix& X) const {
    Vector sd(X.rows());
    for (Index j = 0; j < X.rows(); ++j) {
      const double width = latent_.is_angle(j) ? 2 * std::numbers::pi : X.row(j).maxCoeff() - X.row(j).minCoeff() + 2;
      sd[j] = width / std::sqrt(12.0);
    }
    return sd;
  }
  // Over the range of the latents and one length-scale around it; empty beyond three dimensions.
  Matrix latent_grid(const Matrix& training) const {
    const Index q = X_.rows(), side = q <= 3 ? encoding::grid_side[q] : 0;
    Index cells = side > 0 ? 1 : 0;
    for (Index j = 0; j < q; ++j) cells *= side;
    Matrix grid(q, cells);
    for (Index k = 0; k < cells; ++k) {
      Index rest = k;
      for (Index j = 0; j < q; ++j, rest /= side) {
        const double share = (static_cast<double>(rest % side) + 0.5) / static_cast<double>(side);
        const double low =
            latent_.is_angle(j) ? -std::numbers::pi : training.row(j).minCoeff() - encoding::grid_margin * unit_;
        const double high =
            latent_.is_angle(j) ? std::numbers::pi : training.row(j).maxCoeff() + encoding::grid_margin * unit_;
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
  using Order = std::vector<std::pair<double, Index>>;
  void take_best(ConstVectorRef cost, Order& order, Index limit, std::vector<Index>& own) const {
    const Index look =
        std::min<Index>(integrated_ ? encoding::starts_looked_at_for_peaks : encoding::starts_looked_at, cost.size());
    for (Index k = 0; k < cost.size(); ++k)  // what is no number has no place in an order
      order[static_cast<std::size_t>(k)] = {std::isnan(cost[k]) ? infinity : cost[k], k};
    const auto end = order.begin() + look;
    std::nth_element(order.begin(), end - 1, order.end());
    std::sort(order.begin(), end);
    const double least = encoding::least_distance_of_starts * unit_;
    for (Index k = 0; k < look && static_cast<Index>(own.size()) < limit; ++k) {
      const Index candidate = order[static_cast<std::size_t>(k)].second;
      const bool near = std::any_of(own.begin(), own.end(), [&](Index other) {
        return (X_.col(candidate) - X_.col(other)).squaredNorm() < least * least;
      });
      if (!near) own.push_back(candidate);
    }
  }

  LatentSpace latent_;
  const NoiseLaw& law_;
  AngleDensity density_;
  Encoder encoder_;
  bool integrated_;
  double unit_ = 1;
  Matrix X_, mean_;
  Vector variance_, widest_;
};

struct Laplace {
  Matrix sd;
  Matrix step;        // Newton's to the minimum; 0 where there is none, or where it is too far to be seen from here
  Vector log_volume;  // of the peak, but for a constant: half the log determinant of its covariance
  std::vector<bool> minimum;  // false: f falls away on some side, by more than rounding
};

// Inverse Hessian of f, by central differences of the gradient. In units of the widest sd its eigenvalues are at least
// 1: where f is flat, or no minimum, nothing is known but the support. gradient: at X, where the step is wanted.
Laplace laplace(const EncodeObjective& objective, const Vector& widest, ConstMatrixRef X,
                const std::vector<Index>& owner, const Matrix& gradient = Matrix()) {
  constexpr double h = 1e-4;
  const Index q = X.rows(), n = X.cols();
  std::vector<Matrix> hessian(static_cast<std::size_t>(n), Matrix(q, q));
  for (Index j = 0; j < q; ++j) {
    Matrix moved = X;
    moved.row(j).array() += h;
    const Matrix above = objective.at(moved, owner).gradient;
    moved.row(j).array() -= 2 * h;
    const Matrix slope = (above - objective.at(moved, owner).gradient) / (2 * h);
    for (Index i = 0; i < n; ++i) hessian[static_cast<std::size_t>(i)].col(j) = slope.col(i);
  }
  Laplace result{Matrix(q, n), Matrix::Zero(q, n), Vector(n), std::vector<bool>(static_cast<std::size_t>(n), true)};
  for (Index i = 0; i < n; ++i) {
    const Matrix& S = hessian[static_cast<std::size_t>(i)];
    const Spectrum spectrum = symmetric_spectrum(widest.asDiagonal() * ((S + S.transpose()) / 2) * widest.asDiagonal());
    const Vector& curvature = spectrum.values;
    result.minimum[static_cast<std::size_t>(i)] = curvature[0] > -1e-4 * (1 + curvature[q - 1]);
    const Vector variance = spectrum.vectors.cwiseAbs2() * curvature.cwiseMax(1).cwiseInverse();
    result.log_volume[i] = -0.5 * curvature.cwiseMax(1).array().log().sum();
    result.sd.col(i) = widest.cwiseProduct(variance.cwiseSqrt());
    if (gradient.size() == 0 || !(curvature[0] >= 1)) continue;
    const Vector along = spectrum.vectors.transpose() * widest.cwiseProduct(gradient.col(i));
    const Vector step = -widest.cwiseProduct(spectrum.vectors * along.cwiseQuotient(curvature));
    if ((step.array().abs() <= 1e-3 * result.sd.col(i).array()).all()) result.step.col(i) = step;
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

// The peaks of each point's latent among the ends of its descents, the heaviest first.
struct Peaks {
  std::vector<LatentMode> modes;
  std::vector<bool> settled;  // of each: a minimum that was reached
};
Peaks peaks_of(const EncodeObjective& objective, const Vector& widest, const LatentSpace& latent, bool by_mass,
               const Candidates& candidates, Index points) {
  // The ends that may hold a peak, the best first; of descents that ended at one place only the best.
  std::vector<std::vector<Index>> ends(static_cast<std::size_t>(points)), of_point(static_cast<std::size_t>(points));
  for (Index b = 0; b < candidates.X.cols(); ++b)
    if (std::isfinite(candidates.f[b]))
      ends[static_cast<std::size_t>(candidates.owner[static_cast<std::size_t>(b)])].push_back(b);
  std::vector<Index> kept, owner;
  for (Index i = 0; i < points; ++i) {
    std::vector<Index>&own = ends[static_cast<std::size_t>(i)], &distinct = of_point[static_cast<std::size_t>(i)];
    std::stable_sort(own.begin(), own.end(), [&](Index a, Index b) { return candidates.f[a] < candidates.f[b]; });
    for (const Index b : own) {
      if (!(candidates.f[b] <= candidates.f[own.front()] + encoding::negligible)) break;
      const bool repeated = std::any_of(distinct.begin(), distinct.end(), [&](Index k) {
        const Index other = kept[static_cast<std::size_t>(k)];
        return (candidates.X.col(b) - candidates.X.col(other)).cwiseAbs().maxCoeff() < encoding::same_end;
      });
      if (repeated) continue;
      distinct.push_back(static_cast<Index>(kept.size()));
      kept.push_back(b);
      owner.push_back(i);
    }
  }
  Matrix X = candidates.X(Eigen::all, kept);
  const Laplace spread = laplace(objective, widest, X, owner, candidates.gradient(Eigen::all, kept));
  // Descents end where they are near enough; which points went down together must not show.
  X += spread.step;
  const auto apart = [&](Index a, Index b) {
    for (Index j = 0; j < X.rows(); ++j) {
      double difference = X(j, a) - X(j, b);
      if (latent.is_angle(j)) difference = std::remainder(difference, 2 * std::numbers::pi);
      if (std::abs(difference) > encoding::same_peak * std::max(spread.sd(j, a), spread.sd(j, b))) return true;
    }
    return false;
  };
  Peaks peaks;
  for (Index i = 0; i < points; ++i) {
    const auto height = [&](Index k) { return candidates.f[kept[static_cast<std::size_t>(k)]]; };
    std::vector<std::pair<double, Index>> found;  // minus the log mass
    for (const Index k : of_point[static_cast<std::size_t>(i)])
      if (std::all_of(found.begin(), found.end(), [&](const auto& other) { return apart(k, other.second); }))
        found.emplace_back(height(k) - (by_mass ? spread.log_volume[k] : 0), k);
    std::stable_sort(found.begin(), found.end());
    if (found.empty()) {  // no latent explains it at all
      peaks.modes.push_back({i, Vector::Zero(X.rows()), widest, 1});
      peaks.settled.push_back(false);
    }
    double whole = 0;
    for (const auto& [cost, k] : found) whole += std::exp(found[0].first - cost);
    for (const auto& [cost, k] : found) {
      const double share = std::exp(found[0].first - cost) / whole;
      if (share < std::exp(-encoding::negligible)) continue;
      peaks.modes.push_back({i, X.col(k), spread.sd.col(k), share});
      peaks.settled.push_back(candidates.converged[static_cast<std::size_t>(kept[static_cast<std::size_t>(k)])] &&
                              spread.minimum[static_cast<std::size_t>(k)]);
    }
  }
  return peaks;
}

Encoding encode_block(const Model& model, const Starts& starts, double limit, const Matrix& points, Encoder encoder,
                      PredictionTable* table) {
  const Index n = points.cols(), q = model.latent_dim();
  const Lift& lift = model.lift();
  Matrix X;
  std::vector<Index> owner;
  starts.choose(starts.squared_distances(lift, points), X, owner);
  const bool integrated = model.parts().inference == Inference::variational;
  auto search = density_objective(model, points, limit, table, &model.law().for_codes());
  if (integrated) search = with_latent_prior(std::move(search), model);
  std::vector<Index> each(static_cast<std::size_t>(n));
  std::iota(each.begin(), each.end(), Index{0});
  Encoding result;
  result.X.resize(q, n);
  result.sd.resize(q, n);
  std::vector<bool> settled(static_cast<std::size_t>(n));
  if (encoder == Encoder::density) {
    const Peaks peaks =
        peaks_of(*search, starts.widest(), model.parts().latent, integrated, descend(*search, X, owner), n);
    result.modes = peaks.modes;
    for (std::size_t k = peaks.modes.size(); k-- > 0;) {  // the heaviest comes first, so it is written last
      const LatentMode& mode = peaks.modes[k];
      result.X.col(mode.point) = mode.x;
      result.sd.col(mode.point) = mode.sd;
      settled[static_cast<std::size_t>(mode.point)] = peaks.settled[k];
    }
  } else {
    Candidates found =
        descend(lift.moves() ? *manifold_projection(model, points) : *tangent_projection(model, points), X, owner);
    if (!lift.moves() && model.on_manifold() &&
        !model.manifold().is_flat()) {  // distances in the tangent space are not those on the manifold
      std::vector<Index> kept;
      for (Index b = 0; b < found.X.cols(); ++b)
        if (std::isfinite(found.f[b])) kept.push_back(b);
      Matrix polished = found.X(Eigen::all, kept);
      std::vector<Index> of(kept.size());
      for (std::size_t k = 0; k < kept.size(); ++k) of[k] = found.owner[static_cast<std::size_t>(kept[k])];
      found = descend(*manifold_projection(model, points), polished, of);
    }
    const Best best = best_of(found, n);
    result.X = best.X;
    settled = best.converged;
    result.sd = laplace(*density_objective(model, points, infinity), starts.widest(), result.X, each).sd;
    for (Index i = 0; i < n; ++i) result.modes.push_back({i, result.X.col(i), result.sd.col(i), 1});
  }

  const GpPrediction gp = model.posterior()->predict(result.X);
  const NoiseLaw& law = model.law();
  const Lifted lifted = lift.lift(result.X, points, LiftWanted::vectors_and_volume);
  const Matrix away = law.whiten(lifted.V) - law.whiten(gp.mean);
  result.log_density = law.log_density(away.colwise().squaredNorm().transpose(), gp.variance) - lifted.log_volume;
  const Vector prior = model.posterior()->prior_variance(result.X);
  const std::vector<LatentMode>& modes = result.modes;
  std::vector<double> heaviest(static_cast<std::size_t>(n), 0);
  for (const LatentMode& mode : modes)
    heaviest[static_cast<std::size_t>(mode.point)] =
        std::max(heaviest[static_cast<std::size_t>(mode.point)], mode.probability);
  result.weight.resize(n);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    result.weight[i] = law.weight(away.col(i).squaredNorm(), gp.variance[i]);
    const bool outside = gp.variance[i] > std::min(limit, encoding::unknown_share * prior[i]);
    result.status.push_back(outside                         ? EncodeStatus::outside_support
                            : !settled[at]                  ? EncodeStatus::not_converged
                            : heaviest[at] < encoding::sure ? EncodeStatus::ambiguous
                                                            : EncodeStatus::ok);
  }
  result.X = model.parts().latent.wrapped(result.X);
  for (LatentMode& mode : result.modes) mode.x = model.parts().latent.wrapped(mode.x);
  return result;
}

}  // namespace

Encoding Model::encode(ConstMatrixRef points, const EncodeOptions& options) const {
  const Index n = points.cols(), q = latent_dim();
  Encoding all{
      Matrix(q, n), Matrix(q, n), Vector(n), Vector(n), std::vector<EncodeStatus>(static_cast<std::size_t>(n)), {}};
  std::vector<std::vector<LatentMode>> modes(static_cast<std::size_t>((n + encoding::block - 1) / encoding::block));
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
      all.weight.segment(first, count) = part.weight;
      std::copy(part.status.begin(), part.status.end(), all.status.begin() + first);
      auto& own = modes[static_cast<std::size_t>(first / encoding::block)];
      own = part.modes;
      for (LatentMode& mode : own) mode.point += first;
    }
  });
  for (const auto& own : modes) all.modes.insert(all.modes.end(), own.begin(), own.end());
  return all;
}

}  // namespace wgp
