#include "fit/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "core/format.h"
#include "core/random_streams.h"
#include "fit/growth.h"
#include "fit/settings.h"
#include "fit/starts.h"

namespace wgp {
namespace {

// The places that growths and moves try come from one fixed sequence, not from the user's seed: the fit is a function
// of the data, and nobody has to wonder which seed was the lucky one.
constexpr std::uint64_t tries = 0;

const settings::Schedule& schedule_of(Effort effort, Index latent_dim) {
  switch (effort) {
    case Effort::quick:
      break;
    case Effort::normal:
      return latent_dim == 1 ? settings::normal_schedule_of_curves : settings::normal_schedule;
    case Effort::thorough:
      return latent_dim == 1 ? settings::thorough_schedule_of_curves : settings::thorough_schedule;
  }
  return settings::quick_schedule;
}

class Search {
 public:
  Search(const FitProblem& problem, FitSession& session, const CurveStarts& curves, std::string name, double to_data,
         Effort effort, int max_iterations)
      : problem_(problem),
        session_(session),
        options_(session.options),
        curves_(curves),
        name_(std::move(name)),
        to_data_(to_data),
        effort_(effort),
        max_iterations_(max_iterations) {}

  std::vector<Optimum> run() {
    standard_starts();
    const settings::Schedule& schedule = schedule_of(effort_, problem_.latent.dim());
    if (problem_.N() >= settings::fewest_to_grow && schedule.growths > 0 &&
        going("growth", 0, schedule.growths, -infinity)) {
      growths(schedule);
      moves(schedule);
    }
    sort();
    return std::move(found_);
  }

