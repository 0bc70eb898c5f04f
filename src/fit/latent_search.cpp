#include "fit/latent_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>
#include <set>

#include "core/format.h"
#include "core/random_streams.h"
#include "evidence/inducing_evidence.h"
#include "fit/growth.h"
#include "fit/polygon_starts.h"
#include "fit/reconnection.h"
#include "fit/settings.h"
#include "fit/starts.h"
#include "fit/variational_settings.h"
#include "gp/lattice_posterior.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

using namespace variational;

KernelSpectrum spectrum_of(const FitProblem& problem) {
  return {problem.latent, *spectral_terms(*problem.kernel, problem.latent), problem.kernel->parameter_count()};
}

Vector start_parameters(const FitProblem& problem, double log_length) {
  Vector theta = problem.kernel->default_parameters();
  for (const Index i : problem.kernel->length_parameters()) theta[i] = log_length;
  for (const Index i : problem.kernel->angle_length_parameters()) theta[i] = log_length;
  // A sum of kernels shares the variance.
  const auto amplitudes = problem.kernel->amplitude_parameters();
  for (const Index i : amplitudes) theta[i] = -std::log(static_cast<double>(amplitudes.size()));
  return theta;
}

// A pass that leaves kernel and noise as they are.
const GridEngine::Pass parameters_fixed = {{}, false, 0};

// A random subset of this size, in order; all if there are no more.
std::vector<Index> some_of(Index N, Index most, std::uint64_t seed,
                           std::uint64_t stream_of = stream::variational_subset) {
  std::vector<Index> all(static_cast<std::size_t>(N));
  std::iota(all.begin(), all.end(), Index{0});
  if (N <= most) return all;
  Random random(seed, stream_of);
  for (Index i = 0; i < most; ++i)
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i + random.below(N - i))]);
  all.resize(static_cast<std::size_t>(most));
  std::sort(all.begin(), all.end());
  return all;
}

// What a grid makes of each point's latent, as means and variances.
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

class LatentSearch {
 public:
  LatentSearch(const LatentSearchSetting& setting, Executor& executor)
      : setting_(setting),
        lifting_(setting.lifting),
        problem_(setting.problem),
        session_(setting.session),
        executor_(executor),
        spectrum_(spectrum_of(problem_)),
        members_(some_of(problem_.N(), most_searched, session_.options.seed)),
        part_(members_.size() == static_cast<std::size_t>(problem_.N()) ? problem_ : problem_.subset(members_)),
        all_rows_(problem_.outputs.rows),
        rows_(all_rows_(Eigen::all, members_)) {}

  std::vector<LatentOptimum> run() {
    const Index q = problem_.latent.dim();
    std::vector<LatentOptimum> found;
    try {
      found = q == 1 ? curves() : q == 2 && problem_.d() <= most_outputs_of_grids ? surfaces() : volumes();
    } catch (const Stopped&) {
      if (best_so_far_) found = {std::move(*best_so_far_)};
    }
    // The best comes first. Where the search had a part of the points, its bound alone is of all.
    if (found.empty()) found = {fallback()};
    return found;
  }

