#include "fit/latent_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>

#include "core/format.h"
#include "evidence/inducing_evidence.h"
#include "fit/all_points.h"
#include "fit/curve_ends.h"
#include "fit/grid_steps.h"
#include "fit/in_a_moment.h"
#include "fit/reconnection.h"
#include "fit/starts.h"
#include "fit/variational_settings.h"

namespace wgp {
namespace {

using namespace variational;

// An optimum on its way to other processes.
struct ToldOptimum {
  Vector numbers;
  bool of_all = true;  // the points
  void each_part(auto&& visitor) { visitor(numbers, of_all); }
};

class LatentSearch {
 public:
  LatentSearch(const LatentSearchSetting& setting, Executor& executor)
      : setting_(setting),
        lifting_(setting.lifting),
        problem_(setting.problem),
        session_(setting.session),
        executor_(executor),
        searched_(setting),
        part_(searched_.problem),
        rows_(searched_.rows),
        spectrum_(spectrum_of(problem_)),
        grid_(problem_.latent.dim(), session_.control, lifting_.to_data()) {}

  std::vector<LatentOptimum> run() {
    const Index q = problem_.latent.dim();
    std::vector<LatentOptimum> found;
    try {
      found = q == 1 ? curves() : q == 2 && problem_.d() <= most_outputs_of_grids ? surfaces() : volumes();
    } catch (const Stopped&) {
      found.clear();
    }
    // The best comes first. Where the search had a part of the points, its bound alone is of all.
    if (found.empty()) found = {made_at_the_end()};
    return found;
  }

  std::optional<LatentOptimum> alike(const LatentOptimum& like) {
    const LatentStarts starts(setting_, searched_, executor_, like.kind.substr(0, like.kind.find(',')));
    const bool tour = family_of(like.kind) == "tour";
    densities_ = like.densities;
    std::vector<LatentOptimum> found = improved(tour ? starts.tours() : starts.common(), "alike");
    if (found.empty()) return std::nullopt;
    if (tour) finish(found, 1, "alike");
    best_first(found);
    found.resize(1);
    if (like.kind.find("reconnected") != std::string::npos) reconnect_best(found);
    if (like.grid && like.grid->outliers > 0)
      if (auto robust = with_outliers(found.front())) found.front() = std::move(*robust);
    found.front() = on_all(found.front());
    if (problem_.latent.plain_count() == 1) polish_ends(found.front());
    return found.front();
  }

 private:
  bool stopped() const { return session_.control.stopped(); }
  bool report(const std::string& phase, int step, int steps, double bound) {
    return session_.control.report(phase, step, steps, bound + lifting_.to_data());
  }
  bool quick() const { return session_.options.effort == Effort::quick; }

  // A step that a checkpoint holds is not made again. Whatever is made may be what a search that is told to end
  // returns.
  template <class Make>
  LatentOptimum step(const std::string& what, const FitProblem& problem, const Make& make) {
    LatentOptimum made = session_.log.step<LatentOptimum>(
        fmt::format("{}/{}", setting_.name, what),
        [&](const Vector& numbers) { return unpack_latent_optimum(numbers, problem); }, make,
        [&] { return !stopped(); });
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::isfinite(made.bound) && (!best_so_far_ || made.bound > best_so_far_->bound)) best_so_far_.emplace(made);
    return made;
  }

  // ---- on the grid
  // Found on a part of the points: what all of them make of it. On the grid first, where points may still move to
  // another stretch; a closed curve stays there, and so does what has points that belong to nothing.
  LatentOptimum on_all(const LatentOptimum& optimum) {
    if (searched_.is_all) return optimum;
    const bool stays = optimum.grid->outliers > 0 || problem_.latent.plain_count() == 0;
    LatentOptimum all = step("all points", problem_, [&] {
      GridEngine part(spectrum_, rows_, problem_.d(), &executor_, &session_.control),
          whole(spectrum_, problem_.outputs.rows, problem_.d(), &executor_, &session_.control);
      if (stays) {
        GridState state = whole.adopt(part, *optimum.grid);
        grid_.settle(whole, state, most_passes_of_all);
        return from_grid(optimum.kind, whole, std::move(state));
      }
      const GridState settled = grid_.settled_on_more(part, spectrum_, MatrixColumns(problem_.outputs.rows),
                                                      problem_.d(), *optimum.grid, session_.options.seed, executor_);
      LatentOptimum begun = from_grid(optimum.kind, whole, whole.adopt(part, settled));
      return by_passes(problem_, std::move(begun), executor_, session_.control, lifting_.to_data());
    });
    if (!stays && problem_.N() <= most_polished) {
      const LatentOptimum polished =
          step("polished on all", problem_, [&] { return polish(all, problem_, polishing_of_surfaces); });
      if (polished.state.value > all.state.value) all = polished;
    }
    all.bound_of_part = optimum.bound;
    return all;
  }

