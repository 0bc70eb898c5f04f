#include "model/fit_moving.h"

#include "core/format.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "gp/conditioning.h"
#include "model/base_start.h"
#include "model/error_summary.h"
#include "model/held_out.h"
#include "model/moving_objective.h"
#include "model/starts.h"
#include "model/windings.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

// A base point and latents to begin with.
struct Start {
  std::string kind;
  Matrix X;
  std::shared_ptr<const Basepoint> base;
  double latent_scale;  // of X against the latents that the kernel was fitted with
  bool bare = false;    // the base point carries the whole signal, and the process nothing
};
constexpr double bare_amplitude = 1e-4;  // of the residual's variance
constexpr double bare_credit = 0.01;     // nats a point: what a process must bring to be worth having

// What is left of a fold's points hardly moves a curve.
constexpr int relaxing_iterations_of_curves = 60;

// Fits of moving base points on more numbers than this take minutes each: one of them must do.
constexpr Index many_numbers = 40000;

std::vector<Start> starts_for(const Model& mean, ConstMatrixRef P, BasepointKind kind, bool fix_latents) {
  const Model::Parts& parts = mean.parts();
  std::vector<Start> starts;
  const auto add = [&](const std::string& name, ConstMatrixRef X, ConstMatrixRef targets, double scale) {
    std::vector<Index> counts = {0};
    if (kind == BasepointKind::spline) counts = piece_counts(parts.latent, P.cols());
    if (mean.V().size() > many_numbers) counts.resize(1);
    for (const Index pieces : counts) {
      const BasisPtr basis = base_functions(kind, parts.latent, X, pieces);
      const std::string what = pieces > 0 ? fmt::format("{} in {} pieces", to_string(kind), pieces) : to_string(kind);
      const auto base =
          std::make_shared<const Basepoint>(base_through(parts.manifold, parts.base, basis, parts.latent, X, targets));
      starts.push_back({what + " " + name, X, base, scale});
      // Where latents are free, a process that may bend follows the noise of few dimensions; a stiff curve does not.
      if (basis && !fix_latents && mean.V().size() <= many_numbers)
        starts.push_back({"bare " + what + " " + name, X, base, scale, true});
    }
  };
  // Latents of unit variance, which the prior likes: a base point that follows them needs no length-scales to bend in.
  Matrix own = parts.X;
  double scale = 1;
  const Index plain = parts.latent.plain_count();
  if (!fix_latents && kind != BasepointKind::optimised && plain > 0) {
    auto rows = own.bottomRows(plain);
    rows.colwise() -= rows.rowwise().mean().eval();
    scale = 1 / std::max(1e-300, std::sqrt(rows.squaredNorm() / static_cast<double>(rows.size())));
    rows *= scale;
  }
  add("from the mean's latents", own, mean.mean_points(parts.X), scale);
  if (fix_latents || kind == BasepointKind::optimised) return starts;
  const Index q = parts.latent.dim();
  if (kind == BasepointKind::geodesic && parts.latent.angles() == 0) {
    // Principal components: geodesic directions from the beginning, with latents of unit variance.
    const Pga pga = tangent_pga(*parts.manifold, P, parts.base, std::min<Index>(q, parts.manifold->dim()));
    Matrix X = Matrix::Zero(q, P.cols());
    Random random(0, 62);
    for (Index j = 0; j < q; ++j) {
      X.row(j) = j < pga.scores.rows() ? Vector(pga.scores.row(j).transpose()) : random.normals(P.cols());
      const double sd = std::sqrt(X.row(j).squaredNorm() / static_cast<double>(P.cols()));
      X.row(j) /= std::max(sd, 1e-300);
    }
    add("from components", X, P, 1);
  }
  if (kind == BasepointKind::spline && q == 1 && P.cols() >= 8) {
    Matrix X = scaled_path_lengths(geodesic_distances(*parts.manifold, P), parts.latent.angles() == 1 ? 2 : 1);
    if (parts.latent.angles() == 1) {  // path lengths around a loop are those of a circle
      const Matrix plane = X;
      X.resize(1, P.cols());
      for (Index i = 0; i < P.cols(); ++i) X(0, i) = std::atan2(plane(1, i), plane(0, i));
    }
    add("from path lengths", X, P, 1);
  }
  if (kind == BasepointKind::spline && q == 1 && P.cols() >= 8) {
    CurveOptions options;
    options.topology = parts.latent.angles() == 1 ? CurveOptions::Topology::closed : CurveOptions::Topology::open;
    add("from a principal curve", principal_curve(*parts.manifold, P, options).latents.transpose(), P, 1);
  }
  return starts;
}