 private:
  bool going(const std::string& phase, int step, int steps, double value) {
    return session_.control.report(phase, step, steps, value + to_data_);
  }
  bool stopped() const { return session_.control.stopped(); }
  void sort() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.state.value > b.state.value; });
  }
  template <class Make>
  Optimum step(const std::string& name, const Make& make) {
    return session_.log.step<Optimum>(
        name_ + "/" + name, [&](const Vector& numbers) { return unpack_optimum(numbers, problem_); }, make,
        [this] { return !stopped(); });
  }
  FitProblem with(Executor& executor) const {
    FitProblem problem = problem_;
    problem.executor = &executor;
    return problem;
  }

  Optimum converge(const std::string& kind, const FitState& start, Executor& executor) {
    OptimiseOptions options;
    options.max_iterations = max_iterations_;
    const std::string phase = kind.starts_with("growth") ? "polish" : kind;  // growths count their own steps
    options.keep_going = [this, phase](int iteration, double value) {
      return going(phase, iteration, max_iterations_, -value);
    };
    if (effort_ == Effort::quick) options.progress_tolerance = settings::quick_progress_tolerance;
    options.gradient_tolerance =
        settings::gradient_tolerance * (1 + std::abs(start.value) / static_cast<double>(problem_.N()));
    const Refined refined = refine(with(executor), start, options);
    return {kind, refined.state, refined.report, static_cast<double>(refined.report.gradients), refined.jitter, true};
  }

  // Searches grow charts later; a quick fit has to choose. Maximum likelihood has no use for principal components
  // beside a growth: of the twelve sets that were tried, none ended higher from them. The prior holds growths less
  // dear.
  std::vector<std::string> standard_kinds() const {
    const bool quick = effort_ == Effort::quick;
    const bool grows = quick && !problem_.has_latent_prior && problem_.N() >= settings::fewest_to_grow;
    std::vector<std::string> kinds = {grows ? "growth" : "pga"};
    if (curves_.curve) kinds.push_back("curve");
    if (curves_.tour) kinds.push_back("tour");
    if (quick && !grows && problem_.latent.plain_count() > 0) kinds.push_back("mds");  // angles alone are those of pga
    return kinds;
  }

  FitState start_of(const std::string& kind, std::size_t i) const {
    if (kind == "pga" || kind == "growth") return pga_start(problem_);
    if (kind == "mds") return mds_start(problem_);
    if (kind == "tour" && curves_.tour) return curve_start(problem_, *curves_.tour);
    if (kind == "curve" && curves_.curve) return curve_start(problem_, *curves_.curve);
    if (kind == "random") {
      Random random(options_.seed, stream::random_start + i);
      return random_start(problem_, random);
    }
    if (kind == "given" && options_.given_latents.cols() == problem_.N() &&
        options_.given_latents.rows() == problem_.latent.dim())
      return given_start(problem_, options_.given_latents);
    throw Error(
        fmt::format("there is no start '{}'; there are pga, curve and tour (one latent dimension), mds, growth, "
                    "random and given (latents for every point)",
                    kind));
  }

  void standard_starts() {
    std::vector<std::string> kinds = options_.inits.empty() ? standard_kinds() : options_.inits;
    if (options_.starts > 0) kinds.resize(static_cast<std::size_t>(options_.starts), "random");
    if (problem_.N() < 4) kinds.resize(1, "pga");
    begins_with_growth_ = std::find(kinds.begin(), kinds.end(), "growth") != kinds.end();
    // Latents that cost distances between all points can be stopped on the way; one start is always there.
    std::vector<FitState> starts;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      try {
        starts.push_back(start_of(kinds[i], i));
      } catch (const Stopped&) {
        kinds.resize(i);
      }
    }
    if (starts.empty()) {
      kinds = {"pga"};
      starts = {pga_start(problem_)};
    }
    found_.resize(starts.size());
    session_.executor.tasks(static_cast<Index>(starts.size()), [&](Index i, Executor& inner) {
      const auto k = static_cast<std::size_t>(i);
      found_[k] = step(fmt::format("start {} {}", i, kinds[k]), [&] {
        if (kinds[k] == "growth" && problem_.N() >= settings::fewest_to_grow)
          if (std::optional<Optimum> grown = converged_growth(inner)) return *grown;
        // Kernel and noise first: with poor ones the latents would be driven off before they mean anything.
        FitProblem parameters_only = with(inner);
        parameters_only.free.latents = false;
        OptimiseOptions settling;
        settling.max_iterations = settings::settling_iterations;
        settling.keep_going = [this](int iteration, double) {
          return going("settling", iteration, settings::settling_iterations, -infinity);
        };
        const Refined settled = refine(parameters_only, starts[k], settling);
        Optimum optimum = converge(kinds[k], settled.state, inner);
        optimum.evaluations += settled.report.gradients;
        return optimum;
      });
    });
  }

  // Cut short: a state of value minus infinity.
  Optimum grown_from(const FitProblem& problem, Index centre, std::size_t k,
                     const std::function<bool(Index)>& keep_going) {
    Random random(tries, stream::growth + k);
    Optimum optimum;
    optimum.kind = "growth";
    optimum.state.value = -infinity;
    try {
      optimum.state = grow(problem, centre, random, optimum.evaluations, keep_going);
    } catch (const Stopped&) {
    }
    return optimum;
  }
  // A move that is cut short is none.
  FitState moved_from(const FitProblem& problem, const FitState& state, int round, std::size_t trial,
                      double& evaluations) {
    const std::uint64_t own = stream::move + 10 * static_cast<std::uint64_t>(round) + trial;
    try {
      return regrow(problem, state, round + static_cast<int>(trial), Random(tries, own), evaluations);
    } catch (const Stopped&) {
      return state;
    }
  }
  static void take_if_better(Optimum& optimum, const FitState& trial, double evaluations) {
    optimum.evaluations += evaluations;
    if (!(trial.value > optimum.state.value + settings::least_gain)) return;
    optimum.state = trial;
    if (optimum.kind.find("+moves") == std::string::npos) optimum.kind += "+moves";
  }

  // A growth by itself: a few moves mend what went wrong, each at a tenth of what converging costs.
  std::optional<Optimum> converged_growth(Executor& executor) {
    const FitProblem problem = with(executor);
    Optimum grown = grown_from(problem, patch_centres(problem_, 1).front(), 0, [this](Index points) {
      return going("growing", static_cast<int>(points), static_cast<int>(problem_.N()), -infinity);
    });
    if (!std::isfinite(grown.state.value)) return std::nullopt;
    constexpr int rounds = settings::moves_of_a_start;
    for (int round = 0; round < rounds; ++round) {
      if (!going("mending", round, rounds, grown.state.value)) break;
      double evaluations = 0;
      Random random(tries, stream::move + 10 * static_cast<std::uint64_t>(round) + 2);
      FitState trial = grown.state;
      try {
        trial = regrow(problem, grown.state, round, random, evaluations);
      } catch (const Stopped&) {
      }
      take_if_better(grown, trial, evaluations);
    }
    going("mending", rounds, rounds, grown.state.value);
    Optimum optimum = converge(grown.kind, grown.state, executor);
    optimum.evaluations += grown.evaluations;
    return optimum;
  }

  void growths(const settings::Schedule& schedule) {
    const bool begun = begins_with_growth_;  // the first one was a start already
    std::vector<Index> centres = patch_centres(problem_, schedule.growths + (begun ? 1 : 0));
    if (begun) centres.erase(centres.begin());
    std::vector<Optimum> grown(centres.size());
    std::atomic<int> finished = 0;
    const auto keep_going = [&](Index) { return going("growth", finished, schedule.growths, -infinity); };
    session_.executor.tasks(static_cast<Index>(centres.size()), [&](Index i, Executor& inner) {
      const auto k = static_cast<std::size_t>(i);
      grown[k].state.value = -infinity;
      if (stopped()) return;
      grown[k] = step(fmt::format("growth {}", i),
                      [&] { return grown_from(with(inner), centres[k], k + (begun ? 1 : 0), keep_going); });
      going("growth", ++finished, schedule.growths, grown[k].state.value);
    });
    for (Optimum& candidate : grown)
      if (std::isfinite(candidate.state.value)) found_.push_back(std::move(candidate));
  }

  // Remove-and-regrow on the best side by side, then on the best of those; what is left is converged at the end.
  void moves(const settings::Schedule& schedule) {
    if (schedule.stages.empty()) return;
    sort();
    std::vector<std::size_t> leading(std::min(schedule.stages.front().leading, found_.size()));
    std::iota(leading.begin(), leading.end(), std::size_t{0});
    const std::size_t moved = leading.size();
    int first_round = 0;
    if (const std::optional<Vector> finished = session_.log.find(name_ + "/moves")) {
      const MovesState state = unpack_moves(*finished, problem_, moved);
      first_round = state.next_round;
      leading = state.leading;
      for (std::size_t k = 0; k < state.moved.size(); ++k) found_.at(k) = state.moved[k];
    }
    auto stage = schedule.stages.begin();
    for (int round = first_round; round < schedule.rounds(); ++round) {
      if (!going("moves", round, schedule.rounds(), found_[leading[0]].state.value)) break;
      while (round >= stage->until) ++stage;
      if (leading.size() > stage->leading) {
        std::stable_sort(leading.begin(), leading.end(),
                         [&](std::size_t a, std::size_t b) { return found_[a].state.value > found_[b].state.value; });
        leading.resize(stage->leading);
      }
      // One leading optimum: two trials at once, the best of them taken. The number does not depend on the threads, or
      // the result would.
      std::vector<FitState> trials(std::max<std::size_t>(leading.size(), 2));
      const auto moving = [&](std::size_t k) -> Optimum& { return found_[leading[std::min(k, leading.size() - 1)]]; };
      std::vector<double> evaluations(trials.size(), 0);
      session_.executor.tasks(static_cast<Index>(trials.size()), [&](Index i, Executor& inner) {
        const auto k = static_cast<std::size_t>(i);
        trials[k] = moved_from(with(inner), moving(k).state, round, k, evaluations[k]);
      });
      if (stopped()) break;
      for (std::size_t k = 0; k < trials.size(); ++k) take_if_better(moving(k), trials[k], evaluations[k]);
      session_.log.add(
          name_ + "/moves",
          pack(MovesState{round + 1, leading, {found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(moved)}}));
    }
    session_.executor.tasks(static_cast<Index>(leading.size()), [&](Index i, Executor& inner) {
      Optimum& candidate = found_[leading[static_cast<std::size_t>(i)]];
      candidate = step(fmt::format("polish {}", i), [&] {
        Optimum polished = converge(candidate.kind, candidate.state, inner);
        polished.evaluations += candidate.evaluations;
        polished.report.iterations += candidate.report.iterations;
        return polished;
      });
    });
  }

  const FitProblem& problem_;
  FitSession& session_;
  const FitOptions& options_;
  const CurveStarts& curves_;
  std::string name_;
  double to_data_;
  Effort effort_;
  int max_iterations_;
  std::vector<Optimum> found_;
  bool begins_with_growth_ = false;
};

}  // namespace

std::vector<Optimum> search_optima(const FitProblem& problem, FitSession& session, const CurveStarts& curves,
                                   const std::string& name, double to_data, Effort effort, int max_iterations) {
  return Search(problem, session, curves, name, to_data, effort, max_iterations).run();
}

}  // namespace wgp