  // Every start improved, in their order; on as many threads as there are.
  std::vector<LatentOptimum> improved(const std::vector<LatentStart>& starts, const std::string& phase) {
    std::vector<LatentOptimum> found(starts.size());
    std::atomic<int> done = 0;
    session_.tasks(executor_, static_cast<Index>(starts.size()), [&](Index i, Executor& inner) {
      const LatentStart& start = starts[static_cast<std::size_t>(i)];
      found[static_cast<std::size_t>(i)] = step(fmt::format("{} {}", phase, i), part_, [&] {
        GridEngine engine(spectrum_, rows_, problem_.d(), &inner, &session_.control, densities_);
        GridState state = begin_at(start, engine);
        try {
          if (start.annealed)
            grid_.anneal(engine, state);
          else
            grid_.warm(engine, state, 4, 6, 12);
          if (start.to_the_end) grid_.settle(engine, state, most_passes);
        } catch (const Stopped&) {
          const std::lock_guard<std::mutex> lock(mutex_);
          if (!begun_ || state.passes > begun_->state.passes) begun_ = BegunOnGrid{start.kind, std::move(state)};
          throw;
        }
        return from_grid(start.kind, engine, std::move(state));
      });
      if (!report(phase, ++done, static_cast<int>(starts.size()), -infinity)) throw Stopped();
    });
    return found;
  }

  static void best_first(std::vector<LatentOptimum>& found) {
    std::stable_sort(found.begin(), found.end(),
                     [](const LatentOptimum& a, const LatentOptimum& b) { return a.bound > b.bound; });
  }

  // The best of what was begun, and the best of each kind: those that wind more take longer to show what they are
  // worth. To the end; the rest is given up.
  void finish(std::vector<LatentOptimum>& begun, std::size_t kept, const std::string& phase) {
    best_first(begun);
    std::vector<LatentOptimum> promising;
    std::set<std::string> kinds;
    for (LatentOptimum& one : begun)
      if (kinds.insert(one.kind).second || promising.size() < kept) promising.push_back(std::move(one));
    begun = std::move(promising);
    session_.tasks(executor_, static_cast<Index>(begun.size()), [&](Index i, Executor& inner) {
      LatentOptimum& one = begun[static_cast<std::size_t>(i)];
      one = step(fmt::format("{} finished {}", phase, i), part_, [&] {
        GridEngine engine(spectrum_, rows_, problem_.d(), &inner, &session_.control, densities_);
        GridState state = *one.grid;
        grid_.settle(engine, state, most_passes);
        return from_grid(one.kind, engine, std::move(state));
      });
    });
  }

  // ---- one coordinate
  // Of a closed curve first with its latents evenly around it, then with their density learned from the start. Both are
  // needed: evenly, points that belong to nothing are too dear to be walked to; unevenly, gaps stay open.
  std::vector<LatentOptimum> curves() {
    const bool closed = problem_.latent.angles() == 1;
    densities_ = closed ? AngleDensities::uniform : AngleDensities::learned;
    std::vector<LatentOptimum> found = found_curves("");
    if (closed) {
      densities_ = AngleDensities::learned;
      session_.tasks(executor_, static_cast<Index>(found.size()), [&](Index i, Executor& inner) {
        LatentOptimum& one = found[static_cast<std::size_t>(i)];
        one = step(fmt::format("uneven {}", i), part_, [&] {
          GridEngine engine(spectrum_, rows_, problem_.d(), &inner, &session_.control);
          GridState state = *one.grid;
          grid_.settle(engine, state, most_passes);
          return from_grid(one.kind, engine, std::move(state));
        });
      });
      for (LatentOptimum& one : found_curves(" uneven")) add_unless_known(found, std::move(one));
      best_first(found);
    }
    found.front() = on_all(found.front());
    if (problem_.latent.plain_count() == 1) {
      polish_ends(found.front());
      for (const std::size_t k : nearly_as_high(found, part_.N())) polish_ends(found[k]);
    }
    return found;
  }
  // Best first. how: added to the names of steps.
  std::vector<LatentOptimum> found_curves(const std::string& how) {
    how_ = how;
    std::vector<LatentOptimum> found = improved(starts_.common(), "starts" + how);
    std::vector<LatentOptimum> rough = improved(starts_.tours(), "tours" + how);
    finish(rough, finished_tours, "tours" + how);
    for (LatentOptimum& one : rough) found.push_back(std::move(one));
    if (found.empty()) found = improved({starts_.components()}, "components" + how);
    best_first(found);
    if (!quick()) reconnect_best(found);
    best_first(found);
    if (auto robust = with_outliers(found.front())) found.push_back(std::move(*robust));
    best_first(found);
    return found;
  }

