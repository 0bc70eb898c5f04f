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

namespace {

ChainStart start_of(const ChainSetting& setting, const LatentOptimum& optimum) {
  const FitState& state = optimum.state;
  const Model::Parts own =
      integrated_parts(setting.lifting, setting.problem, setting.session.options, state.theta, optimum.noise());
  return {state.X(Eigen::all, setting.some), (state.S(Eigen::all, setting.some).array() / 2).exp(), own.theta,
          own.noise};
}

}  // namespace

std::vector<LatticeDraw> drawn_from(const ChainSetting& setting, const LatentOptimum& start, const ChainEffort& effort,
                                    std::uint64_t which) {
  const LatticePosteriorParts* process = lattice_parts(*setting.model.posterior());
  if (!process || setting.some.empty()) return {};
  return draw_processes(*process, setting.V(Eigen::all, setting.some), start_of(setting, start),
                        {effort.sweeps, effort.draws}, setting.session.options.seed, stream::process_chains + which,
                        setting.session.control);
}

Model with_draws(const ChainSetting& setting, const std::vector<const LatentOptimum*>& starts,
                 const ChainEffort& effort) {
  const LatticePosteriorParts* process = lattice_parts(*setting.model.posterior());
  if (!process || setting.some.empty()) return setting.model;
  // The lattice was made for the chosen optimum. On it another may be much lower than its bound says, or lie beyond it.
  std::vector<const LatentOptimum*> held;
  for (const LatentOptimum* one : starts)
    if (is_held(*process, start_of(setting, *one), near_bound_a_point)) held.push_back(one);
  if (held.empty()) return setting.model;
  const auto chains = static_cast<int>(held.size());
  std::vector<LatticeDraw> all;
  try {
    for (auto& drawn :
         setting.session.executor.made_over_ranks<std::vector<LatticeDraw>>(chains, [&](Index k, Executor&) {
           return drawn_from(setting, *held[static_cast<std::size_t>(k)],
                             {effort.sweeps / chains, effort.draws / chains}, static_cast<std::uint64_t>(k));
         }))
      for (LatticeDraw& draw : drawn) all.push_back(std::move(draw));
  } catch (const Stopped&) {
    return setting.model;
  }
  return with_draws(setting.model, std::move(all));
}

Model with_draws(const Model& model, std::vector<LatticeDraw> draws) {
  if (draws.empty()) return model;
  return {model.parts(), lattice_posterior(*lattice_parts(*model.posterior()), std::move(draws))};
}

}  // namespace wgp
