#include "fit/grid_steps.h"

#include <cmath>

#include "core/random_streams.h"
#include "fit/random_subset.h"
#include "fit/variational_settings.h"

namespace wgp {

using namespace variational;

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

GridState GridSteps::shaken(const KernelSpectrum& spectrum, ConstMatrixRef rows, Index d, GridState best,
                            std::uint64_t seed, Executor& executor) const {
  const Index N = rows.cols(), kept = N - static_cast<Index>(share_of_shaken * static_cast<double>(N));
  GridEngine whole(spectrum, rows, d, &executor, &control_);
  for (std::uint64_t k = 0; k < shakes; ++k) {
    const Matrix some = rows(Eigen::all, random_subset(N, kept, seed, stream::shaken_points + k));
    GridEngine others(spectrum, some, d, &executor, &control_);
    GridState state = others.adopt(others, best);
    passes(others, state, 8, parameters_fixed);
    state = whole.adopt(others, state);
    passes(whole, state, 3, parameters_fixed);
    settle(whole, state, 10);
    if (state.bound < best.bound - lost_by_shaking) continue;
    settle(whole, state, 20);
    if (state.bound > best.bound) best = std::move(state);
  }
  return best;
}

}  // namespace wgp