  // The best few that differ.
  void reconnect_best(std::vector<LatentOptimum>& found) {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < found.size() && chosen.size() < reconnected; ++k)
      if (chosen.empty() || found[chosen.back()].bound - found[k].bound > same_bound) chosen.push_back(k);
    session_.tasks(executor_, static_cast<Index>(chosen.size()), [&](Index i, Executor& inner) {
      LatentOptimum& one = found[chosen[static_cast<std::size_t>(i)]];
      one = step(fmt::format("reconnected{} {}", how_, i), part_, [&] {
        LatentOptimum better = one;
        reconnect(better, inner);
        return better;
      });
    });
  }

  // Where a curve comes near itself: the stretch between walked the other way.
  void reconnect(LatentOptimum& best, Executor& inner) {
    const CurveEnds ends = problem_.latent.angles() == 1 ? CurveEnds::closed : CurveEnds::open;
    GridEngine engine(spectrum_, rows_, problem_.d(), &inner, &session_.control, densities_);
    for (int round = 0; round < 2; ++round) {
      const Matrix curve = engine.means(*best.grid);
      const double sd = std::sqrt(best.grid->noise);
      const int before = crossings(curve, ends, sd);
      std::optional<LatentOptimum> better;
      for (const auto& [a, b] : near_passes(curve, ends, 4 * sd, most_reconnections)) {
        GridState state = *best.grid;
        for (Index g = a; g <= b; ++g) {
          state.sums.mass[g] = best.grid->sums.mass[a + b - g];
          state.sums.pull.col(g) = best.grid->sums.pull.col(a + b - g);
        }
        state.noise *= 1.5;
        passes(engine, state, 6, {{}, false, 3});
        grid_.settle(engine, state, most_passes);
        if (!(state.bound > (better ? better->bound : best.bound + reconnection_must_pay))) continue;
        // The bound alone is no test: a crossing between two turns that run side by side costs next to nothing.
        const Matrix after = engine.means(state);
        const double reach = std::sqrt(state.noise);
        if (crossings(after, ends, reach) <= before || goes_across(after, ends, reach))
          better = from_grid(best.kind + ", reconnected", engine, std::move(state));
      }
      if (!better) break;
      best = std::move(*better);
    }
  }

  // With a share of points that belong to no curve; nothing unless the bound says that it pays.
  std::optional<LatentOptimum> with_outliers(const LatentOptimum& best) {
    if (session_.options.outliers == OutlierRule::none || part_.N() < fewest_for_outliers || !best.grid)
      return std::nullopt;
    LatentOptimum robust = step("outliers" + how_, part_, [&] {
      GridEngine engine(spectrum_, rows_, problem_.d(), &executor_, &session_.control, densities_);
      GridState state = *best.grid;
      state.outliers = first_share_of_outliers;
      grid_.settle(engine, state, most_passes);
      return from_grid(best.kind + ", outliers", engine, std::move(state));
    });
    if (!(robust.bound > best.bound + outliers_must_pay)) return std::nullopt;
    // A few points of a part may lie beyond the others of the part alone.
    const bool is_part = setting_.of_more || !searched_.is_all;
    if (is_part && robust.grid->outliers < least_outliers_of_a_part) return std::nullopt;
    return robust;
  }

  // The grid ends at three standard deviations; an open curve's ends need not.
  void polish_ends(LatentOptimum& one) {
    if (!one.grid || one.grid->outliers > 0 || one.state.X.cols() != problem_.N()) return;
    const LatentOptimum polished = step(fmt::format("ends of {}", one.kind), problem_, [&] {
      LatentOptimum better = polish(one, problem_, polishing_of_lines);
      if (std::isfinite(better.state.value)) better.state = with_ends_drawn_in(problem_, better.state);
      return better;
    });
    if (!std::isfinite(polished.state.value)) return;
    one.state = polished.state;
    one.iterations = polished.iterations;
    one.by_grid = false;
  }

