// Encoding: for each point the latent that explains it best, all points and all their starts advanced together.
//
//   density      max over x of l(x) = -(d/2) log(2 pi s_t^2) - |v - m(x)|^2 / (2 s_t^2),  s_t^2 = s^2(x) + noise
//   projection   min over x of the distance between the point and the mean prediction at x
// A point that the model cannot explain would be best explained where the model knows nothing: at any mean, with a huge
// variance. The density's search therefore stays within the support, by a steep penalty outside: where s(x) is at most
// that of the loneliest training latent, predicted from all others.
// One step of all candidates is one kernel matrix, one product with K^-1 and one with A.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "gp/conditioning.h"
#include "model/coordinates.h"
#include "wgp/model.h"

namespace wgp {
namespace {

constexpr int max_rounds = 80;
constexpr Index starts_per_point = 6;

struct Values {
  Vector f;  // to be minimised
  Matrix gradient;
};

// f and its gradient at the columns of X, each for its own point.
class EncodeObjective {
 public:
  virtual ~EncodeObjective() = default;
  virtual Values at(ConstMatrixRef X, const std::vector<Index>& owner) const = 0;
};

class DensityObjective final : public EncodeObjective {
 public:
  DensityObjective(const Model& model, ConstMatrixRef V, double support_limit)
      : model_(model), posterior_(model.posterior()), V_(V), support_limit_(support_limit) {}

  Values at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    const Kernel& kernel = posterior_.kernel();
    const Vector& theta = posterior_.theta();
    const Index B = X.cols();
    const double d = static_cast<double>(V_.rows()), noise = model_.predictive_noise(),
                 scale = model_.parts().variance_scale;
    const Matrix k = kernel.cov(theta, X, posterior_.X());  // B x N
    const Matrix solved = k * posterior_.inverse();
    const Matrix mean = (k * posterior_.A()).transpose();
    const Vector variance = (kernel.diag(theta, X) - k.cwiseProduct(solved).rowwise().sum()).cwiseMax(0);
    Values values{Vector(B), Matrix::Zero(X.rows(), B)};
    Matrix residual(V_.rows(), B);
    Vector by_variance(B);  // df / ds^2
    for (Index b = 0; b < B; ++b) {
      const double total = scale * variance[b] + noise;
      residual.col(b) = V_.col(owner[static_cast<std::size_t>(b)]) - mean.col(b);
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
    G.noalias() -= 2 * (by_variance.asDiagonal() * solved);
    Vector unused = Vector::Zero(theta.size());
    kernel.pull_back(theta, X, posterior_.X(), k, G, unused, values.gradient);
    kernel.pull_back_diag(theta, X, by_variance, values.gradient);
    return values;
  }

 private:
  const Model& model_;
  const GpPosterior& posterior_;
  Matrix V_;
  double support_limit_;
};

// Of s^2 within the support. Left out, a training latent has the variance 1/Q_ii - noise.
double variance_limit(const GpPosterior& posterior) {
  const double least = posterior.inverse().diagonal().minCoeff(), noise = posterior.noise();
  return std::max(1 / least - noise, 1e-3 * noise);
}

// Half the squared length of v - m(x): the projection in the tangent space.
class TangentProjection final : public EncodeObjective {
 public:
  TangentProjection(const Model& model, ConstMatrixRef V) : posterior_(model.posterior()), V_(V) {
    unit_ = std::max(1e-300, V.squaredNorm() / static_cast<double>(std::max<Index>(1, V.cols())));
  }

  Values at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    const Kernel& kernel = posterior_.kernel();
    const Matrix k = kernel.cov(posterior_.theta(), X, posterior_.X());
    Matrix residual = (k * posterior_.A()).transpose();
    for (Index b = 0; b < X.cols(); ++b) residual.col(b) -= V_.col(owner[static_cast<std::size_t>(b)]);
    Values values{residual.colwise().squaredNorm().transpose() / (2 * unit_), Matrix::Zero(X.rows(), X.cols())};
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

  Values at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    constexpr double h = 1e-5;
    const Index q = X.rows(), B = X.cols();
    Values values{half_squares(X, owner), Matrix(q, B)};
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

struct Candidates {
  Matrix X;
  std::vector<Index> owner;
  Vector f;
  std::vector<bool> converged;
};

// BFGS on every candidate at once, with backtracking; candidates that are done leave the batch.
class BatchDescent {
 public:
  BatchDescent(const EncodeObjective& objective, Matrix X, std::vector<Index> owner)
      : objective_(objective), X_(std::move(X)), owner_(std::move(owner)) {}

