#include "fit/process_chains.h"

#include <cmath>

#include "core/random_streams.h"
#include "evidence/process_draws.h"
#include "fit/latent_process.h"
#include "fit/variational_settings.h"

namespace wgp {

using namespace variational;

bool has_chains(const FitOptions& options, Index N, Index d) {
  return options.latent.dim() == 2 && options.latent.angles() == 0 && options.effort != Effort::quick &&
         d <= most_outputs_of_grids && N <= most_drawn;
}

std::vector<const LatentOptimum*> chain_starts(const FitProblem& problem, const FitOptions& options,
                                               const LatentOptimum& chosen, const std::vector<LatentOptimum>& optima) {
  const auto is_one = [&](const LatentOptimum& one) { return one.state.X.cols() == problem.N(); };
  std::vector<const LatentOptimum*> starts;
  if (!has_chains(options, problem.N(), problem.d()) || !is_one(chosen)) return starts;
  starts.push_back(&chosen);
  const double margin = near_bound_a_point * static_cast<double>(problem.N());
  for (const LatentOptimum& one : optima)
    if (starts.size() < most_chains && &one != &chosen && is_one(one) && std::abs(chosen.bound - one.bound) < margin &&
        std::abs(chosen.bound - one.bound) > same_bound)
      starts.push_back(&one);
  return starts;
}

Model with_draws(const Model& model, ConstMatrixRef V, const std::vector<Index>& some, const Lifting& lifting,
                 const FitProblem& problem, const std::vector<const LatentOptimum*>& starts, const ChainEffort& effort,
                 FitSession& session, Executor& executor) {
  const LatticePosteriorParts* process = lattice_parts(*model.posterior());
  if (!process || starts.empty() || some.empty()) return model;
  const auto chains = static_cast<int>(starts.size());
  std::vector<std::vector<LatticeDraw>> drawn(starts.size());
  try {
    executor.tasks(static_cast<Index>(starts.size()), [&](Index k, Executor&) {
      const FitState& state = starts[static_cast<std::size_t>(k)]->state;
      const Model::Parts own = integrated_parts(lifting, problem, session.options, state.theta,
                                                starts[static_cast<std::size_t>(k)]->noise());
      const ChainStart start{state.X(Eigen::all, some), (state.S(Eigen::all, some).array() / 2).exp(), own.theta,
                             own.noise};
      drawn[static_cast<std::size_t>(k)] =
          draw_processes(*process, V(Eigen::all, some), start, {effort.sweeps / chains, effort.draws / chains},
                         session.options.seed, stream::process_chains + static_cast<std::uint64_t>(k), session.control);
    });
  } catch (const Stopped&) {
    return model;
  }
  std::vector<LatticeDraw> all;
  for (auto& chain : drawn)
    for (LatticeDraw& draw : chain) all.push_back(std::move(draw));
  if (all.empty()) return model;
  return {model.parts(), lattice_posterior(*process, std::move(all))};
}

}  // namespace wgp
