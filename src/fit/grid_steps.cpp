#include "fit/grid_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random_streams.h"
#include "fit/random_subset.h"
#include "fit/variational_settings.h"

namespace wgp {

using namespace variational;

namespace {

std::vector<Index> in_order_of(const Vector& values) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  return order;
}

}  // namespace

KernelSpectrum spectrum_of(const FitProblem& problem) {
  return {problem.latent, *spectral_terms(*problem.kernel, problem.latent), problem.kernel->parameter_count()};
}

LatentOptimum from_grid(std::string kind, GridEngine& engine, GridState state) {
  LatentOptimum optimum;
  optimum.kind = std::move(kind);
  const GridEngine::Codes codes = engine.codes(state);
  optimum.state.X = codes.X;
  optimum.state.S = codes.S.array().log();
  optimum.state.theta = state.theta;
  optimum.state.u = std::log(std::max(state.noise - noise_floor, 1e-12));
  optimum.state.value = -infinity;
  optimum.bound = state.bound;
  optimum.iterations = state.passes;
  optimum.grid = std::move(state);
  optimum.by_grid = true;
  return optimum;
}

GridState begin_at(const LatentStart& start, const GridEngine& engine) {
  return engine.begin(start.X, Matrix::Constant(start.X.rows(), start.X.cols(), start.S), start.theta, start.noise);
}

void passes(GridEngine& engine, GridState& state, int count, const GridEngine::Pass& pass) {
  for (int k = 0; k < count; ++k) engine.pass(state, pass);
}

void GridSteps::settle(GridEngine& engine, GridState& state, int most) const {
  const double least = least_gain_a_point * static_cast<double>(engine.points());
  const int every = q_ == 1 ? 1 : parameters_of_surfaces_every;
  for (int round = 0; round * 10 < most; ++round) {
    engine.replan(state);
    engine.pass(state, {});
    const double before = state.bound;
    for (int k = 1; k <= 9; ++k) engine.pass(state, k % every == 0 ? GridEngine::Pass{} : parameters_fixed);
    if (!control_.report("curves and surfaces", state.passes, most_passes, state.bound + to_data_)) throw Stopped();
    if (state.bound - before < least) break;
  }
}

void GridSteps::anneal(GridEngine& engine, GridState& state) const {
  for (const double noise : annealing) {
    state.noise = noise;
    engine.replan(state);
    passes(engine, state, 6, {{}, false, 3});
  }
  settle(engine, state, most_passes);
}

void GridSteps::warm(GridEngine& engine, GridState& state, int with_nothing, int without_noise, int free) const {
  passes(engine, state, with_nothing, parameters_fixed);
  passes(engine, state, without_noise, {{}, false, 3});
  engine.replan(state);
  passes(engine, state, free, {});
}

GridState GridSteps::settled_on_more(GridEngine& part, const KernelSpectrum& spectrum, const ColumnBlocks& rows,
                                     Index d, const GridState& found, std::uint64_t seed, Executor& executor) const {
  const Matrix some = rows.gathered(random_subset(rows.count(), most_settled, seed, stream::settled_points));
  GridEngine engine(spectrum, some, d, &executor, &control_);
  GridState state = engine.adopt(part, found);
  settle(engine, state, most_passes_of_all);
  return state;
}

GridState GridSteps::shaken(const KernelSpectrum& spectrum, ConstMatrixRef rows, Index d, GridState best,
                            std::uint64_t seed, Executor& executor) const {
  const Index N = rows.cols(), kept = N - static_cast<Index>(share_of_shaken * static_cast<double>(N));
  GridEngine whole(spectrum, rows, d, &executor, &control_);
  for (std::uint64_t k = 0; k < shakes; ++k) {
    const Matrix some = rows(Eigen::all, random_subset(N, kept, seed, stream::shaken_points + k));
    GridEngine others(spectrum, some, d, &executor, &control_);
    GridState state = others.adopt(others, best);
    passes(others, state, 8, parameters_fixed);
    keep_better(whole, state, best);
  }
  return best;
}

GridState GridSteps::regrown(const KernelSpectrum& spectrum, ConstMatrixRef rows, Index d, GridState best,
                             std::uint64_t seed, Executor& executor) const {
  const Index N = rows.cols();
  GridEngine whole(spectrum, rows, d, &executor, &control_);
  // What the points that are in make of the process.
  const auto settled = [&](const std::vector<Index>& in, GridState state, int count) {
    const Matrix some = rows(Eigen::all, in);
    GridEngine engine(spectrum, some, d, &executor, &control_);
    state = engine.adopt(engine, state);
    passes(engine, state, count, parameters_fixed);
    return state;
  };
  for (std::uint64_t k = 0; k < regrowths; ++k) {
    Random random(seed, stream::regrown_points + k);
    const Vector along = whole.codes(best).X.transpose() * random.normals(whole.nodes().latent().dim());
    const double share = least_regrown + (most_regrown - least_regrown) * random.uniform();
    std::vector<Index> in = in_order_of(along), out;
    const auto cut = in.end() - std::max<Index>(1, static_cast<Index>(share * static_cast<double>(N)));
    out.assign(cut, in.end());
    in.erase(cut, in.end());
    GridState state = settled(in, best, 8);
    while (!out.empty()) {
      const Matrix rest = rows(Eigen::all, out);
      GridEngine outside(spectrum, rest, d, &executor, &control_);
      const std::vector<Index> nearest = in_order_of(-outside.codes(state).log_evidence);
      const double wanted = std::max(3.0, share_taken_in_again * static_cast<double>(in.size()));
      const std::size_t taken = std::min(out.size(), static_cast<std::size_t>(wanted));
      std::vector<Index> left;
      for (std::size_t i = 0; i < nearest.size(); ++i)
        (i < taken ? in : left).push_back(out[static_cast<std::size_t>(nearest[i])]);
      out = std::move(left);
      state = settled(in, std::move(state), 2);
    }
    keep_better(whole, state, best);
  }
  return best;
}

// What all points make of the process that some have found.
void GridSteps::keep_better(GridEngine& whole, const GridState& found, GridState& best) const {
  GridState state = whole.adopt(whole, found);
  passes(whole, state, 3, parameters_fixed);
  settle(whole, state, 10);
  if (state.bound < best.bound - lost_by_moves) return;
  settle(whole, state, 20);
  if (state.bound > best.bound) best = std::move(state);
}

}  // namespace wgp