// Mean log density of a point given the others and its latent, per unit of volume.
double leave_one_out_density(const Model& model) {
  const Vector gp = model.posterior().leave_one_out(model.V());
  const Matrix& X = model.parts().X;
  return (gp - model.log_volume(X, model.parts().P)).mean();
}

BasepointReport report_of(BasepointKind kind, const Model& model) {
  return {kind, leave_one_out_density(model), std::nullopt, false};
}

}  // namespace

FitResult fit_moving(const FitResult& with_mean, ConstMatrixRef P, const FitOptions& options, BasepointKind kind,
                     bool fix_latents) {
  const auto begin = std::chrono::steady_clock::now();
  const Model::Parts& mean = with_mean.model.parts();
  if (kind == BasepointKind::mean || !with_mean.model.on_manifold() || mean.kind == ModelKind::gplvmproj)
    return with_mean;
  if (kind != BasepointKind::optimised)
    if (const std::string why = why_base_points_stay(*mean.manifold); !why.empty()) throw Error(why);

  MovingProblem problem;
  problem.latent = mean.latent;
  problem.kernel = parse_kernel(mean.kernel, mean.latent, mean.lengths);
  problem.P = P;
  problem.volume_term = options.volume_term;
  const Matrix& V = with_mean.model.V();
  const double size = static_cast<double>(V.size());
  problem.scale = std::sqrt(V.squaredNorm() / size);
  problem.prior.latent_precision = mean.prior == Prior::map && !fix_latents ? 1 : 0;
  problem.prior.lengths_of_angles = mean.prior == Prior::map && !fix_latents;
  problem.prior.fix_latents = fix_latents;
  // Where the base point follows the latents, they are no longer measured in length-scales.
  problem.theta_is_free.assign(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
  if (kind == BasepointKind::optimised && !fix_latents)
    for (const Index i : problem.kernel->length_parameters())
      problem.theta_is_free[static_cast<std::size_t>(i)] = false;
  if (kind != BasepointKind::optimised && !fix_latents) problem.least_log_length = std::log(0.3);
  const std::vector<Index> amplitudes = problem.kernel->amplitude_parameters();

  const double to_data = -size * std::log(problem.scale);
  FitSummary summary;
  std::optional<Model> best;
  double most = -infinity;
  const std::vector<bool> free_parameters = problem.theta_is_free;
  for (const Start& start : starts_for(with_mean.model, P, kind, fix_latents)) {
    problem.theta_is_free = free_parameters;
    if (start.bare)
      for (const Index i : amplitudes) problem.theta_is_free[static_cast<std::size_t>(i)] = false;
    // What the base point leaves over is half signal, half noise to begin with.
    const Matrix left = start.base->lift(start.X, P) / problem.scale;
    const double residual = std::max(1e-6, left.squaredNorm() / size);
    MovingState state;
    state.base = start.base;
    state.fit.X = start.X;
    state.fit.theta = mean.theta;
    for (const Index i : amplitudes) state.fit.theta[i] = std::log((start.bare ? bare_amplitude : 0.5) * residual);
    for (const Index i : problem.kernel->length_parameters()) state.fit.theta[i] += std::log(start.latent_scale);
    state.fit.u = std::log(std::max(residual / 2, 2 * noise_floor) - noise_floor);
    OptimiseOptions optimise;
    if (options.keep_going)
      optimise.keep_going = [&](int iteration, double value) {
        return iteration % 5 != 0 ||
               options.keep_going({start.kind, iteration, options.max_iterations, -value + to_data});
      };
    optimise.gradient_tolerance =
        1e-5 * (1 + std::abs(with_mean.summary.log_posterior) / static_cast<double>(P.cols()));
    // Latents wait until kernel, noise and base point mean something.
    MovingProblem settling = problem;
    settling.prior.fix_latents = true;
    OptimiseOptions brief = optimise;
    brief.max_iterations = std::min(100, options.max_iterations);
    const RefinedMoving settled = refine_moving(settling, state, brief);
    optimise.max_iterations = options.max_iterations;
    const RefinedMoving refined = refine_moving(problem, settled.state, optimise);

    const auto parts_of = [&](const MovingState& at, ConstMatrixRef points) {
      Model::Parts parts = mean;
      parts.basepoint = kind;
      parts.base = at.base->centre();
      parts.basis = at.base->basis();
      parts.coefficients = at.base->coefficients();
      parts.P = points;
      parts.X = parts.latent.wrapped(at.fit.X);
      parts.theta = at.fit.theta;
      for (const Index i : amplitudes) parts.theta[i] += 2 * std::log(problem.scale);
      parts.noise = at.fit.noise() * problem.scale * problem.scale;
      parts.variance_scale = 1;
      return parts;
    };
    const auto refit = [&](const std::vector<Index>& kept) {
      MovingProblem part = problem;
      part.P = P(Eigen::all, kept);
      MovingState at = refined.state;
      at.fit.X = refined.state.fit.X(Eigen::all, kept);
      OptimiseOptions relaxing;
      relaxing.max_iterations = relaxing_iterations(options);
      if (kind != BasepointKind::optimised)
        relaxing.max_iterations = std::min(relaxing.max_iterations, relaxing_iterations_of_curves);
      if (V.size() <= many_numbers) at = refine_moving(part, at, relaxing).state;
      return parts_of(at, part.P);
    };
    Model::Parts parts = parts_of(refined.state, P);
    std::optional<HeldOut> held;
    // A base curve has too few coefficients to make a place for every point: nothing to be careful about.
    const bool as_with_mean = kind == BasepointKind::optimised && mean.prior == Prior::none;
    const Widening widening = options.variance != VarianceRule::held_out ? Widening::none
                              : as_with_mean                             ? Widening::careful
                                                                         : Widening::densest;
    if (!fix_latents && refined.report.stop != StopReason::cancelled)
      held = leave_out_fifths(P, refit, widening, options.threads);
    if (held) parts.variance_scale = held->variance_scale;
    const Model model(std::move(parts));

    StartReport report;
    report.kind = start.kind;
    report.log_posterior = refined.state.fit.value + to_data;
    report.log_likelihood = report.log_posterior - moving_log_prior(problem, refined.state);
    report.leave_one_out = leave_one_out_density(model);
    report.iterations = settled.report.iterations + refined.report.iterations;
    report.evaluations = settled.report.gradients + refined.report.gradients;
    report.stop = refined.report.stop;
    summary.iterations += report.iterations;
    summary.evaluations += report.evaluations;
    summary.jitter = std::max(summary.jitter, refined.jitter * problem.scale * problem.scale);
    // By points that are left out, not by the posterior: the rougher curve always has the higher one.
    const double merit = (held ? held->log_density() : report.leave_one_out) + (start.bare ? bare_credit : 0);
    if (!best || (report.stop != StopReason::cancelled && merit > most)) {
      most = merit;
      best = model;
      for (StartReport& other : summary.starts) other.chosen = false;
      report.chosen = true;
      summary.log_likelihood = report.log_likelihood;
      summary.log_posterior = report.log_posterior;
      summary.stop = report.stop;
      summary.held_out_log_density.reset();
      summary.held_out_log_densities.resize(0);
      if (held) {
        summary.held_out_log_density = held->log_density();
        summary.held_out_log_densities = held->log_densities;
      }
    }
    summary.starts.push_back(report);
    summary.cancelled = report.stop == StopReason::cancelled;
    if (summary.cancelled) break;
  }

  FitResult result{std::move(*best), std::move(summary)};
  for (const StartReport& report : with_mean.summary.starts) {
    result.summary.starts.push_back(report);
    result.summary.starts.back().chosen = false;
  }
  result.summary.iterations += with_mean.summary.iterations;
  result.summary.evaluations += with_mean.summary.evaluations;
  result.summary.cancelled = result.summary.cancelled || with_mean.summary.cancelled;
  result.summary.largest_nonprincipal_responsibility = largest_nonprincipal_responsibility(result.model);
  result.summary.basepoints = {report_of(BasepointKind::mean, with_mean.model), report_of(kind, result.model)};
  result.summary.basepoints.back().chosen = true;
  result.summary.seconds =
      with_mean.summary.seconds + std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

namespace {

// A fit that is tried, and the log densities of points that it has not seen, the same ones for every base point.
struct Tried {
  BasepointKind kind;
  FitResult result;
  Vector unseen;
};

// From the plainest on: one that bends more must show densities that exceed those of the best so far by more than a
// standard error.
std::size_t choose(const std::vector<Tried>& tried) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < tried.size(); ++k) {
    const Vector gain = tried[k].unseen - tried[best].unseen;
    const bool only_finite = !tried[best].unseen.allFinite() && tried[k].unseen.allFinite();
    if (only_finite || gain.mean() > standard_error(gain)) best = k;
  }
  return best;
}

}  // namespace