  // ---- with normal q(x)
  LatentOptimum polish(const LatentOptimum& from, const FitProblem& problem, int iterations) {
    LatentOptimum optimum = from;
    OptimiseOptions options;
    options.progress_tolerance = 1e-8;
    iterations = std::min(iterations, session_.options.max_iterations);
    int done = 0;
    while (done < iterations) {
      options.max_iterations = std::min(replan_every, iterations - done);
      options.keep_going = [&](int iteration, double value) {
        return report("latents", done + iteration, iterations, -value);
      };
      const Refined refined = refine(problem, optimum.state, options);
      optimum.state = refined.state;
      optimum.jitter = std::max(optimum.jitter, refined.jitter);
      done += std::max(1, refined.report.iterations);
      if (refined.report.stop != StopReason::max_iterations) break;
    }
    optimum.iterations += done;
    optimum.bound = optimum.state.value;
    optimum.by_grid = false;
    return optimum;
  }

  // ---- two coordinates
  std::vector<LatentOptimum> surfaces() {
    std::vector<LatentOptimum> found = improved(starts_.common(), "starts");
    std::vector<LatentOptimum> grown = improved(starts_.growths(growths_of_surfaces), "growths");
    finish(grown, finished_growths, "growths");
    for (LatentOptimum& one : grown) found.push_back(std::move(one));
    if (found.empty()) found = improved({starts_.components()}, "components");
    best_first(found);
    if (!quick()) {
      const auto moved = [&](const char* what, auto move) {
        found.front() = step(what, part_, [&] {
          GridEngine engine(spectrum_, rows_, problem_.d(), &executor_, &session_.control);
          return from_grid(
              found.front().kind, engine,
              (grid_.*move)(spectrum_, rows_, problem_.d(), *found.front().grid, session_.options.seed, executor_));
        });
      };
      moved("regrown", &GridSteps::regrown);
      moved("shaken", &GridSteps::shaken);
    }
    std::optional<LatentOptimum> robust = with_outliers(found.front());
    for (std::size_t k = 0; k < std::min(found.size(), polished_surfaces); ++k) {
      LatentOptimum polished = step(fmt::format("polished {}", k), part_, [&] {
        LatentOptimum one = polish(found[k], part_, polishing_of_surfaces);
        if (std::isfinite(one.state.value)) judge_on_grid(one);
        return one;
      });
      if (!std::isfinite(polished.state.value)) continue;
      if (polished.bound > found[k].bound) {
        polished.kind = found[k].kind;
        found[k] = std::move(polished);
      }
    }
    if (robust) found.push_back(std::move(*robust));
    best_first(found);
    if (!searched_.is_all) found.front() = on_all(found.front());
    return found;
  }

  // Its bound with q(x) as free as a grid allows: what optima of all kinds can be compared by.
  void judge_on_grid(LatentOptimum& optimum) {
    GridEngine engine(spectrum_, rows_, problem_.d(), &executor_, &session_.control);
    GridState state = engine.begin(optimum.state.X, optimum.state.S.array().exp().max(1e-3), optimum.state.theta,
                                   optimum.state.noise());
    const double least = least_gain_a_point * static_cast<double>(engine.points());
    engine.pass(state, parameters_fixed);
    for (int round = 0; round < 6; ++round) {
      const double before = state.bound;
      passes(engine, state, 5, parameters_fixed);
      if (state.bound - before < least) break;
    }
    optimum.bound = state.bound;
    optimum.grid = std::move(state);
  }

  // ---- three coordinates, or long vectors
  std::vector<LatentOptimum> volumes() {
    std::vector<LatentStart> starts = starts_.common();
    for (LatentStart& start : starts_.growths(growths_of_volumes)) starts.push_back(std::move(start));
    if (starts.empty()) starts.push_back(starts_.components());
    std::vector<LatentOptimum> found(starts.size());
    session_.tasks(executor_, static_cast<Index>(starts.size()), [&](Index i, Executor& inner) {
      const LatentStart& start = starts[static_cast<std::size_t>(i)];
      found[static_cast<std::size_t>(i)] =
          step(fmt::format("normal {}", i), part_, [&] { return polished_from(start, inner); });
    });
    best_first(found);
    if (!searched_.is_all && !found.empty())
      found.front() = step("all points", problem_, [&] { return spread_out(found.front()); });
    return found;
  }
  // In more coordinates than a lattice has the process is seen through inducing inputs, and distances grow.
  void begin_inducing(FitState& state) const {
    const Index q = problem_.latent.dim();
    if (q <= 3) return;
    state.Z = inducing_inputs(state.X);
    for (const Index i : problem_.kernel->length_parameters()) state.theta[i] = 0.5 * std::log(static_cast<double>(q));
  }
  // The noise waits until latents mean something.
  LatentOptimum polished_from(const LatentStart& start, Executor& inner) {
    LatentOptimum optimum;
    optimum.kind = start.kind;
    optimum.state.X = start.X;
    const bool grown = !start.annealed;
    optimum.state.S =
        Matrix::Constant(start.X.rows(), start.X.cols(), std::log(grown ? std::min(0.01, 15 * start.S) : 0.01));
    optimum.state.theta = start.theta;
    optimum.state.u = std::log(grown ? start.noise : 0.05);
    begin_inducing(optimum.state);
    FitProblem own = part_;
    own.executor = &inner;
    FitProblem quiet = own;
    quiet.free.noise = false;
    optimum = polish(optimum, quiet, settling_of_volumes);
    return polish(optimum, own, polishing_of_volumes);
  }
  // Points that were not searched on begin where their nearest is.
  LatentOptimum spread_out(const LatentOptimum& optimum) {
    const std::vector<Index> nearest = nearest_columns(rows_, problem_.outputs.rows, executor_, session_.control);
    LatentOptimum all = optimum;
    all.state.X = optimum.state.X(Eigen::all, nearest);
    all.state.S = optimum.state.S(Eigen::all, nearest);
    if (has_passes(problem_))
      return by_passes(problem_, std::move(all), executor_, session_.control, lifting_.to_data());
    return polish(all, problem_, polishing_of_surfaces);
  }

