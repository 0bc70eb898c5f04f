#include "model/search.h"

#include "core/format.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "core/executor.h"
#include "gp/conditioning.h"
#include "model/checkpoint.h"
#include "model/growth.h"
#include "model/starts.h"

namespace wgp {

void in_parallel(int threads, Index count, const std::function<void(Index)>& body) {
  Executor(threads).each(count, [&](Index i, int) { body(i); });
}

double leave_one_out(const FitProblem& problem, const FitState& state) {
  const GpPosterior posterior(problem.kernel, state.theta, state.noise(), state.X, problem.V);
  return posterior.ok() ? posterior.leave_one_out(problem.V).mean() : -infinity;
}

double merit(const FitProblem& problem, const FitState& state) {
  return problem.prior.latent_precision > 0 ? leave_one_out(problem, state) : state.value;
}

namespace {

// The places that growths and moves try come from one fixed sequence, not from the user's seed: the fit is a function
// of the data, and nobody has to wonder which seed was the lucky one.
constexpr std::uint64_t tries = 0;

constexpr Index fewest_to_grow = 20;  // a chart of fewer points is no larger than its first patch
constexpr int moves_of_a_start = 4;

// What an effort is willing to spend.
struct Schedule {
  int growths, rounds, single_from;
};
Schedule schedule_of(Effort effort, Index latent_dim) {
  switch (effort) {
    case Effort::quick:
      return {0, 0, 0};
    case Effort::normal:
      // Curves get knotted: points that lie close together may be far apart along it, and untying takes many moves.
      return latent_dim == 1 ? Schedule{8, 60, 20} : Schedule{8, 20, 8};
    case Effort::thorough:
      return {24, 60, 20};
  }
  return {0, 0, 0};
}

class Search {
 public:
  Search(const FitProblem& problem, const FitOptions& options, CurveStarts curves, double to_data,
         std::uint64_t fingerprint)
      : problem_(problem),
        options_(options),
        curves_(std::move(curves)),
        to_data_(to_data),
        log_(options, fingerprint) {}

  SearchResult run() {
    standard_starts();
    const Schedule schedule = schedule_of(options_.effort, problem_.latent.dim());
    if (problem_.N() >= fewest_to_grow && going("growth", 0, schedule.growths, -infinity)) {
      growths(schedule);
      moves(schedule);
    }
    sort();
    return {std::move(found_), cancelled_};
  }