FitResult choose_basepoint(ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options,
                           const std::function<FitResult(ConstMatrixRef X, ConstMatrixRef P)>& fit_with_mean,
                           bool fix_latents) {
  if (options.basepoint != BasepointKind::automatic)
    return fit_moving(fit_with_mean(X, P), P, options, options.basepoint, fix_latents);
  const auto begin = std::chrono::steady_clock::now();
  FitResult whole = fit_with_mean(X, P);
  const Manifold& manifold = whole.model.manifold();
  const Index N = P.cols();
  if (N < 20 || whole.summary.cancelled) return whole;
  std::vector<BasepointKind> kinds;
  // On a flat manifold a constant base point is a matter of the mean alone, and a straight one that of a linear kernel.
  if (!manifold.is_flat()) kinds.push_back(BasepointKind::optimised);
  if (manifold.is_symmetric()) kinds.insert(kinds.end(), {BasepointKind::geodesic, BasepointKind::spline});

  std::vector<Tried> tried;
  bool cancelled = false;
  // Every fit leaves out its points in turn, if it is not a regression or too large to fit the rest again. Such are
  // compared by one fifth of the points, and the best one fitted to all.
  const bool by_folds = whole.summary.held_out_log_densities.size() > 0 && whole.model.V().size() <= many_numbers;
  if (by_folds) {
    tried.push_back({BasepointKind::mean, whole, whole.summary.held_out_log_densities});
    for (const BasepointKind kind : kinds) {
      FitResult result = fit_moving(whole, P, options, kind, fix_latents);
      cancelled = result.summary.cancelled;
      if (cancelled) break;
      const Vector unseen = result.summary.held_out_log_densities;
      if (unseen.size() == whole.summary.held_out_log_densities.size())  // if not, its rest makes no model
        tried.push_back({kind, std::move(result), unseen});
    }
  } else {
    std::vector<Index> in, out;
    for (Index i = 0; i < N; ++i) (i % 5 == 2 ? out : in).push_back(i);
    const Matrix rest = P(Eigen::all, in), held = P(Eigen::all, out);
    const Matrix rest_X = X.cols() == N ? Matrix(X(Eigen::all, in)) : Matrix(),
                 held_X = X.cols() == N ? Matrix(X(Eigen::all, out)) : Matrix();
    const auto add = [&](BasepointKind kind, FitResult result) {
      cancelled = cancelled || result.summary.cancelled;
      const Vector unseen =
          fix_latents ? result.model.log_density(held_X, held, true) : mixture_log_density(result.model, held);
      tried.push_back({kind, std::move(result), unseen});
    };
    add(BasepointKind::mean, fit_with_mean(rest_X, rest));
    for (const BasepointKind kind : kinds)
      if (!cancelled) add(kind, fit_moving(tried.front().result, rest, options, kind, fix_latents));
    if (cancelled) {  // nothing can be compared with fits that were cut short
      whole.summary.cancelled = true;
      return whole;
    }
  }

  const std::size_t best = choose(tried);
  std::vector<BasepointReport> reports;
  for (const Tried& one : tried) {
    reports.push_back(report_of(one.kind, one.result.model));
    reports.back().held_out = one.unseen.mean();
  }
  reports[best].chosen = true;
  FitResult result = by_folds    ? std::move(tried[best].result)
                     : best == 0 ? std::move(whole)
                                 : fit_moving(whole, P, options, tried[best].kind, fix_latents);
  result.summary.basepoints = std::move(reports);
  result.summary.cancelled = result.summary.cancelled || cancelled;
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace wgp
