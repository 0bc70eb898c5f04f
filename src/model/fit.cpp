#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <thread>

#include "gp/conditioning.h"
#include "model/coordinates.h"
#include "model/growth.h"
#include "model/objective.h"
#include "model/starts.h"
#include "model/windings.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

// What an effort is willing to spend.
struct Schedule {
  int growths, rounds, single_from;
};
Schedule schedule_of(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return {0, 0, 0};
    case Effort::normal:
      return {8, 15, 8};
    case Effort::thorough:
      return {24, 60, 20};
  }
  return {0, 0, 0};
}

struct Candidate {
  std::string kind;
  FitState state;
  OptimiseResult report;
  double evaluations = 0, jitter = 0;
};

// body(i) for i in 0..count-1, on as many threads as allowed; which thread runs what cannot change any result.
void in_parallel(int threads, Index count, const std::function<void(Index)>& body) {
  std::atomic<Index> next = 0;
  const auto work = [&] {
    for (Index i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::thread> pool;
  for (int t = 1; t < std::min<Index>(threads, count); ++t) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
}

class Fitter {
 public:
  // to_data: what turns a log posterior of the problem into one of the data.
  Fitter(const FitProblem& problem, const FitOptions& options, std::optional<Vector> curve, double to_data)
      : problem_(problem), options_(options), curve_(std::move(curve)), to_data_(to_data) {}

  // All optima found, best first.
  std::vector<Candidate> run() {
    standard_starts();
    const Schedule schedule = schedule_of(options_.effort);
    if (problem_.N() >= 20 && going("growth", 0, schedule.growths, -infinity)) {
      growths(schedule);
      moves(schedule);
    }
    sort();
    return std::move(found_);
  }
  bool cancelled() const { return cancelled_; }

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

  Candidate converge(const std::string& kind, const FitState& start) {
    OptimiseOptions options;
    options.max_iterations = options_.max_iterations;
    // Every so often, and from one thread at a time: the caller's function need not be thread-safe.
    if (options_.keep_going)
      options.keep_going = [this, kind](int iteration, double value) {
        return iteration % 5 != 0 || going(kind, iteration, options_.max_iterations, -value);
      };
    options.gradient_tolerance = 1e-5 * (1 + std::abs(start.value) / static_cast<double>(problem_.N()));
    const Refined refined = refine(problem_, start, problem_.prior, options);
    return {kind, refined.state, refined.report, static_cast<double>(refined.report.gradients), refined.jitter};
  }

  void standard_starts() {
    std::vector<std::string> kinds = options_.inits;
    if (kinds.empty()) {
      kinds.push_back("pga");
      if (curve_) kinds.push_back("curve");
      if (options_.effort == Effort::quick) kinds.push_back("mds");
    }
    for (int i = 0; i < options_.random_starts; ++i) kinds.push_back("random");
    if (problem_.N() < 4) kinds.resize(1, "pga");
    std::vector<FitState> starts;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      Random random(options_.seed, 100 + i);
      if (kinds[i] == "pga")
        starts.push_back(pga_start(problem_));
      else if (kinds[i] == "mds")
        starts.push_back(mds_start(problem_));
      else if (kinds[i] == "random")
        starts.push_back(random_start(problem_, random));
      else if (kinds[i] == "curve" && curve_)
        starts.push_back(curve_start(problem_, *curve_));
      else if (kinds[i] == "given" && options_.given_latents.cols() == problem_.N() &&
               options_.given_latents.rows() == problem_.latent.dim())
        starts.push_back(given_start(problem_, options_.given_latents));
      else
        throw Error(
            fmt::format("there is no start '{}'; there are pga, curve (one latent dimension), mds, random and "
                        "given (latents for every point)",
                        kinds[i]));
    }
    found_.resize(starts.size());
    in_parallel(options_.threads, static_cast<Index>(starts.size()), [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      // Kernel and noise first: with poor ones the latents would be driven off before they mean anything.
      PriorTerms parameters_only = problem_.prior;
      parameters_only.fix_latents = true;
      const Refined settled = refine(problem_, starts[k], parameters_only, 50);
      found_[k] = converge(kinds[k], settled.state);
      found_[k].evaluations += settled.report.gradients;
    });
  }

  void growths(const Schedule& schedule) {
    std::vector<Candidate> grown(static_cast<std::size_t>(schedule.growths));
    in_parallel(options_.threads, schedule.growths, [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      Random random(options_.seed, 1000 + k);
      grown[k].kind = "growth";
      grown[k].report.stop = StopReason::max_iterations;
      grown[k].state.value = -infinity;
      if (cancelled_) return;
      grown[k].state = grow(problem_, random, grown[k].evaluations);
      going("growth", static_cast<int>(i) + 1, schedule.growths, grown[k].state.value);
    });
    for (Candidate& candidate : grown)
      if (std::isfinite(candidate.state.value)) found_.push_back(std::move(candidate));
  }

  // Remove-and-regrow on the two best, then on the best alone; the moved ones are converged at the end.
  void moves(const Schedule& schedule) {
    if (schedule.rounds == 0) return;
    sort();
    std::vector<std::size_t> leading = {0};
    if (found_.size() > 1) leading.push_back(1);
    for (int round = 0; round < schedule.rounds; ++round) {
      if (!going("moves", round, schedule.rounds, found_[leading[0]].state.value)) break;
      if (round == schedule.single_from && leading.size() == 2) {
        const bool first = found_[leading[0]].state.value >= found_[leading[1]].state.value;
        leading = {leading[first ? 0 : 1]};
      }
      // One leading optimum: as many trials at once as the other rounds have, the best of them taken. The number does
      // not depend on the threads, or the result would.
      std::vector<FitState> trials(2);
      std::vector<double> evaluations(2, 0);
      in_parallel(options_.threads, 2, [&](Index i) {
        const auto k = static_cast<std::size_t>(i);
        Random random(options_.seed, 10000 + 10 * static_cast<std::uint64_t>(round) + k);
        const FitState& from = found_[leading[std::min(k, leading.size() - 1)]].state;
        trials[k] = regrow(problem_, from, round + static_cast<int>(k), random, evaluations[k]);
      });
      for (std::size_t k = 0; k < 2; ++k) {
        Candidate& candidate = found_[leading[std::min(k, leading.size() - 1)]];
        candidate.evaluations += evaluations[k];
        if (trials[k].value > candidate.state.value + 1e-6) {
          candidate.state = trials[k];
          if (candidate.kind.find("+moves") == std::string::npos) candidate.kind += "+moves";
        }
      }
    }
    in_parallel(options_.threads, static_cast<Index>(leading.size()), [&](Index i) {
      Candidate& candidate = found_[leading[static_cast<std::size_t>(i)]];
      const Candidate before = candidate;
      candidate = converge(before.kind, before.state);
      candidate.evaluations += before.evaluations;
      candidate.report.iterations += before.report.iterations;
    });
  }

  const FitProblem& problem_;
  const FitOptions& options_;
  std::optional<Vector> curve_;
  double to_data_;
  std::vector<Candidate> found_;
  std::mutex mutex_;
  double best_ = -infinity;
  std::atomic<bool> cancelled_ = false;
};

std::string degeneracy(const FitProblem& problem, const FitState& state) {
  const double noise = state.noise();
  if (noise > 0.95) return "all noise";
  const Index plain = problem.latent.plain_count();
  if (plain > 0) {
    const Matrix X = state.X.bottomRows(plain);
    const double spread = std::sqrt((X.colwise() - X.rowwise().mean()).squaredNorm() / static_cast<double>(X.size()));
    if (spread < 1e-3) return "collapsed latents";
    if (spread > 1e3) return "one point per length-scale";
  }
  for (const Index i : problem.kernel->angle_length_parameters())
    if (state.theta[i] > 3) return "infinite length-scale";
  return "";
}

// Centred, rotated to principal axes (shared length-scale), signs fixed: the same model in the form that plots want.
void fix_gauge(const FitProblem& problem, const FitOptions& options, Matrix& X) {
  const Index plain = problem.latent.plain_count();
  if (plain == 0) return;
  const std::string spec = problem.kernel->spec();
  if (spec.find("linear") != std::string::npos) return;  // not translation invariant
  Matrix P = X.bottomRows(plain);
  const bool has_prior = problem.prior.latent_precision > 0;
  if (!has_prior) P.colwise() -= P.rowwise().mean().eval();
  if (options.lengths == LengthScales::shared) {
    const Matrix centred = P.colwise() - P.rowwise().mean();
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(centred * centred.transpose());
    const Matrix axes = solver.eigenvectors().rowwise().reverse();
    P = (axes.transpose() * P).eval();
  }
  for (Index j = 0; j < plain; ++j) {
    Index lead = 0;
    P.row(j).cwiseAbs().maxCoeff(&lead);
    if (P(j, lead) < 0) P.row(j) *= -1;
  }
  X.bottomRows(plain) = P;
}

void check_input(const Manifold& manifold, ConstMatrixRef P, const FitOptions& options) {
  const Index N = P.cols(), q = options.latent.dim();
  if (P.rows() != manifold.ambient_dim())
    throw Error(fmt::format("points of {} have {} numbers, but {} were given (one point per column)", manifold.spec(),
                            manifold.ambient_dim(), P.rows()));
  if (N < 2) throw Error(fmt::format("a model needs at least 2 points, but there is {}", N == 1 ? "1" : "none"));
  if (q >= N)
    throw Error(fmt::format("{} latent dimensions for {} points: there must be fewer dimensions than points", q, N));
  if (!P.allFinite()) throw Error("a point has an entry that is not finite");
}

struct Lifted {
  std::unique_ptr<const Coordinates> coordinates;
  Matrix V;
  double scale = 1;
  Index cut = 0, near_cut = 0;
};
Lifted lift(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  Lifted lifted;
  if (options.model == ModelKind::gplvm || options.model == ModelKind::gplvmproj) {
    lifted.coordinates = embedded_coordinates(manifold, embedded_base(*manifold, P),
                                              options.model == ModelKind::gplvmproj, options.clip);
    lifted.V = lifted.coordinates->to_coords(P);
  } else {
    const FrechetMean mean = frechet_mean(*manifold, P);
    lifted.coordinates = wrapped_coordinates(manifold, mean.mean);
    lifted.V.resize(manifold->dim(), P.cols());
    const LogReport report = manifold->at(mean.mean)->log(P, lifted.V);
    lifted.cut = report.count(LogStatus::cut_locus);
    lifted.near_cut = report.count(LogStatus::near_cut);
    if (const Index failed = report.count(LogStatus::not_converged) + report.count(LogStatus::outside_domain))
      throw Error(fmt::format("the logarithm of {} points at the mean could not be computed", failed));
  }
  // In two steps: squares of 1e-160 underflow.
  const double largest = lifted.V.cwiseAbs().maxCoeff();
  const double size = P.cwiseAbs().maxCoeff();
  if (!(largest > 1e-14 * size)) throw Error("all points are equal: there is nothing to model");
  lifted.scale = largest * std::sqrt((lifted.V / largest).squaredNorm() / static_cast<double>(lifted.V.size()));
  return lifted;
}

std::optional<Vector> curve_latents(const Manifold& manifold, ConstMatrixRef P, const FitOptions& options) {
  const bool asked = std::find(options.inits.begin(), options.inits.end(), "curve") != options.inits.end();
  if (options.latent.dim() != 1 || P.cols() < 8) return std::nullopt;
  if (!asked && options.latent.angles() == 0) return std::nullopt;
  CurveOptions curve;
  curve.topology = options.latent.angles() == 1 ? CurveOptions::Topology::closed : CurveOptions::Topology::open;
  return principal_curve(manifold, P, curve).latents;
}

std::vector<bool> free_parameters(const Kernel& kernel, const FitOptions& options) {
  std::vector<bool> is_free(static_cast<std::size_t>(kernel.parameter_count()), true);
  const std::vector<Index> lengths = kernel.length_parameters();
  const Index fixed = options.lengths == LengthScales::shared ? 1 : options.latent.plain_count();
  for (Index i = 0; i < std::min<Index>(fixed, static_cast<Index>(lengths.size())); ++i)
    is_free[static_cast<std::size_t>(lengths[static_cast<std::size_t>(i)])] = false;
  return is_free;
}

// From units where V has unit variance back to the data's.
Vector unscaled(const Kernel& kernel, Vector theta, double scale) {
  for (const Index i : kernel.amplitude_parameters()) theta[i] += 2 * std::log(scale);
  return theta;
}

// How much farther than its variance says a left-out point lies from where it is reconstructed.
double held_out_ratio(const Model::Parts& parts) {
  constexpr Index folds = 5;
  const Index N = parts.P.cols();
  std::vector<double> ratios;
  for (Index fold = 0; fold < std::min(folds, N / 4); ++fold) {
    std::vector<Index> in, out;
    for (Index i = 0; i < N; ++i) (i % folds == fold ? out : in).push_back(i);
    Model::Parts rest = parts;
    rest.P = parts.P(Eigen::all, in);
    rest.X = parts.X(Eigen::all, in);
    const Model model(rest);
    const Matrix points = parts.P(Eigen::all, out), V = model.to_coords(points);
    const Prediction prediction = model.predict(model.encode(points).X);
    for (Index i = 0; i < points.cols(); ++i)
      ratios.push_back((V.col(i) - prediction.coords.col(i)).squaredNorm() /
                       (prediction.variance[i] + prediction.noise));
  }
  if (ratios.empty()) return 1;
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  const double free = static_cast<double>(parts.manifold->dim() - parts.latent.dim());
  const double median = free * std::pow(1 - 2 / (9 * free), 3);  // of chi^2, to a percent
  return std::max(1.0, ratios[ratios.size() / 2] / median);
}

Model build_model(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options, const Lifted& lifted,
                  const FitProblem& problem, const FitState& state) {
  Model::Parts parts;
  parts.kind = options.model;
  parts.manifold = manifold;
  parts.kernel = options.kernel;
  parts.lengths = options.lengths;
  parts.latent = options.latent;
  parts.prior = options.prior;
  parts.clip = options.clip;
  parts.base = lifted.coordinates->base();
  parts.P = P;
  parts.X = options.latent.wrapped(state.X);
  parts.theta = unscaled(*problem.kernel, state.theta, lifted.scale);
  parts.noise = state.noise() * lifted.scale * lifted.scale;
  const double d = static_cast<double>(problem.d()), q = static_cast<double>(problem.latent.dim());
  if (options.variance == VarianceRule::dof && d > q) parts.noise_scale = d / (d - q);
  if (options.variance == VarianceRule::held_out && d > q) parts.variance_scale = held_out_ratio(parts);
  return Model(std::move(parts));
}

FitProblem make_problem(const FitOptions& options, const Lifted& lifted) {
  FitProblem problem;
  problem.latent = options.latent;
  problem.kernel = parse_kernel(options.kernel, options.latent, options.lengths);
  problem.V = lifted.V / lifted.scale;
  problem.Z = compress_rows(problem.V);
  problem.prior.latent_precision = options.prior == Prior::map ? 1 : 0;
  problem.prior.lengths_of_angles = options.prior == Prior::map;
  problem.theta_is_free = free_parameters(*problem.kernel, options);
  return problem;
}

FitResult fit_all(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Lifted lifted = lift(manifold, P, options);
  const FitProblem problem = make_problem(options, lifted);
  const double to_data = -static_cast<double>(lifted.V.size()) * std::log(lifted.scale);

  Fitter fitter(problem, options, curve_latents(*manifold, P, options), to_data);
  std::vector<Candidate> found = fitter.run();
  FitSummary summary;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Candidate& candidate = found[i];
    StartReport report;
    report.kind = candidate.kind;
    report.log_posterior = candidate.state.value + to_data;
    report.log_likelihood = report.log_posterior - log_prior(problem, candidate.state);
    report.iterations = candidate.report.iterations;
    report.evaluations = static_cast<int>(std::lround(candidate.evaluations));
    report.stop = candidate.report.stop;
    report.degenerate = degeneracy(problem, candidate.state);
    const GpPosterior posterior(problem.kernel, candidate.state.theta, candidate.state.noise(), candidate.state.X,
                                problem.V);
    report.leave_one_out = posterior.ok()
                               ? posterior.leave_one_out(problem.V).mean() + to_data / static_cast<double>(problem.N())
                               : -infinity;
    summary.iterations += report.iterations;
    summary.evaluations += report.evaluations;
    // Sound before degenerate; then the higher log posterior.
    if (!report.degenerate.empty() && i == chosen && i + 1 < found.size()) ++chosen;
    summary.starts.push_back(report);
  }
  if (!summary.starts[chosen].degenerate.empty()) chosen = 0;
  Candidate best = found[chosen];
  summary.starts[chosen].chosen = true;
  fix_gauge(problem, options, best.state.X);
  summary.log_posterior = summary.starts[chosen].log_posterior;
  summary.log_likelihood = summary.starts[chosen].log_likelihood;
  summary.stop = best.report.stop;
  summary.jitter = best.jitter * lifted.scale * lifted.scale;
  summary.cut_locus_points = lifted.cut;
  summary.near_cut_points = lifted.near_cut;
  summary.cancelled = fitter.cancelled();
  Model model = build_model(manifold, P, options, lifted, problem, best.state);
  if (model.on_manifold() && options.model == ModelKind::wgplvm)
    summary.largest_nonprincipal_responsibility = largest_nonprincipal_responsibility(model);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {std::move(model), std::move(summary)};
}