 private:
  bool going(const std::string& phase, int step, int steps, double value) {
    if (!options_.keep_going) return true;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cancelled_) return false;
    best_ = std::max(best_, value + to_data_);
    cancelled_ = !options_.keep_going({phase, step, steps, best_});
    return !cancelled_;
  }
  void sort() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.state.value > b.state.value; });
  }

  // A step that a checkpoint holds is read, any other is made, and kept unless it was cut short.
  Optimum step(const std::string& name, const std::function<Optimum()>& make) {
    if (const std::optional<Vector> finished = log_.find(name)) return unpack(*finished);
    Optimum optimum = make();
    if (!cancelled_) log_.add(name, pack(optimum));
    return optimum;
  }

  // tasks: how many of its kind run side by side; threads that are left over share the likelihood.
  Optimum converge(const std::string& kind, const FitState& start, std::size_t tasks) {
    FitProblem problem = problem_;
    problem.threads = std::max(1, options_.threads / static_cast<int>(tasks));
    OptimiseOptions options;
    options.max_iterations = options_.max_iterations;
    // Every so often, and from one thread at a time: the caller's function need not be thread-safe.
    const std::string phase = kind.starts_with("growth") ? "polish" : kind;  // growths count their own steps
    if (options_.keep_going)
      options.keep_going = [this, phase](int iteration, double value) {
        return iteration % 5 != 0 ? !cancelled_ : going(phase, iteration, options_.max_iterations, -value);
      };
    // On the sets that were tried, the last tenth of a nat took a third of the iterations.
    if (options_.effort == Effort::quick) options.progress_tolerance = 1e-7;
    options.gradient_tolerance = 1e-5 * (1 + std::abs(start.value) / static_cast<double>(problem_.N()));
    const Refined refined = refine(problem, start, problem.prior, options);
    return {kind, refined.state, refined.report, static_cast<double>(refined.report.gradients), refined.jitter, true};
  }

  // Searches grow charts later; a quick fit has to choose. Maximum likelihood has no use for principal components
  // beside a growth: of the twelve sets that were tried, none ended higher from them. The prior holds growths less
  // dear.
  std::vector<std::string> standard_kinds() const {
    const bool quick = options_.effort == Effort::quick;
    const bool grows = quick && options_.prior == Prior::none && problem_.N() >= fewest_to_grow;
    std::vector<std::string> kinds = {grows ? "growth" : "pga"};
    if (curves_.curve) kinds.push_back("curve");
    if (curves_.tour) kinds.push_back("tour");
    if (quick && !grows) kinds.push_back("mds");
    return kinds;
  }

  void standard_starts() {
    std::vector<std::string> kinds = options_.inits.empty() ? standard_kinds() : options_.inits;
    if (options_.starts > 0) kinds.resize(static_cast<std::size_t>(options_.starts), "random");
    if (problem_.N() < 4) kinds.resize(1, "pga");
    begins_with_growth_ = std::find(kinds.begin(), kinds.end(), "growth") != kinds.end();
    std::vector<FitState> starts;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      Random random(options_.seed, 100 + i);
      if (kinds[i] == "pga" || kinds[i] == "growth")
        starts.push_back(pga_start(problem_));
      else if (kinds[i] == "mds")
        starts.push_back(mds_start(problem_));
      else if (kinds[i] == "tour" && curves_.tour)
        starts.push_back(curve_start(problem_, *curves_.tour));
      else if (kinds[i] == "random")
        starts.push_back(random_start(problem_, random));
      else if (kinds[i] == "curve" && curves_.curve)
        starts.push_back(curve_start(problem_, *curves_.curve));
      else if (kinds[i] == "given" && options_.given_latents.cols() == problem_.N() &&
               options_.given_latents.rows() == problem_.latent.dim())
        starts.push_back(given_start(problem_, options_.given_latents));
      else
        throw Error(
            fmt::format("there is no start '{}'; there are pga, curve and tour (one latent dimension), mds, growth, "
                        "random and given (latents for every point)",
                        kinds[i]));
    }
    found_.resize(starts.size());
    in_parallel(options_.threads, static_cast<Index>(starts.size()), [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      found_[k] = step(fmt::format("start {} {}", i, kinds[k]), [&] {
        if (kinds[k] == "growth" && problem_.N() >= fewest_to_grow)
          if (std::optional<Optimum> grown = converged_growth(starts.size())) return *grown;
        // Kernel and noise first: with poor ones the latents would be driven off before they mean anything.
        PriorTerms parameters_only = problem_.prior;
        parameters_only.fix_latents = true;
        OptimiseOptions settling;
        settling.max_iterations = 50;
        if (options_.keep_going)
          settling.keep_going = [this](int iteration, double) {
            return iteration % 5 != 0 ? !cancelled_ : going("settling", iteration, 50, -infinity);
          };
        const Refined settled = refine(problem_, starts[k], parameters_only, settling);
        Optimum optimum = converge(kinds[k], settled.state, starts.size());
        optimum.evaluations += settled.report.gradients;
        return optimum;
      });
    });
  }

  Optimum grown_from(Index centre, std::size_t k, const std::function<bool(Index)>& keep_going) {
    Random random(tries, 1000 + k);
    Optimum optimum;
    optimum.kind = "growth";
    optimum.state = grow(problem_, centre, random, optimum.evaluations, keep_going);
    return optimum;
  }
  // A growth by itself: a few moves mend what went wrong, each at a tenth of what converging costs.
  std::optional<Optimum> converged_growth(std::size_t tasks) {
    Optimum grown = grown_from(patch_centres(problem_, 1).front(), 0, [this](Index points) {
      return going("growing", static_cast<int>(points), static_cast<int>(problem_.N()), -infinity);
    });
    if (!std::isfinite(grown.state.value)) return std::nullopt;
    for (int round = 0; round < moves_of_a_start; ++round) {
      if (!going("mending", round, moves_of_a_start, grown.state.value)) break;
      double evaluations = 0;
      const FitState trial = regrow(problem_, grown.state, round, random_of_move(round, 2), evaluations);
      take_if_better(grown, trial, evaluations);
    }
    going("mending", moves_of_a_start, moves_of_a_start, grown.state.value);
    Optimum optimum = converge(grown.kind, grown.state, tasks);
    optimum.evaluations += grown.evaluations;
    return optimum;
  }

  static Random random_of_move(int round, std::size_t trial) {
    return Random(tries, 10000 + 10 * static_cast<std::uint64_t>(round) + trial);
  }
  static void take_if_better(Optimum& optimum, const FitState& trial, double evaluations) {
    optimum.evaluations += evaluations;
    if (!(trial.value > optimum.state.value + 1e-6)) return;
    optimum.state = trial;
    if (optimum.kind.find("+moves") == std::string::npos) optimum.kind += "+moves";
  }

  void growths(const Schedule& schedule) {
    const bool begun = begins_with_growth_;  // the first one was a start already
    std::vector<Index> centres = patch_centres(problem_, schedule.growths + (begun ? 1 : 0));
    if (begun) centres.erase(centres.begin());
    std::vector<Optimum> grown(centres.size());
    std::atomic<int> finished = 0;
    const auto keep_going = [&](Index) { return going("growth", finished, schedule.growths, -infinity); };
    in_parallel(options_.threads, static_cast<Index>(centres.size()), [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      grown[k].state.value = -infinity;
      if (cancelled_) return;
      grown[k] =
          step(fmt::format("growth {}", i), [&] { return grown_from(centres[k], k + (begun ? 1 : 0), keep_going); });
      going("growth", ++finished, schedule.growths, grown[k].state.value);
    });
    for (Optimum& candidate : grown)
      if (std::isfinite(candidate.state.value)) found_.push_back(std::move(candidate));
  }

  // Remove-and-regrow on the two best, then on the best alone; the moved ones are converged at the end.
  void moves(const Schedule& schedule) {
    if (schedule.rounds == 0) return;
    sort();
    std::vector<std::size_t> leading = {0};
    if (found_.size() > 1) leading.push_back(1);
    const std::size_t moved = leading.size();
    int first_round = 0;
    if (const std::optional<Vector> finished = log_.find("moves")) {
      const MovesState state = unpack_moves(*finished);
      first_round = state.next_round;
      leading = state.leading;
      for (std::size_t k = 0; k < state.moved.size(); ++k) found_.at(k) = state.moved[k];
    }
    for (int round = first_round; round < schedule.rounds; ++round) {
      if (!going("moves", round, schedule.rounds, found_[leading[0]].state.value)) break;
      if (round == schedule.single_from && leading.size() == 2) {
        const bool first = merit(problem_, found_[leading[0]].state) >= merit(problem_, found_[leading[1]].state);
        leading = {leading[first ? 0 : 1]};
      }
      // One leading optimum: as many trials at once as the other rounds have, the best of them taken. The number does
      // not depend on the threads, or the result would.
      std::vector<FitState> trials(2);
      std::vector<double> evaluations(2, 0);
      in_parallel(options_.threads, 2, [&](Index i) {
        const auto k = static_cast<std::size_t>(i);
        const FitState& from = found_[leading[std::min(k, leading.size() - 1)]].state;
        trials[k] = regrow(problem_, from, round + static_cast<int>(k), random_of_move(round, k), evaluations[k]);
      });
      for (std::size_t k = 0; k < 2; ++k)
        take_if_better(found_[leading[std::min(k, leading.size() - 1)]], trials[k], evaluations[k]);
      log_.add(
          "moves",
          pack(MovesState{round + 1, leading, {found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(moved)}}));
    }
    in_parallel(options_.threads, static_cast<Index>(leading.size()), [&](Index i) {
      Optimum& candidate = found_[leading[static_cast<std::size_t>(i)]];
      candidate = step(fmt::format("polish {}", i), [&] {
        Optimum polished = converge(candidate.kind, candidate.state, leading.size());
        polished.evaluations += candidate.evaluations;
        polished.report.iterations += candidate.report.iterations;
        return polished;
      });
    });
  }

  const FitProblem& problem_;
  const FitOptions& options_;
  CurveStarts curves_;
  double to_data_;
  StepLog log_;
  std::vector<Optimum> found_;
  std::mutex mutex_;
  double best_ = -infinity;
  bool begins_with_growth_ = false;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace

SearchResult search_optima(const FitProblem& problem, const FitOptions& options, CurveStarts curves, double to_data,
                           std::uint64_t fingerprint) {
  return Search(problem, options, std::move(curves), to_data, fingerprint).run();
}

}  // namespace wgp