  // ---- told to end before anything was finished
  // The best so far, or what can be had in a moment. That goes by the clock: over ranks one makes it, for all.
  LatentOptimum made_at_the_end() {
    const auto make = [&](Executor& with) {
      return best_so_far_ ? everywhere(*best_so_far_, with) : what_is_cheap(with);
    };
    if (!executor_.ranks()) return make(executor_);
    const ToldOptimum told = std::move(executor_.made_over_ranks<ToldOptimum>(1, [&](Index, Executor& inner) {
      const LatentOptimum made = make(inner);
      return ToldOptimum{pack(made), made.state.X.cols() == problem_.N()};
    })[0]);
    return unpack_latent_optimum(told.numbers, told.of_all ? problem_ : part_);
  }
  // The start that got farthest, or components.
  LatentOptimum what_is_cheap(Executor& with) {
    if (problem_.latent.dim() == 1 || (problem_.latent.dim() == 2 && problem_.d() <= most_outputs_of_grids)) {
      GridEngine engine(spectrum_, rows_, problem_.d(), &with, nullptr);
      return in_a_moment(engine, begun_ ? *begun_ : BegunOnGrid{"pga", begin_at(starts_.components(), engine)});
    }
    LatentOptimum optimum;
    optimum.kind = "pga";
    optimum.state.X = at_unit_variance(problem_.latent, pga_start(part_).X);
    optimum.state.theta = start_parameters(problem_, 0);
    optimum.state.u = std::log(annealing[1]);
    optimum.state.S = Matrix::Constant(optimum.state.X.rows(), optimum.state.X.cols(), std::log(0.02));
    begin_inducing(optimum.state);
    const int most = std::min(polishing_of_volumes, session_.options.max_iterations);
    return everywhere(in_a_moment(part_, std::move(optimum), most), with);
  }
  // What was found on a part, and says nothing of the others but by its points' latents.
  LatentOptimum everywhere(LatentOptimum optimum, Executor& with) {
    if (optimum.grid || optimum.state.X.cols() == problem_.N()) return optimum;
    RunControl never_stops;
    const std::vector<Index> nearest = nearest_columns(rows_, problem_.outputs.rows, with, never_stops);
    optimum.state.X = Matrix(optimum.state.X(Eigen::all, nearest));
    optimum.state.S = Matrix(optimum.state.S(Eigen::all, nearest));
    return in_a_moment(problem_, std::move(optimum), with);
  }

  const LatentSearchSetting setting_;
  const Lifting& lifting_;
  const FitProblem& problem_;
  FitSession& session_;
  Executor& executor_;
  const SearchedPart searched_;
  const FitProblem& part_;
  const Matrix& rows_;
  const KernelSpectrum spectrum_;
  const GridSteps grid_;
  const LatentStarts starts_{setting_, searched_, executor_};
  std::mutex mutex_;
  std::optional<LatentOptimum> best_so_far_;
  std::optional<BegunOnGrid> begun_;
  AngleDensities densities_ = AngleDensities::learned;
  std::string how_;
};

}  // namespace

std::vector<LatentOptimum> search_latents(const LatentSearchSetting& setting) {
  return LatentSearch(setting, setting.session.executor).run();
}

std::optional<LatentOptimum> search_alike(const LatentSearchSetting& setting, const LatentOptimum& like,
                                          Executor& executor) {
  return LatentSearch(setting, executor).alike(like);
}

}  // namespace wgp