// A random share of the points is kept out of the fit, and their distances to their reconstructions are kept.
FitResult fit_calibrated(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  const Index N = P.cols(), held = static_cast<Index>(std::lround(options.calibration_share * static_cast<double>(N)));
  if (options.model == ModelKind::gplvm)
    throw Error("conformal regions need predictions on the manifold: gplvm has none, gplvmproj does");
  if (!(options.calibration_share < 1) || N - held < 2 || held < 1)
    throw Error(
        fmt::format("a share of {} of {} points cannot be held out for calibration", options.calibration_share, N));
  Random random(options.seed, 7);
  std::vector<Index> order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = N - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  std::vector<Index> out(order.begin(), order.begin() + held), in(order.begin() + held, order.end());
  std::sort(in.begin(), in.end());
  FitOptions inner = options;
  inner.calibration_share = 0;
  FitResult result = fit(manifold, P(Eigen::all, in), inner);
  Model::Parts parts = result.model.parts();
  parts.calibration = result.model.score(P(Eigen::all, out)).intrinsic;
  std::sort(parts.calibration.begin(), parts.calibration.end());
  result.model = Model(std::move(parts));
  return result;
}

}  // namespace

FitResult fit(ManifoldPtr manifold, ConstMatrixRef P, const FitOptions& options) {
  check_input(*manifold, P, options);
  return options.calibration_share > 0 ? fit_calibrated(manifold, P, options) : fit_all(manifold, P, options);
}

}  // namespace wgp
