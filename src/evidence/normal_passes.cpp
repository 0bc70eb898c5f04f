#include "evidence/normal_passes.h"

#include <algorithm>
#include <cmath>

#include "evidence/learned_density.h"
#include "linalg/products.h"

namespace wgp {
namespace {

constexpr std::size_t mixed_passes = 6;

}  // namespace

Executor::Range NormalPasses::own_points(const Executor& executor, Index N) {
  const Executor::Range blocks = executor.own_terms((N + points_at_once - 1) / points_at_once);
  return {std::min(N, blocks.first * points_at_once), std::min(N, blocks.last * points_at_once)};
}

NormalPasses::NormalPasses(const KernelSpectrum& spectrum, const ColumnBlocks& vectors, Index d, Executor* executor,
                           RunControl* control)
    : spectrum_(spectrum),
      vectors_(&vectors),
      N_(vectors.count()),
      d_(d),
      executor_(executor ? executor : &here_),
      own_(own_points(*executor_, N_)),
      control_(control),
      mixing_(mixed_passes) {}

NormalPasses::NormalPasses(const KernelSpectrum& spectrum, PointsElsewhere& points, Index d)
    : spectrum_(spectrum),
      elsewhere_(&points),
      N_(points.count()),
      d_(d),
      executor_(&here_),
      own_({0, 0}),
      control_(nullptr),
      mixing_(mixed_passes) {}

PassState NormalPasses::begin(Matrix X, Matrix S, Vector theta, double noise, std::vector<char> skipped) {
  PassState state;
  state.points.skipped = std::move(skipped);
  // Memory that is not written is not taken: the columns of other ranks cost nothing.
  const Index count = own_.last - own_.first;
  state.points.pace.resize(X.cols());
  state.points.pace.segment(own_.first, count).setOnes();
  keep_in_range(spectrum_.latent(), S.middleCols(own_.first, count));
  state.points.X = std::move(X);
  state.points.S = std::move(S);
  state.theta = std::move(theta);
  state.noise = noise;
  replan(state);
  return state;
}

Matrix PointLatents::begun(const LatentSpace& latent, ConstMatrixRef X, ConstMatrixRef S,
                           const std::vector<char>& skipped) {
  const Index q = X.rows();
  Matrix columns = Matrix::Zero(file_rows(q), X.cols());
  columns.topRows(q) = X;
  columns.middleRows(q, q) = S;
  keep_in_range(latent, columns.middleRows(q, q));
  columns.row(2 * q).setOnes();
  for (std::size_t i = 0; i < skipped.size(); ++i) columns(2 * q + 1, static_cast<Index>(i)) = skipped[i];
  return columns;
}

PassState NormalPasses::begin(std::shared_ptr<ColumnFile> latents, Vector theta, double noise) {
  PassState state;
  state.points.file = std::move(latents);
  state.theta = std::move(theta);
  state.noise = noise;
  replan(state);
  return state;
}

PassState NormalPasses::begin(Vector theta, double noise) {
  PassState state;
  state.theta = std::move(theta);
  state.noise = noise;
  replan(state);
  return state;
}

template <class T, class Make, class Add>
T NormalPasses::over_blocks(RunControl* control, const Make& make, const Add& add) const {
  return executor_->reduce_over_ranks<T>((N_ + points_at_once - 1) / points_at_once,
                                         [&](Index b) {
                                           if (control) control->check();
                                           const Index first = b * points_at_once;
                                           return make(first, std::min(points_at_once, N_ - first));
                                         },
                                         add);
}

namespace {

struct LatentColumns {
  Matrix X, S;
  void each_part(auto&& visitor) { visitor(X, S); }
};

}  // namespace

BlockExtents NormalPasses::extents(const PassState& state) const {
  if (elsewhere_) return elsewhere_->extents();
  const PointLatents& points = state.points;
  const Index q = spectrum_.latent().dim();
  return over_blocks<BlockExtents>(
      control_,
      [&](Index first, Index count) {
        if (!points.file) return BlockExtents::of(points.X.middleCols(first, count), points.S.middleCols(first, count));
        Matrix columns(PointLatents::file_rows(q), count);
        points.file->read(first, columns);
        return BlockExtents::of(columns.topRows(q), columns.middleRows(q, q));
      },
      [](BlockExtents& into, const BlockExtents& part) { into.add(part); });
}

void NormalPasses::replan(PassState& state) {
  const BlockExtents extents = this->extents(state);
  const auto N = static_cast<double>(N_);
  Vector periods(spectrum_.latent().dim());
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
  const Index q = spectrum_.latent().dim();
  const PointLatents& points = state.points;
  Block block;
  if (points.file) {
    block.columns.resize(PointLatents::file_rows(q), count);
    points.file->read(first, block.columns);
  }
  for (Index i = 0; i < count; ++i)
    if (points.file ? block.columns(2 * q + 1, i) == 0 : !points.skips(first + i)) block.members.push_back(first + i);
  block.V.resize(vectors_->rows(), count);
  vectors_->read(first, block.V);
  std::vector<Index> own = block.members;
  for (Index& n : own) n -= first;
  if (static_cast<Index>(own.size()) < count) block.V = Matrix(block.V(Eigen::all, own));
  if (points.file) {
    const Matrix columns = block.columns(Eigen::all, own);
    block.X = columns.topRows(q);
    block.S = columns.middleRows(q, q);
    block.pace = columns.row(2 * q).transpose();
  } else {
    block.X = points.X(Eigen::all, block.members);
    block.S = points.S(Eigen::all, block.members);
    block.pace = points.pace(block.members);
  }
  return block;
}

void NormalPasses::put_back(PassState& state, Index first, Block& block) const {
  PointLatents& points = state.points;
  for (Index i = 0; i < block.X.cols(); ++i) {
    const Index n = block.members[static_cast<std::size_t>(i)];
    if (points.file) {
      block.columns.col(n - first) << block.X.col(i), block.S.col(i), block.pace[i], 0;
      continue;
    }
    points.X.col(n) = block.X.col(i);
    points.S.col(n) = block.S.col(i);
    points.pace[n] = block.pace[i];
  }
  if (points.file) points.file->write(first, block.columns);
}

void NormalPasses::make_whole(PassState& state) {
  state.sums = collect(state, nullptr);
  state.bound = bound(state);
}

std::vector<BlockSums> NormalPasses::sums_of_folds(const PassState& state, int folds) const {
  if (elsewhere_) return elsewhere_->sums_of_folds(state.plan->lattice, folds);
  const BlockSteps steps(state.plan->lattice);
  return over_blocks<std::vector<BlockSums>>(
      control_,
      [&](Index first, Index count) {
        const Block block = block_at(state, first, count);
        return steps.sums_of_folds(folds, block.members, block.V, block.X, block.S);
      },
      [](std::vector<BlockSums>& into, const std::vector<BlockSums>& part) {
        for (std::size_t k = 0; k < into.size(); ++k) into[k].add(part[k]);
      });
}

BlockSums NormalPasses::collect(const PassState& state, RunControl* control) const {
  if (elsewhere_) return elsewhere_->sums(state.plan->lattice);
  const BlockSteps steps(state.plan->lattice);
  return over_blocks<BlockSums>(
      control,
      [&](Index first, Index count) {
        const Block block = block_at(state, first, count);
        return steps.sums(block.V, block.X, block.S);
      },
      [](BlockSums& into, const BlockSums& part) { into.add(part); });
}

LatticeSums NormalPasses::lattice_sums(const PassState& state, const BlockSums& sums) const {
  return {sums.count, sums.squares, state.plan->lattice.second_moments(sums.table), sums.cross, d_};
}

double NormalPasses::bound(const PassState& state) const {
  CollapsedBound bound(spectrum_, state.plan->lattice, state.plan->mode);
  return bound.value(state.theta, state.noise, lattice_sums(state, state.sums)) - state.sums.divergence +
         learned_density(state.plan->lattice, state.sums.table).gain;
}

BlockSums NormalPasses::move(PassState& state, const PassWeights& weights) const {
  if (elsewhere_) return elsewhere_->move(state.plan->lattice, weights);
  const BlockSteps steps(state.plan->lattice);
  return over_blocks<BlockSums>(
      control_,
      [&](Index first, Index count) {
        Block block = block_at(state, first, count);
        BlockSums sums = steps.move(weights, block.V, block.X, block.S, block.pace);
        put_back(state, first, block);
        return sums;
      },
      [](BlockSums& into, const BlockSums& part) { into.add(part); });
}

void NormalPasses::pass(PassState& state, const HyperSteps& how) {
  CollapsedBound bound(spectrum_, state.plan->lattice, state.plan->mode);
  const LatticeSums sums = lattice_sums(state, state.sums);
  improve_hyper_parameters(spectrum_, bound, sums, how, state.theta, state.noise);
  const double before = state.bound;
  const Lattice& lattice = state.plan->lattice;
  const LearnedDensity learned = learned_density(lattice, state.sums.table);
  state.bound = bound.value(state.theta, state.noise, sums) - state.sums.divergence + learned.gain;
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
  Matrix by_table = lattice.by_table(by_second);
  learned.add_by_table(lattice, by_table);
  state.sums = move(state, {b * weights, std::move(by_table)});
  ++state.passes;
}

}  // namespace wgp