  Candidates run() {
    const Index B = X_.cols(), q = X_.rows();
    Values values = objective_.at(X_, owner_);
    f_ = values.f;
    g_ = values.gradient;
    H_.assign(static_cast<std::size_t>(B), Matrix::Identity(q, q));
    fresh_.assign(static_cast<std::size_t>(B), true);
    done_.assign(static_cast<std::size_t>(B), false);
    dropped_.assign(static_cast<std::size_t>(B), false);
    step_ = Vector::Ones(B);
    for (int round = 0; round < max_rounds; ++round) {
      if (round == 6) prune(3);
      if (round == 12) prune(2);
      if (round == 25) prune(1);
      std::vector<Index> active;
      for (Index b = 0; b < B; ++b)
        if (!done_[at(b)] && !dropped_[at(b)]) active.push_back(b);
      if (active.empty()) break;
      advance(active);
    }
    Candidates result{X_, owner_, f_, done_};
    for (Index b = 0; b < B; ++b)
      if (dropped_[at(b)]) result.f[b] = infinity;
    return result;
  }

 private:
  static std::size_t at(Index b) { return static_cast<std::size_t>(b); }

  void advance(const std::vector<Index>& active) {
    const Index n = static_cast<Index>(active.size()), q = X_.rows();
    Matrix trial(q, n), direction(q, n);
    std::vector<Index> owner(active.size());
    for (Index a = 0; a < n; ++a) {
      const Index b = active[at(a)];
      Vector p = -H_[at(b)] * g_.col(b);
      if (!(p.dot(g_.col(b)) < 0)) {
        H_[at(b)].setIdentity();
        fresh_[at(b)] = true;
        p = -g_.col(b);
      }
      // Latents are measured in length-scales: no step is longer than one, and a first step is short.
      const double longest = fresh_[at(b)] ? 0.2 : 1.0, length = p.norm();
      if (length > longest) p *= longest / length;
      direction.col(a) = p;
      trial.col(a) = X_.col(b) + step_[b] * p;
      owner[at(a)] = owner_[at(b)];
    }
    const Values values = objective_.at(trial, owner);
    for (Index a = 0; a < n; ++a) {
      const Index b = active[at(a)];
      const Vector s = step_[b] * direction.col(a);
      const double slope = g_.col(b).dot(s);
      const double slack = 1e-13 * (1 + std::abs(f_[b]));
      if (!(values.f[a] <= f_[b] + 1e-4 * slope + slack)) {
        step_[b] *= 0.3;
        if (step_[b] * direction.col(a).norm() < 1e-9) done_[at(b)] = true;
        continue;
      }
      const Vector y = values.gradient.col(a) - g_.col(b);
      update(b, s, y);
      const double decrease = f_[b] - values.f[a];
      X_.col(b) = trial.col(a);
      f_[b] = values.f[a];
      g_.col(b) = values.gradient.col(a);
      step_[b] = 1;
      const double size = g_.col(b).cwiseAbs().maxCoeff();
      if (size < 1e-6 * (1 + std::abs(f_[b])) || (decrease < 1e-10 * (1 + std::abs(f_[b])) && s.norm() < 1e-5))
        done_[at(b)] = true;
    }
  }

  void update(Index b, const Vector& s, const Vector& y) {
    const double sy = s.dot(y);
    if (!(sy > 1e-10 * s.norm() * y.norm())) return;
    Matrix& H = H_[at(b)];
    if (fresh_[at(b)]) {
      H = Matrix::Identity(s.size(), s.size()) * (sy / y.squaredNorm());
      fresh_[at(b)] = false;
    }
    const Vector Hy = H * y;
    H += ((sy + y.dot(Hy)) / (sy * sy)) * (s * s.transpose()) - (Hy * s.transpose() + s * Hy.transpose()) / sy;
  }

