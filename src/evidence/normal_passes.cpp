#include "evidence/normal_passes.h"

#include <algorithm>
#include <cmath>

#include "evidence/latent_divergence.h"
#include "linalg/products.h"

namespace wgp {
namespace {

constexpr std::size_t mixed_passes = 6;
constexpr double slower = 0.3, faster = 1.4, least_precision = 0.2, most_precision = 5;

Vector divergences(const LatentSpace& latent, ConstMatrixRef X, ConstMatrixRef S) {
  Vector of(X.cols());
  Matrix none;
  for (Index i = 0; i < X.cols(); ++i) of[i] = latent_divergence(latent, X.col(i), S.col(i), none, none);
  return of;
}

}  // namespace

void BlockSums::add(const BlockSums& other) {
  table += other.table;
  cross += other.cross;
  count += other.count;
  squares += other.squares;
  divergence += other.divergence;
}

void BlockSums::subtract(const BlockSums& other) {
  table -= other.table;
  cross -= other.cross;
  count -= other.count;
  squares -= other.squares;
  divergence -= other.divergence;
}

Executor::Range NormalPasses::own_points(const Executor& executor, Index N) {
  const Executor::Range blocks = executor.own_terms((N + points_at_once - 1) / points_at_once);
  return {std::min(N, blocks.first * points_at_once), std::min(N, blocks.last * points_at_once)};
}

NormalPasses::NormalPasses(const KernelSpectrum& spectrum, const ColumnBlocks& vectors, Index d, Executor* executor,
                           RunControl* control)
    : spectrum_(spectrum),
      vectors_(vectors),
      d_(d),
      executor_(executor ? executor : &here_),
      own_(own_points(*executor_, vectors.count())),
      control_(control),
      mixing_(mixed_passes) {}

double NormalPasses::least_variance() const { return std::exp(least_log_variance); }
double NormalPasses::most_variance(Index j) const {
  return std::exp(spectrum_.latent().is_angle(j) ? most_log_variance_of_angles : most_log_variance);
}

PassState NormalPasses::begin(Matrix X, Matrix S, Vector theta, double noise, std::vector<char> skipped) {
  PassState state;
  state.points.skipped = std::move(skipped);
  // Memory that is not written is not taken: the columns of other ranks cost nothing.
  const Index count = own_.last - own_.first;
  state.points.pace.resize(X.cols());
  state.points.pace.segment(own_.first, count).setOnes();
  for (Index j = 0; j < S.rows(); ++j) {
    auto variances = S.row(j).segment(own_.first, count);
    variances = variances.cwiseMax(least_variance()).cwiseMin(most_variance(j)).eval();
  }
  state.points.X = std::move(X);
  state.points.S = std::move(S);
  state.theta = std::move(theta);
  state.noise = noise;
  replan(state);
  return state;
}

template <class T, class Make, class Add>
T NormalPasses::over_blocks(RunControl* control, const Make& make, const Add& add) const {
  const Index N = vectors_.count();
  return executor_->reduce_over_ranks<T>((N + points_at_once - 1) / points_at_once,
                                         [&](Index b) {
                                           if (control) control->check();
                                           const Index first = b * points_at_once;
                                           return make(first, std::min(points_at_once, N - first));
                                         },
                                         add);
}

namespace {

struct LatentColumns {
  Matrix X, S;
  void each_part(auto&& visitor) { visitor(X, S); }
};

// Of the latents of some points; of their variances the sum of logarithms.
struct Extents {
  Vector low, high, sum, squares, log_variances;
  void each_part(auto&& visitor) { visitor(low, high, sum, squares, log_variances); }
};

}  // namespace

void NormalPasses::replan(PassState& state) {
  const PointLatents& points = state.points;
  const auto extents = over_blocks<Extents>(
      control_,
      [&](Index first, Index count) {
        const auto X = points.X.middleCols(first, count);
        return Extents{X.rowwise().minCoeff(), X.rowwise().maxCoeff(), X.rowwise().sum(), X.rowwise().squaredNorm(),
                       points.S.middleCols(first, count).array().log().rowwise().sum()};
      },
      [](Extents& into, const Extents& part) {
        into.low = into.low.cwiseMin(part.low);
        into.high = into.high.cwiseMax(part.high);
        into.sum += part.sum;
        into.squares += part.squares;
        into.log_variances += part.log_variances;
      });
  const auto N = static_cast<double>(vectors_.count());
  Vector periods(points.X.rows());
  for (Index j = 0; j < periods.size(); ++j) {
    const double mean = extents.sum[j] / N, variance = std::max(0.0, extents.squares[j] / N - mean * mean);
    periods[j] = lattice_period(spectrum_, state.theta, j,
                                {extents.low[j], extents.high[j], std::sqrt(variance), extents.log_variances[j] / N});
  }
  state.plan = plan_lattice(spectrum_, state.theta, state.noise, d_, periods);
  state.sums = collect(state, control_);
  mixing_.forget();
  used_.resize(0);
}

void NormalPasses::share_latents(PassState& state) const {
  if (!executor_->ranks()) return;
  PointLatents& points = state.points;
  const Index count = own_.last - own_.first;
  Index first = 0;
  for (const LatentColumns& columns : executor_->ranks()->gather_values<LatentColumns>([&] {
         return LatentColumns{points.X.middleCols(own_.first, count), points.S.middleCols(own_.first, count)};
       })) {
    points.X.middleCols(first, columns.X.cols()) = columns.X;
    points.S.middleCols(first, columns.S.cols()) = columns.S;
    first += columns.X.cols();
  }
}

NormalPasses::Block NormalPasses::block_at(const PassState& state, Index first, Index count) const {
  Block block;
  for (Index n = first; n < first + count; ++n)
    if (!state.points.skips(n)) block.members.push_back(n);
  block.V.resize(vectors_.rows(), count);
  vectors_.read(first, block.V);
  if (static_cast<Index>(block.members.size()) < count) {
    std::vector<Index> own = block.members;
    for (Index& n : own) n -= first;
    block.V = Matrix(block.V(Eigen::all, own));
  }
  block.X = state.points.X(Eigen::all, block.members);
  block.S = state.points.S(Eigen::all, block.members);
  return block;
}

BlockSums NormalPasses::sums_of(const LatticeBlock& block, ConstMatrixRef V, ConstMatrixRef X, ConstMatrixRef S) const {
  Matrix none;
  return {block.table(), block.cross(V), static_cast<double>(X.cols()), V.squaredNorm(),
          latent_divergence(spectrum_.latent(), X, S, none, none)};
}

void NormalPasses::make_whole(PassState& state) {
  state.sums = collect(state, nullptr);
  state.bound = bound(state);
}

std::vector<BlockSums> NormalPasses::sums_of_folds(const PassState& state, int folds,
                                                   const std::function<int(Index point)>& fold_of) const {
  const Lattice& lattice = state.plan->lattice;
  return over_blocks<std::vector<BlockSums>>(
      control_,
      [&](Index first, Index count) {
        const Block block = block_at(state, first, count);
        std::vector<std::vector<Index>> members(static_cast<std::size_t>(folds));
        for (std::size_t i = 0; i < block.members.size(); ++i)
          members[static_cast<std::size_t>(fold_of(block.members[i]))].push_back(static_cast<Index>(i));
        std::vector<BlockSums> sums;
        for (const std::vector<Index>& own : members) {
          const Matrix X = block.X(Eigen::all, own), S = block.S(Eigen::all, own);
          sums.push_back(sums_of(LatticeBlock(lattice, X, S), block.V(Eigen::all, own), X, S));
        }
        return sums;
      },
      [](std::vector<BlockSums>& into, const std::vector<BlockSums>& part) {
        for (std::size_t k = 0; k < into.size(); ++k) into[k].add(part[k]);
      });
}

BlockSums NormalPasses::collect(const PassState& state, RunControl* control) const {
  const Lattice& lattice = state.plan->lattice;
  return over_blocks<BlockSums>(
      control,
      [&](Index first, Index count) {
        const Block block = block_at(state, first, count);
        return sums_of(LatticeBlock(lattice, block.X, block.S), block.V, block.X, block.S);
      },
      [](BlockSums& into, const BlockSums& part) { into.add(part); });
}

LatticeSums NormalPasses::lattice_sums(const PassState& state, const BlockSums& sums) const {
  return {sums.count, sums.squares, state.plan->lattice.second_moments(sums.table), sums.cross, d_};
}

double NormalPasses::bound(const PassState& state) const {
  CollapsedBound bound(spectrum_, state.plan->lattice, state.plan->mode);
  return bound.value(state.theta, state.noise, lattice_sums(state, state.sums)) - state.sums.divergence;
}

BlockSums NormalPasses::move(PassState& state, const Weights& weights) const {
  const Lattice& lattice = state.plan->lattice;
  const LatentSpace& latent = spectrum_.latent();
  const Index q = latent.dim();
  return over_blocks<BlockSums>(
      control_,
      [&](Index first, Index points) {
        const Block block = block_at(state, first, points);
        const Matrix &V = block.V, &X = block.X, &S = block.S;
        const Index count = X.cols();
        const Vector pace = state.points.pace(block.members);
        const LatticeBlock before(lattice, X, S);
        Matrix by_features = Matrix::Zero(count, lattice.size());
        simd().products.add_product(columns(MatrixRef(by_features)), 1, columns(ConstMatrixRef(V)), Turned::yes,
                                    columns(ConstMatrixRef(weights.by_cross)), Turned::yes);
        Matrix d_X = Matrix::Zero(q, count), d_S = Matrix::Zero(q, count);
        before.pull_back(by_features, weights.by_table, Vector(), d_X, d_S);
        Matrix X_new(q, count), S_new(q, count);
        for (Index i = 0; i < count; ++i)
          for (Index j = 0; j < q; ++j) {
            const bool angle = latent.is_angle(j);
            const double prior = angle ? 0 : 1, s = S(j, i);
            double precision = prior - 2 * d_S(j, i);
            // A wide normal that is wrapped has less entropy to gain.
            if (angle && s >= 0.15) precision /= 2 * s * wrapped_normal_entropy(s).by_variance;
            precision = std::clamp(precision, least_precision / s, most_precision / s);
            const double next = 1 / ((1 - pace[i]) / s + pace[i] * precision);
            S_new(j, i) = std::clamp(next, least_variance(), most_variance(j));
            X_new(j, i) = X(j, i) + pace[i] * S_new(j, i) * (d_X(j, i) - prior * X(j, i));
          }
        const auto worth = [&](const LatticeBlock& of, ConstMatrixRef at, ConstMatrixRef variance) -> Vector {
          return of.features().cwiseProduct(by_features).rowwise().sum() + of.polynomial(weights.by_table) -
                 divergences(latent, at, variance);
        };
        const LatticeBlock after(lattice, X_new, S_new);
        const Vector gain = worth(after, X_new, S_new) - worth(before, X, S);
        bool undone = false;
        for (Index i = 0; i < count; ++i) {
          const bool rose = gain[i] >= 0;
          const Index n = block.members[static_cast<std::size_t>(i)];
          state.points.pace[n] = rose ? std::min(1.0, faster * pace[i]) : slower * pace[i];
          if (rose) continue;
          undone = true;
          X_new.col(i) = X.col(i);
          S_new.col(i) = S.col(i);
        }
        for (Index i = 0; i < count; ++i) {
          const Index n = block.members[static_cast<std::size_t>(i)];
          state.points.X.col(n) = X_new.col(i);
          state.points.S.col(n) = S_new.col(i);
        }
        return sums_of(undone ? LatticeBlock(lattice, X_new, S_new) : after, V, X_new, S_new);
      },
      [](BlockSums& into, const BlockSums& part) { into.add(part); });
}

void NormalPasses::pass(PassState& state, const HyperSteps& how) {
  CollapsedBound bound(spectrum_, state.plan->lattice, state.plan->mode);
  const LatticeSums sums = lattice_sums(state, state.sums);
  improve_hyper_parameters(spectrum_, bound, sums, how, state.theta, state.noise);
  const double before = state.bound;
  state.bound = bound.value(state.theta, state.noise, sums) - state.sums.divergence;
  Matrix weights = bound.weights();
  const Matrix covariance = bound.weights_covariance();
  if (used_.size() == weights.size()) {
    const Vector own = weights.reshaped();
    if (state.passes > 0 && state.bound < before) {
      mixing_.forget();
      used_ = own;
    } else {
      used_ = mixing_.next(used_, own);
    }
    weights = used_.reshaped(weights.rows(), weights.cols());
  } else {
    used_ = weights.reshaped();
  }
  const double b = 1 / state.noise;
  Matrix by_second = -b / 2 * static_cast<double>(d_) * covariance;
  add_product_nt(by_second, weights, weights, -b / 2);
  state.sums = move(state, {b * weights, state.plan->lattice.by_table(by_second)});
  ++state.passes;
}

}  // namespace wgp
