#include "fit/all_points.h"

#include <algorithm>
#include <cmath>

#include "fit/grid_steps.h"
#include "fit/variational_settings.h"

namespace wgp {

using namespace variational;

std::vector<Index> nearest_columns(ConstMatrixRef known, ConstMatrixRef columns, Executor& executor,
                                   RunControl& control) {
  constexpr Index at_once = 512;
  const Index N = columns.cols();
  const Vector squares = known.colwise().squaredNorm().transpose();
  std::vector<Index> nearest(static_cast<std::size_t>(N));
  executor.each((N + at_once - 1) / at_once, [&](Index b, int) {
    control.check();
    const Index first = b * at_once;
    const auto V = columns.middleCols(first, std::min(at_once, N - first));
    Matrix far = -2 * known.transpose() * V;
    far.colwise() += squares;
    for (Index i = 0; i < V.cols(); ++i) far.col(i).minCoeff(&nearest[static_cast<std::size_t>(first + i)]);
  });
  return nearest;
}

bool has_passes(const FitProblem& problem) { return problem.latent.dim() <= 3; }

void run_passes(NormalPasses& passes, PassState& state, RunControl& control, Index N, double to_data) {
  const double least = least_gain_of_ten_passes * static_cast<double>(N);
  double before = -infinity;
  for (int k = 0; k < most_normal_passes; ++k) {
    if (k == first_replan || (k > 0 && k % replan_passes_every == 0)) passes.replan(state);
    passes.pass(state, {});
    if (!control.report("all points", k + 1, most_normal_passes, state.bound + to_data)) throw Stopped();
    if (k % 10 != 9) continue;
    if (state.bound - before < least) break;
    before = state.bound;
  }
}

namespace {

LatentOptimum ended(const NormalPasses& passes, PassState state, LatentOptimum optimum) {
  passes.share_latents(state);
  optimum.state.X = std::move(state.points.X);
  optimum.state.S = state.points.S.array().log();
  optimum.state.theta = state.theta;
  optimum.state.u = std::log(std::max(state.noise - noise_floor, 1e-12));
  optimum.state.value = optimum.bound = state.bound;
  optimum.iterations += state.passes;
  optimum.grid.reset();
  optimum.by_grid = false;
  return optimum;
}

PassState begun(NormalPasses& passes, const LatentOptimum& optimum) {
  return passes.begin(optimum.state.X, optimum.state.S.array().exp(), optimum.state.theta, optimum.noise());
}

}  // namespace

LatentOptimum by_passes(const FitProblem& problem, LatentOptimum optimum, Executor& executor, RunControl& control,
                        double to_data) {
  const KernelSpectrum spectrum = spectrum_of(problem);
  const MatrixColumns vectors(problem.outputs.rows);
  NormalPasses passes(spectrum, vectors, problem.d(), &executor, &control);
  PassState state = begun(passes, optimum);
  run_passes(passes, state, control, problem.N(), to_data);
  return ended(passes, std::move(state), std::move(optimum));
}

LatentOptimum by_passes(const FitProblem& problem, LatentOptimum optimum, Executor& executor,
                        const std::function<bool(int passes)>& goes_on) {
  const KernelSpectrum spectrum = spectrum_of(problem);
  const MatrixColumns vectors(problem.outputs.rows);
  NormalPasses passes(spectrum, vectors, problem.d(), &executor, nullptr);
  PassState state = begun(passes, optimum);
  while (state.passes < most_normal_passes && goes_on(state.passes)) passes.pass(state, {});
  return ended(passes, std::move(state), std::move(optimum));
}

}  // namespace wgp