  // Keeps the best few of each point; of two at the same place only the better.
  void prune(Index kept) {
    std::vector<std::vector<Index>> of_owner;
    for (Index b = 0; b < X_.cols(); ++b) {
      if (dropped_[at(b)]) continue;
      const std::size_t i = at(owner_[at(b)]);
      if (of_owner.size() <= i) of_owner.resize(i + 1);
      of_owner[i].push_back(b);
    }
    for (std::vector<Index>& list : of_owner) {
      std::stable_sort(list.begin(), list.end(), [&](Index a, Index b) { return f_[a] < f_[b]; });
      Index taken = 0;
      for (std::size_t k = 0; k < list.size(); ++k) {
        bool repeated = false;
        for (std::size_t m = 0; m < k; ++m)
          repeated = repeated || (!dropped_[at(list[m])] && (X_.col(list[m]) - X_.col(list[k])).norm() < 0.02);
        if (repeated || taken >= kept)
          dropped_[at(list[k])] = true;
        else
          ++taken;
      }
    }
  }

  const EncodeObjective& objective_;
  Matrix X_;
  std::vector<Index> owner_;
  Vector f_, step_;
  Matrix g_;
  std::vector<Matrix> H_;
  std::vector<bool> fresh_, done_, dropped_;
};

// Up to a handful of distinct latents for each point, among the training latents and a coarse grid.
class Starts {
 public:
  Starts(const Model& model, Encoder encoder, double support_limit) : latent_(model.parts().latent), encoder_(encoder) {
    const GpPosterior& posterior = model.posterior();
    const double noise = posterior.noise(), scale = model.parts().variance_scale, added = model.predictive_noise();
    // At the training latents K_f K^-1 = I - noise K^-1: predictions for nothing.
    X_ = posterior.X();
    mean_ = model.V() - noise * posterior.A().transpose();
    total_ = scale * (noise - noise * noise * posterior.inverse().diagonal().array()).max(0) + added;
    // Points that fit badly may fit least badly where there are no data.
    const Matrix grid = latent_grid();
    if (grid.cols() == 0) return;
    const GpPrediction prediction = posterior.predict(grid);
    std::vector<Index> supported;
    for (Index k = 0; k < grid.cols(); ++k)
      if (prediction.variance[k] <= support_limit) supported.push_back(k);
    append(grid(Eigen::all, supported), prediction.mean(Eigen::all, supported),
           scale * prediction.variance(supported).array() + added);
  }

