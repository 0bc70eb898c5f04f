#include "fit/in_a_moment.h"

#include <chrono>
#include <cmath>

#include "fit/all_points.h"
#include "fit/grid_steps.h"
#include "fit/variational_settings.h"

namespace wgp {

using namespace variational;

namespace {

class Moment {
 public:
  bool is_over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

}  // namespace

LatentOptimum in_a_moment(GridEngine& engine, BegunOnGrid begun) {
  constexpr int least_passes = 4;
  GridState& state = begun.state;
  const Moment moment;
  for (const double noise : annealing) {
    if (noise >= state.noise || moment.is_over()) continue;
    state.noise = noise;
    engine.replan(state);
    passes(engine, state, 2, {{}, false, 3});
  }
  engine.replan(state);
  const double least = least_gain_a_point * static_cast<double>(engine.points());
  double before = -infinity;
  for (int k = 0; k < most_passes && (k < least_passes || !moment.is_over()); ++k) {
    engine.pass(state, {});
    if (k % 10 != 9) continue;
    if (state.bound - before < least) break;
    before = state.bound;
    engine.replan(state);
  }
  return from_grid(begun.kind, engine, std::move(state));
}

LatentOptimum in_a_moment(FitProblem problem, LatentOptimum begun, int most) {
  problem.control = nullptr;
  const Moment moment;
  OptimiseOptions options;
  options.max_iterations = most;
  options.keep_going = [&](int, double) { return !moment.is_over(); };
  const Refined refined = refine(problem, begun.state, options);
  if (std::isfinite(refined.state.value)) begun.state = refined.state;
  if (!std::isfinite(begun.state.value)) begun.state.value = value_of(problem, begun.state);
  begun.iterations += refined.report.iterations;
  begun.bound = begun.state.value;
  return begun;
}

LatentOptimum in_a_moment(FitProblem problem, LatentOptimum begun, Executor& executor) {
  problem.control = nullptr;
  if (!has_passes(problem)) {
    begun.bound = begun.state.value = value_of(problem, begun.state);
    return begun;
  }
  constexpr int least_passes = 3;
  const Moment moment;
  return by_passes(problem, std::move(begun), executor,
                   [&](int passes) { return passes < least_passes || !moment.is_over(); });
}

}  // namespace wgp