  std::optional<LatentOptimum> alike(const LatentOptimum& like) {
    only_ = like.kind.substr(0, like.kind.find(','));
    std::vector<LatentOptimum> found = improved(family() == "tour" ? tours() : common_starts(), "alike");
    if (found.empty()) return std::nullopt;
    if (family() == "tour") finish(found, 1, "alike");
    best_first(found);
    found.resize(1);
    if (like.kind.find("reconnected") != std::string::npos) reconnect_best(found);
    if (like.grid && like.grid->outliers > 0)
      if (auto robust = with_outliers(found.front())) found.front() = std::move(*robust);
    found.front() = on_all(found.front());
    if (problem_.latent.plain_count() == 1) polish_ends(found);
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

  // ---- starts, of the searched part
  struct Start {
    std::string kind;
    Matrix X;
    Vector theta;
    double noise = 0, S = 0;
    bool annealed = true;     // begins with much noise, which forgets the start; if not, latents wait for the rest
    bool to_the_end = false;  // though not annealed
  };
  Start annealed(std::string kind, Matrix X) const {
    return {std::move(kind), std::move(X), start_parameters(problem_, 0), annealing[0], start_variance, true};
  }
  // Latents that mean something: with little noise from the beginning.
  Start kept(std::string kind, Matrix X) const {
    Start start = annealed(std::move(kind), std::move(X));
    start.noise = noise_of_kept_starts;
    start.annealed = false;
    start.to_the_end = true;
    return start;
  }
  // "tour" of "tour 30".
  std::string family() const { return only_.substr(0, only_.find(' ')); }
  // Whether a start was asked for, or nobody said anything and it is one of those of a search that takes its time.
  bool wants(const char* kind, bool by_itself) const {
    if (!only_.empty()) return kind == family();
    const std::vector<std::string>& inits = session_.options.inits;
    return inits.empty() ? by_itself : std::find(inits.begin(), inits.end(), kind) != inits.end();
  }
  std::vector<Start> common_starts() {
    const FitOptions& options = session_.options;
    const Index q = problem_.latent.dim(), angles = problem_.latent.angles();
    std::vector<Start> starts;
    if (wants("pga", true)) starts.push_back(annealed("pga", pga_start(part_).X));
    if (wants("isomap", !quick()) && part_.N() > 2 * q + 2) {
      const Matrix distance = euclidean_distances(rows_, &session_.control);
      const Matrix scaled =
          scaled_path_lengths(distance, 2 * angles + problem_.latent.plain_count(), &session_.control);
      Matrix X(q, part_.N());
      for (Index j = 0; j < angles; ++j)
        for (Index n = 0; n < X.cols(); ++n) X(j, n) = std::atan2(scaled(2 * j + 1, n), scaled(2 * j, n));
      X.bottomRows(q - angles) = scaled.bottomRows(q - angles);
      starts.push_back(annealed("isomap", X));
    }
    if (wants("curve", false) && q == 1 && part_.N() >= settings::fewest_points_of_a_curve) {
      CurveOptions curve;
      curve.topology = angles == 1 ? CurveOptions::Topology::closed : CurveOptions::Topology::open;
      starts.push_back(
          kept("curve", at_unit_variance(principal_curve(*lifting_.manifold, part_.P, curve).latents.transpose())));
    }
    if (wants("given", false)) {
      Matrix X(q, part_.N());
      for (Index n = 0; n < X.cols(); ++n)
        X.col(n) =
            options.given_latents.col(setting_.rows[static_cast<std::size_t>(members_[static_cast<std::size_t>(n)])]);
      starts.push_back(kept("given", std::move(X)));
    }
    const auto asked = static_cast<std::uint64_t>(std::max(0, options.starts - static_cast<int>(starts.size())));
    const std::uint64_t random_count = options.starts > 0 ? asked
                                       : wants("random", options.effort == Effort::thorough)
                                           ? (options.inits.empty() ? random_starts : 1)
                                           : 0;
    for (std::uint64_t k = 0; k < random_count; ++k) {
      const std::string kind = fmt::format("random {}", k + 1);
      if (!only_.empty() && kind != only_) continue;
      Random random(options.seed, stream::random_start + k);
      starts.push_back(annealed(kind, random_start(part_, random).X));
    }
    return starts;
  }
  // Plain coordinates, whose prior is N(0, 1).
  Matrix at_unit_variance(Matrix X) const {
    for (Index j = problem_.latent.angles(); j < X.rows(); ++j) {
      X.row(j).array() -= X.row(j).mean();
      X.row(j) /= std::max(1e-300, std::sqrt(X.row(j).squaredNorm() / static_cast<double>(X.cols())));
    }
    return X;
  }
  std::vector<Start> tours() {
    std::vector<Start> starts;
    if (!wants("tour", !quick())) return starts;
    const bool closed = problem_.latent.angles() == 1;
    for (const Index K : tour_sizes) {
      if (K > part_.N() / 3) break;
      const std::string kind = fmt::format("tour {}", K);
      if (!only_.empty() && kind != only_) continue;
      for (std::uint64_t k = 0; k < tours_of_a_size; ++k) {
        session_.control.check();
        Random random(session_.options.seed, stream::variational_tours + 16 * static_cast<std::uint64_t>(K) + k);
        const PolygonStart polygon =
            polygon_start(rows_, cluster_centres(rows_, K, random), closed ? Way::closed : Way::open, random);
        Start start;
        start.kind = kind;
        start.X = polygon.x.transpose();
        start.theta = start_parameters(problem_, std::log(closed ? tour_length_of_angles : tour_length_of_lines));
        start.noise = std::clamp(polygon.residual / static_cast<double>(problem_.d()), 1e-4, 0.5);
        const double width = (closed ? std::numbers::pi : 1.73) / static_cast<double>(K);
        const double step = closed ? 2 * std::numbers::pi / 400 : 6.0 / 399;
        start.S = std::clamp(width * width, step * step / 4, 0.05);
        start.annealed = false;
        starts.push_back(std::move(start));
      }
    }
    return starts;
  }

  // ---- on the grid
  GridState begin(GridEngine& engine, const Start& start) const {
    return engine.begin(start.X, Matrix::Constant(start.X.rows(), start.X.cols(), start.S), start.theta, start.noise);
  }
  void passes(GridEngine& engine, GridState& state, int count, const GridEngine::Pass& pass) const {
    for (int k = 0; k < count; ++k) engine.pass(state, pass);
  }
  // Until ten passes in a row gain next to nothing.
  void settle(GridEngine& engine, GridState& state, int most) {
    const double least = least_gain_a_point * static_cast<double>(engine.points());
    const int every = problem_.latent.dim() == 1 ? 1 : parameters_of_surfaces_every;
    for (int round = 0; round * 10 < most; ++round) {
      engine.replan(state);
      engine.pass(state, {});
      const double before = state.bound;
      for (int k = 1; k <= 9; ++k) engine.pass(state, k % every == 0 ? GridEngine::Pass{} : parameters_fixed);
      if (!report("curves and surfaces", state.passes, most_passes, state.bound)) throw Stopped();
      if (state.bound - before < least) break;
    }
  }
  void anneal(GridEngine& engine, GridState& state) {
    for (const double noise : annealing) {
      state.noise = noise;
      engine.replan(state);
      passes(engine, state, 6, {{}, false, 3});
    }
    settle(engine, state, most_passes);
  }
  void warm(GridEngine& engine, GridState& state, int with_nothing, int without_noise, int free) {
    passes(engine, state, with_nothing, parameters_fixed);
    passes(engine, state, without_noise, {{}, false, 3});
    engine.replan(state);
    passes(engine, state, free, {});
  }
  // Found on a part of the points: what all of them make of it.
  LatentOptimum on_all(const LatentOptimum& optimum) {
    if (members_.size() == static_cast<std::size_t>(problem_.N())) return optimum;
    return step("all points", problem_, [&] {
      GridEngine part(spectrum_, rows_, problem_.d(), &executor_, &session_.control),
          whole(spectrum_, all_rows_, problem_.d(), &executor_, &session_.control);
      GridState state = whole.adopt(part, *optimum.grid);
      settle(whole, state, most_passes_of_all);
      return from_grid(optimum.kind, whole, std::move(state));
    });
  }

  // Every start improved, in their order; on as many threads as there are.
  std::vector<LatentOptimum> improved(const std::vector<Start>& starts, const std::string& phase) {
    std::vector<LatentOptimum> found(starts.size());
    std::atomic<int> done = 0;
    executor_.tasks(static_cast<Index>(starts.size()), [&](Index i, Executor& inner) {
      const Start& start = starts[static_cast<std::size_t>(i)];
      found[static_cast<std::size_t>(i)] = step(fmt::format("{} {}", phase, i), part_, [&] {
        GridEngine engine(spectrum_, rows_, problem_.d(), &inner, &session_.control);
        GridState state = begin(engine, start);
        if (start.annealed)
          anneal(engine, state);
        else
          warm(engine, state, 4, 6, 12);
        if (start.to_the_end) settle(engine, state, most_passes);
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
    executor_.tasks(static_cast<Index>(begun.size()), [&](Index i, Executor& inner) {
      LatentOptimum& one = begun[static_cast<std::size_t>(i)];
      one = step(fmt::format("{} finished {}", phase, i), part_, [&] {
        GridEngine engine(spectrum_, rows_, problem_.d(), &inner, &session_.control);
        GridState state = *one.grid;
        settle(engine, state, most_passes);
        return from_grid(one.kind, engine, std::move(state));
      });
    });
  }

  // ---- one coordinate
  std::vector<LatentOptimum> curves() {
    std::vector<LatentOptimum> found = improved(common_starts(), "starts");
    std::vector<LatentOptimum> rough = improved(tours(), "tours");
    finish(rough, finished_tours, "tours");
    for (LatentOptimum& one : rough) found.push_back(std::move(one));
    if (found.empty()) found = improved({annealed("pga", pga_start(part_).X)}, "components");
    best_first(found);
    if (!quick()) reconnect_best(found);
    best_first(found);
    if (auto robust = with_outliers(found.front())) found.push_back(std::move(*robust));
    best_first(found);
    found.front() = on_all(found.front());
    if (problem_.latent.plain_count() == 1) polish_ends(found);
    return found;
  }

  // The best few that differ.
  void reconnect_best(std::vector<LatentOptimum>& found) {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < found.size() && chosen.size() < reconnected; ++k)
      if (chosen.empty() || found[chosen.back()].bound - found[k].bound > same_bound) chosen.push_back(k);
    executor_.tasks(static_cast<Index>(chosen.size()), [&](Index i, Executor& inner) {
      LatentOptimum& one = found[chosen[static_cast<std::size_t>(i)]];
      one = step(fmt::format("reconnected {}", i), part_, [&] {
        LatentOptimum better = one;
        reconnect(better, inner);
        return better;
      });
    });
  }

  // Where a curve comes near itself: the stretch between walked the other way.
  void reconnect(LatentOptimum& best, Executor& inner) {
    const CurveEnds ends = problem_.latent.angles() == 1 ? CurveEnds::closed : CurveEnds::open;
    GridEngine engine(spectrum_, rows_, problem_.d(), &inner, &session_.control);
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
        settle(engine, state, most_passes);
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
    LatentOptimum robust = step("outliers", part_, [&] {
      GridEngine engine(spectrum_, rows_, problem_.d(), &executor_, &session_.control);
      GridState state = *best.grid;
      state.outliers = first_share_of_outliers;
      settle(engine, state, most_passes);
      return from_grid(best.kind + ", outliers", engine, std::move(state));
    });
    if (!(robust.bound > best.bound + outliers_must_pay)) return std::nullopt;
    return robust;
  }

  // The grid ends at three standard deviations; an open curve's ends need not.
  void polish_ends(std::vector<LatentOptimum>& found) {
    LatentOptimum& best = found.front();
    if (best.grid->outliers > 0) return;
    const LatentOptimum polished =
        step("ends polished", problem_, [&] { return polish(best, problem_, polishing_of_lines); });
    if (std::isfinite(polished.state.value)) {
      best.state = polished.state;
      best.iterations = polished.iterations;
      best.by_grid = false;
    }
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
    std::vector<LatentOptimum> found = improved(common_starts(), "starts");
    std::vector<LatentOptimum> grown = improved(growths(growths_of_surfaces), "growths");
    finish(grown, finished_growths, "growths");
    for (LatentOptimum& one : grown) found.push_back(std::move(one));
    if (found.empty()) found = improved({annealed("pga", pga_start(part_).X)}, "components");
    best_first(found);
    if (!quick()) found.front() = step("shaken", part_, [&] { return shaken(found.front(), executor_); });
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
    if (members_.size() == static_cast<std::size_t>(problem_.N())) return found;
    LatentOptimum whole = on_all(found.front());
    if (!(whole.grid->outliers > 0)) {
      LatentOptimum polished =
          step("polished on all", problem_, [&] { return polish(whole, problem_, polishing_of_surfaces); });
      if (std::isfinite(polished.state.value)) {
        polished.bound = whole.bound;
        whole = std::move(polished);
      }
    }
    found.front() = std::move(whole);
    return found;
  }

  // A part of a surface that lies in the wrong place keeps itself there: points hold the process where they are, and it
  // them. So some points, at random, are left to what the others make of the surface, and then taken in again.
  LatentOptimum shaken(LatentOptimum best, Executor& inner) {
    GridEngine whole(spectrum_, rows_, problem_.d(), &inner, &session_.control);
    for (std::uint64_t k = 0; k < shakes; ++k) {
      const Index kept = part_.N() - static_cast<Index>(share_of_shaken * static_cast<double>(part_.N()));
      const Matrix rows = rows_(Eigen::all, some_of(part_.N(), kept, session_.options.seed, stream::shaken_points + k));
      GridEngine others(spectrum_, rows, problem_.d(), &inner, &session_.control);
      GridState state = others.adopt(others, *best.grid);
      passes(others, state, 8, parameters_fixed);
      state = whole.adopt(others, state);
      passes(whole, state, 3, parameters_fixed);
      settle(whole, state, 30);
      if (state.bound > best.bound) best = from_grid(best.kind, whole, std::move(state));
    }
    return best;
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

  // Point estimates grown from patches, on few points; the others go where their nearest is.
  std::vector<Start> growths(int count) {
    std::vector<Start> starts;
    if (!wants("growth", !quick()) || problem_.latent.angles() > 0 || part_.N() < settings::fewest_to_grow)
      return starts;
    const std::vector<Index> few = some_of(part_.N(), most_grown, session_.options.seed + 1);
    std::vector<Index> rows;
    for (const Index k : few) rows.push_back(members_[static_cast<std::size_t>(k)]);
    FitProblem point = problem_at_mean(lifting_, Prior::map, Latents::free, session_).subset(rows);
    point.evidence = point_evidence;
    const Matrix nearby = rows_(Eigen::all, few);
    const std::vector<Index> centres = patch_centres(point, count);
    std::vector<std::optional<Start>> grown(centres.size());
    executor_.tasks(static_cast<Index>(centres.size()), [&](Index i, Executor& inner) {
      FitProblem own = point;
      own.executor = &inner;
      Random random(7, stream::growth + static_cast<std::uint64_t>(i));
      const FitState state = session_.log.step<FitState>(
          fmt::format("{}/growth {}", setting_.name, i),
          [&](const Vector& numbers) { return unpack_state(numbers, own); },
          [&] {
            double evaluations = 0;
            FitState found = grow(own, centres[static_cast<std::size_t>(i)], random, evaluations,
                                  [&](Index) { return report("growth", static_cast<int>(i), count, -infinity); });
            if (std::isfinite(found.value)) found = refine(own, found, growing_iterations).state;
            fix_gauge(own, LengthScales::shared, found.X);
            return found;
          },
          [&] { return !stopped(); });
      if (!std::isfinite(state.value)) return;
      // In units of the latents' standard deviation.
      const Matrix centred = state.X.colwise() - state.X.rowwise().mean();
      const double sd = std::sqrt(centred.squaredNorm() / static_cast<double>(centred.size()));
      if (!(sd > 1e-6)) return;
      Start start;
      start.kind = "growth";
      start.X.resize(state.X.rows(), part_.N());
      for (Index n = 0; n < part_.N(); ++n) {
        Index nearest = 0;
        (nearby.colwise() - rows_.col(n)).colwise().squaredNorm().minCoeff(&nearest);
        start.X.col(n) = centred.col(nearest) / sd;
      }
      start.theta = start_parameters(problem_, -std::log(sd));
      start.noise = std::clamp(2 * state.noise(), 1e-4, 0.5);
      start.S = std::clamp(0.02 / (sd * sd), 1e-3, 0.05);
      start.annealed = false;
      grown[static_cast<std::size_t>(i)] = std::move(start);
    });
    if (stopped()) throw Stopped();
    for (auto& one : grown)
      if (one) starts.push_back(std::move(*one));
    return starts;
  }

  // ---- three coordinates, or long vectors
  std::vector<LatentOptimum> volumes() {
    std::vector<Start> starts = common_starts();
    for (Start& start : growths(growths_of_volumes)) starts.push_back(std::move(start));
    if (starts.empty()) starts.push_back(annealed("pga", pga_start(part_).X));
    std::vector<LatentOptimum> found(starts.size());
    executor_.tasks(static_cast<Index>(starts.size()), [&](Index i, Executor& inner) {
      const Start& start = starts[static_cast<std::size_t>(i)];
      found[static_cast<std::size_t>(i)] =
          step(fmt::format("normal {}", i), part_, [&] { return polished_from(start, inner); });
    });
    best_first(found);
    if (members_.size() < static_cast<std::size_t>(problem_.N()) && !found.empty())
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
  LatentOptimum polished_from(const Start& start, Executor& inner) {
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
    LatentOptimum all = optimum;
    all.state.X.resize(optimum.state.X.rows(), problem_.N());
    all.state.S.resize(optimum.state.X.rows(), problem_.N());
    for (Index n = 0; n < problem_.N(); ++n) {
      Index nearest = 0;
      (rows_.colwise() - all_rows_.col(n)).colwise().squaredNorm().minCoeff(&nearest);
      all.state.X.col(n) = optimum.state.X.col(nearest);
      all.state.S.col(n) = optimum.state.S.col(nearest);
    }
    return polish(all, problem_, polishing_of_surfaces);
  }

  // Told to end before anything was known: components, as they are.
  LatentOptimum fallback() {
    LatentOptimum optimum;
    optimum.kind = "pga";
    optimum.state.X = at_unit_variance(pga_start(problem_).X);
    optimum.state.theta = start_parameters(problem_, 0);
    optimum.state.u = std::log(annealing[1]);
    optimum.state.S = Matrix::Constant(optimum.state.X.rows(), optimum.state.X.cols(), std::log(0.02));
    begin_inducing(optimum.state);
    FitProblem uninterrupted = problem_;
    uninterrupted.control = nullptr;
    optimum.state.value = value_of(uninterrupted, optimum.state);
    optimum.bound = optimum.state.value;
    return optimum;
  }

  const LatentSearchSetting setting_;
  const Lifting& lifting_;
  const FitProblem& problem_;
  FitSession& session_;
  Executor& executor_;
  std::string only_;  // the one kind of start that is made; empty: those that the options say
  std::mutex mutex_;
  std::optional<LatentOptimum> best_so_far_;
  KernelSpectrum spectrum_;
  std::vector<Index> members_;
  FitProblem part_;
  const Matrix& all_rows_;
  Matrix rows_;
};

}  // namespace

std::vector<LatentOptimum> search_latents(const LatentSearchSetting& setting) {
  return LatentSearch(setting, setting.session.executor).run();
}

std::optional<LatentOptimum> search_alike(const LatentSearchSetting& setting, const LatentOptimum& like,
                                          Executor& executor) {
  return LatentSearch(setting, executor).alike(like);
}

LatentOptimum on_all_points(const FitProblem& problem, const LatentOptimum& optimum, FitSession& session) {
  if (optimum.state.X.cols() == problem.N()) return optimum;
  if (!optimum.grid)
    throw Error("this candidate was found on a part of the points, and says nothing about the others; ask for another");
  const KernelSpectrum spectrum = spectrum_of(problem);
  GridEngine engine(spectrum, problem.outputs.rows, problem.d(), &session.executor, nullptr);
  return from_grid(optimum.kind, engine, engine.adopt(engine, *optimum.grid));
}

LatentOptimum refit(const FitProblem& problem, const LatentOptimum& optimum, const std::vector<Index>& kept,
                    FitSession& session, Executor& executor) {
  if (optimum.by_grid) {
    const KernelSpectrum spectrum = spectrum_of(problem);
    // In the coordinates of all points' outputs, which the sums are in.
    const Matrix rows = problem.outputs.rows(Eigen::all, kept);
    GridEngine engine(spectrum, rows, problem.d(), &executor, &session.control);
    GridState state = engine.adopt(engine, *optimum.grid);
    for (int k = 0; k < refit_passes; ++k) engine.pass(state, {});
    return from_grid(optimum.kind, engine, std::move(state));
  }
  FitProblem part = problem.subset(kept);
  part.executor = &executor;
  LatentOptimum others = optimum;
  others.grid.reset();
  others.state.X = optimum.state.X(Eigen::all, kept);
  others.state.S = optimum.state.S(Eigen::all, kept);
  others.state = refine(part, others.state, refit_iterations).state;
  others.bound = others.state.value;
  return others;
}

PosteriorPtr posterior_of(const FitProblem& problem, const LatentOptimum& optimum, ConstVectorRef theta, double noise,
                          ConstMatrixRef V) {
  if (!optimum.by_grid || !optimum.grid) {
    Parameters at = optimum.state;
    at.X = problem.latent.wrapped(at.X);
    at.theta = theta;
    FitProblem alone = problem;
    alone.executor = nullptr;
    alone.control = nullptr;
    return alone.make_evidence()->condition(at, noise, V);
  }
  // The grid saw rows Z with V = scale R Z and Z Z' diagonal (compress_rows), or V itself, scaled.
  const Matrix& Z = problem.outputs.rows;
  const KernelSpectrum spectrum = spectrum_of(problem);
  GridEngine engine(spectrum, V, problem.d(), nullptr, nullptr);
  GridState state = *optimum.grid;
  if (Z.rows() == V.rows())
    state.sums.pull *= problem.scale;
  else
    state.sums.pull = problem.scale * (problem.V * Z.transpose() *
                                       Z.rowwise().squaredNorm().cwiseInverse().asDiagonal() * state.sums.pull);
  state.sums.squares *= problem.scale * problem.scale;
  state.theta = theta;
  state.noise = noise;
  const LatticeSums sums = engine.lattice_sums(state);
  CollapsedBound bound(spectrum, state.plan->lattice, state.plan->mode);
  if (!std::isfinite(bound.value(theta, noise, sums))) return nullptr;
  return lattice_posterior({problem.kernel, problem.latent, theta, noise, bound.neglected(),
                            state.plan->lattice.periods(), state.plan->lattice.modes(),
                            problem.latent.wrapped(optimum.state.X), bound.weights(), engine.lattice_table(state)});
}

}  // namespace wgp