  void choose(ConstMatrixRef V, Matrix& X, std::vector<Index>& owner) const {
    const double d = static_cast<double>(V.rows());
    const Vector inverse = total_.cwiseInverse();
    const Vector norms = mean_.colwise().squaredNorm();
    const Matrix products = mean_.transpose() * V;  // candidates x points
    std::vector<Vector> chosen;
    std::vector<Index> order(static_cast<std::size_t>(X_.cols()));
    for (Index i = 0; i < V.cols(); ++i) {
      const Vector squared = ((norms - 2 * products.col(i)).array() + V.col(i).squaredNorm()).max(0);
      const Vector cost = d * total_.array().log() + squared.array() * inverse.array();
      std::vector<Vector> own;
      if (encoder_ == Encoder::density) take_best(cost, order, starts_per_point - 1, own);
      take_best(squared, order, starts_per_point, own);
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
    const Index q = X_.rows(), side = q == 1 ? 200 : q == 2 ? 20 : q == 3 ? 8 : 0;
    Index cells = side > 0 ? 1 : 0;
    for (Index j = 0; j < q; ++j) cells *= side;
    Matrix grid(q, cells);
    for (Index k = 0; k < cells; ++k) {
      Index rest = k;
      for (Index j = 0; j < q; ++j, rest /= side) {
        const double share = (static_cast<double>(rest % side) + 0.5) / static_cast<double>(side);
        const double low = latent_.is_angle(j) ? -std::numbers::pi : X_.row(j).minCoeff() - 1;
        const double high = latent_.is_angle(j) ? std::numbers::pi : X_.row(j).maxCoeff() + 1;
        grid(j, k) = low + share * (high - low);
      }
    }
    return grid;
  }
  void append(ConstMatrixRef X, ConstMatrixRef mean, ConstVectorRef total) {
    const Index n = X_.cols(), m = X.cols();
    X_.conservativeResize(Eigen::NoChange, n + m);
    mean_.conservativeResize(Eigen::NoChange, n + m);
    total_.conservativeResize(n + m);
    X_.rightCols(m) = X;
    mean_.rightCols(m) = mean;
    total_.tail(m) = total;
  }
  void take_best(const Vector& cost, std::vector<Index>& order, Index limit, std::vector<Vector>& own) const {
    const Index look = std::min<Index>(40, cost.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::partial_sort(order.begin(), order.begin() + look, order.end(),
                      [&](Index a, Index b) { return cost[a] < cost[b] || (cost[a] == cost[b] && a < b); });
    for (Index k = 0; k < look && static_cast<Index>(own.size()) < limit; ++k) {
      const Vector x = X_.col(order[static_cast<std::size_t>(k)]);
      const bool near = std::any_of(own.begin(), own.end(), [&](const Vector& y) { return (x - y).norm() < 0.3; });
      if (!near) own.push_back(x);
    }
  }

  LatentSpace latent_;
  Encoder encoder_;
  Matrix X_, mean_;
  Vector total_;
};

// Inverse Hessian of f at the optimum, by central differences of the gradient.
Matrix laplace_sd(const EncodeObjective& objective, ConstMatrixRef X) {
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
  Matrix sd(q, n);
  for (Index i = 0; i < n; ++i) {
    const Matrix& S = hessian[static_cast<std::size_t>(i)];
    const Eigen::LLT<Matrix> factor((S + S.transpose()) / 2);
    const bool positive = factor.info() == Eigen::Success;
    sd.col(i) = positive ? Vector(factor.solve(Matrix::Identity(q, q)).diagonal().cwiseSqrt())
                         : Vector(Vector::Constant(q, infinity));
  }
  return sd;
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

Encoding encode_block(const Model& model, const Coordinates& coordinates, const Starts& starts, double limit,
                      ConstMatrixRef points, Encoder encoder) {
  const Index n = points.cols();
  const Matrix V = coordinates.to_coords(points);
  Matrix X;
  std::vector<Index> owner;
  starts.choose(V, X, owner);
  const DensityObjective search(model, V, limit), density(model, V, infinity);
  Best best;
  if (encoder == Encoder::density) {
    best = best_of(BatchDescent(search, X, owner).run(), n);
  } else {
    const TangentProjection tangent(model, V);
    Candidates found = BatchDescent(tangent, X, owner).run();
    if (model.on_manifold() &&
        !model.manifold().is_flat()) {  // distances in the tangent space are not those on the manifold
      std::vector<Index> kept;
      for (Index b = 0; b < found.X.cols(); ++b)
        if (std::isfinite(found.f[b])) kept.push_back(b);
      Matrix polished = found.X(Eigen::all, kept);
      std::vector<Index> of(kept.size());
      for (std::size_t k = 0; k < kept.size(); ++k) of[k] = found.owner[static_cast<std::size_t>(kept[k])];
      const ManifoldProjection intrinsic(model, points);
      found = BatchDescent(intrinsic, polished, of).run();
    }
    best = best_of(found, n);
  }

  Encoding encoding;
  encoding.X = best.X;
  std::vector<Index> each(static_cast<std::size_t>(n));
  std::iota(each.begin(), each.end(), Index{0});
  encoding.log_density = -density.at(encoding.X, each).f;
  encoding.sd = laplace_sd(encoder == Encoder::density ? search : density, encoding.X);
  const Vector variance = model.posterior().predict(encoding.X).variance;
  const Vector prior = model.posterior().kernel().diag(model.posterior().theta(), encoding.X);
  for (Index i = 0; i < n; ++i)
    encoding.status.push_back(variance[i] > std::min(limit, 0.9 * prior[i])  ? EncodeStatus::outside_support
                              : !best.converged[static_cast<std::size_t>(i)] ? EncodeStatus::not_converged
                                                                             : EncodeStatus::ok);
  encoding.X = model.parts().latent.wrapped(encoding.X);
  return encoding;
}

}  // namespace

Encoding Model::encode(ConstMatrixRef points, Encoder encoder) const {
  const Index n = points.cols(), q = latent_dim();
  Encoding all{Matrix(q, n), Matrix(q, n), Vector(n), {}};
  const double limit = variance_limit(posterior());
  const Starts starts(*this, encoder, limit);
  constexpr Index block = 256;  // five candidates of each, N kernel values a candidate
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    const Encoding part = encode_block(*this, *coordinates_, starts, limit, points.middleCols(first, count), encoder);
    all.X.middleCols(first, count) = part.X;
    all.sd.middleCols(first, count) = part.sd;
    all.log_density.segment(first, count) = part.log_density;
    all.status.insert(all.status.end(), part.status.begin(), part.status.end());
  }
  return all;
}

}  // namespace wgp
