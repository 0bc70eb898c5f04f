#include "model/batch_descent.h"

#include <algorithm>
#include <cmath>

#include "model/settings.h"

namespace wgp {
namespace {

// BFGS on every candidate at once, with backtracking; candidates that are done leave the batch.
class BatchDescent {
 public:
  BatchDescent(const EncodeObjective& objective, Matrix X, std::vector<Index> owner)
      : objective_(objective), X_(std::move(X)), owner_(std::move(owner)) {}

  Candidates run() {
    const Index B = X_.cols(), q = X_.rows();
    EncodeValues values = objective_.at(X_, owner_);
    f_ = values.f;
    g_ = values.gradient;
    H_ = Matrix::Identity(q, q).replicate(1, B);
    s_.resize(q);
    y_.resize(q);
    Hy_.resize(q);
    fresh_.assign(static_cast<std::size_t>(B), true);
    done_.assign(static_cast<std::size_t>(B), false);
    dropped_.assign(static_cast<std::size_t>(B), false);
    step_ = Vector::Ones(B);
    for (int round = 0; round < encoding::rounds; ++round) {
      for (const encoding::Pruning& pruning : encoding::prunings)
        if (round == pruning.round) prune(pruning.worse);
      std::vector<Index> active;
      for (Index b = 0; b < B; ++b)
        if (!done_[at(b)] && !dropped_[at(b)]) active.push_back(b);
      if (active.empty()) break;
      advance(active);
    }
    Candidates result{X_, owner_, f_, done_, g_};
    for (Index b = 0; b < B; ++b)
      if (dropped_[at(b)]) result.f[b] = infinity;
    return result;
  }

 private:
  static std::size_t at(Index b) { return static_cast<std::size_t>(b); }

  // Candidates are many and small: nothing here is allocated for one of them.
  void advance(const std::vector<Index>& active) {
    const Index n = static_cast<Index>(active.size()), q = X_.rows();
    Matrix trial(q, n), direction(q, n);
    std::vector<Index> owner(active.size());
    for (Index a = 0; a < n; ++a) {
      const Index b = active[at(a)];
      auto p = direction.col(a);
      double slope = 0;
      for (Index i = 0; i < q; ++i) {
        p[i] = 0;
        for (Index j = 0; j < q; ++j) p[i] -= H_(i, b * q + j) * g_(j, b);
        slope += p[i] * g_(i, b);
      }
      if (!(slope < 0)) {
        H_.middleCols(b * q, q).setIdentity();
        fresh_[at(b)] = true;
        p = -g_.col(b);
      }
      // Latents are measured in length-scales: no step is longer than one, and a first step is short.
      const double longest = fresh_[at(b)] ? encoding::first_step : encoding::longest_step, length = p.norm();
      if (length > longest) p *= longest / length;
      if (step_[b] > 1) step_[b] = std::max(1.0, std::min(step_[b], longest / p.norm()));
      trial.col(a) = X_.col(b) + step_[b] * p;
      owner[at(a)] = owner_[at(b)];
    }
    const EncodeValues values = objective_.at(trial, owner);
    for (Index a = 0; a < n; ++a) {
      const Index b = active[at(a)];
      s_ = step_[b] * direction.col(a);
      const double slope = g_.col(b).dot(s_);
      const double slack = 1e-13 * (1 + std::abs(f_[b]));
      if (!(values.f[a] <= f_[b] + 1e-4 * slope + slack)) {
        step_[b] *= 0.3;
        if (step_[b] * direction.col(a).norm() < 1e-9) done_[at(b)] = true;
        continue;
      }
      y_ = values.gradient.col(a) - g_.col(b);
      const bool bent = update(b);
      const double decrease = f_[b] - values.f[a];
      X_.col(b) = trial.col(a);
      f_[b] = values.f[a];
      g_.col(b) = values.gradient.col(a);
      // Along a ridge that falls ever faster H learns nothing and stays as short as it was on the way there.
      step_[b] = bent ? 1 : 3 * step_[b];
      const double size = g_.col(b).cwiseAbs().maxCoeff();
      const double unit = 1 + std::abs(f_[b]);
      if (size < encoding::gradient_tolerance * unit ||
          (decrease < encoding::progress_tolerance * unit && s_.norm() < 1e-5))
        done_[at(b)] = true;
    }
  }

  // By the last step and what it changed. False where f does not curve upwards along it, so that there is no scale to
  // learn.
  bool update(Index b) {
    const Index q = s_.size();
    const double sy = s_.dot(y_);
    if (!(sy > 1e-10 * s_.norm() * y_.norm())) return false;
    auto H = H_.middleCols(b * q, q);
    if (fresh_[at(b)]) {
      H.setZero();
      H.diagonal().setConstant(sy / y_.squaredNorm());
      fresh_[at(b)] = false;
    }
    double yHy = 0;
    for (Index i = 0; i < q; ++i) {
      Hy_[i] = 0;
      for (Index j = 0; j < q; ++j) Hy_[i] += H(i, j) * y_[j];
      yHy += y_[i] * Hy_[i];
    }
    const double along = (sy + yHy) / (sy * sy);
    for (Index j = 0; j < q; ++j)
      for (Index i = 0; i < q; ++i) H(i, j) += along * s_[i] * s_[j] - (Hy_[i] * s_[j] + s_[i] * Hy_[j]) / sy;
    return true;
  }

  // Keeps those of each point that may come to matter; of two at the same place only the better.
  void prune(double worse) {
    std::vector<std::vector<Index>> of_owner;
    for (Index b = 0; b < X_.cols(); ++b) {
      if (dropped_[at(b)]) continue;
      const std::size_t i = at(owner_[at(b)]);
      if (of_owner.size() <= i) of_owner.resize(i + 1);
      of_owner[i].push_back(b);
    }
    for (std::vector<Index>& list : of_owner) {
      std::stable_sort(list.begin(), list.end(), [&](Index a, Index b) { return f_[a] < f_[b]; });
      for (std::size_t k = 0; k < list.size(); ++k) {
        bool repeated = false;
        for (std::size_t m = 0; m < k; ++m)
          repeated =
              repeated || (!dropped_[at(list[m])] && (X_.col(list[m]) - X_.col(list[k])).norm() < encoding::same_place);
        if (repeated || !(f_[list[k]] <= f_[list[0]] + worse)) dropped_[at(list[k])] = true;
      }
    }
  }

  const EncodeObjective& objective_;
  Matrix X_;
  std::vector<Index> owner_;
  Vector f_, step_;
  Matrix g_, H_;       // of each candidate its gradient, and q columns
  Vector s_, y_, Hy_;  // of the candidate at hand
  std::vector<bool> fresh_, done_, dropped_;
};

}  // namespace

Candidates descend(const EncodeObjective& objective, Matrix X, std::vector<Index> owner) {
  return BatchDescent(objective, std::move(X), std::move(owner)).run();
}

}  // namespace wgp
