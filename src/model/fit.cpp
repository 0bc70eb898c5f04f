#include "core/format.h"
#include "linalg/decompositions.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <tuple>

#include "model/checkpoint.h"
#include "model/choose_prior.h"
#include "model/coordinates.h"
#include "model/fit_moving.h"
#include "model/held_out.h"
#include "model/search.h"
#include "model/starts.h"
#include "model/tour.h"
#include "model/windings.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

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
    const Matrix axes = symmetric_spectrum(centred * centred.transpose()).vectors.rowwise().reverse();
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
  const bool by_itself = options.inits.empty() && options.starts != 1 && options.latent.angles() == 1;
  if (!asked && !by_itself) return std::nullopt;
  CurveOptions curve;
  curve.topology = options.latent.angles() == 1 ? CurveOptions::Topology::closed : CurveOptions::Topology::open;
  return principal_curve(manifold, P, curve).latents;
}

constexpr Index most_points_of_a_tour = 4000;  // it needs all distances

// By itself the start of maximum likelihood alone: it is a way through all points, noise and all.
std::optional<Vector> tour_latents(const Manifold& manifold, ConstMatrixRef P, const FitOptions& options,
                                   const Lifted& lifted) {
  const bool asked = std::find(options.inits.begin(), options.inits.end(), "tour") != options.inits.end();
  const bool by_itself = options.inits.empty() && options.starts != 1 && options.prior == Prior::none && P.cols() >= 4;
  if (options.latent.dim() != 1 || !(asked || (by_itself && P.cols() <= most_points_of_a_tour))) return std::nullopt;
  const bool wrapped = options.model == ModelKind::wgplvm;
  return place_along_tour(wrapped ? geodesic_distances(manifold, P) : euclidean_distances(lifted.V),
                          options.latent.angles() == 1);
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

Model::Parts parts_of(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options, const Lifted& lifted,
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
  if (options.variance != VarianceRule::as_fitted && d > q) parts.noise_scale = d / (d - q);
  return parts;
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

StartReport report_of(const FitProblem& problem, const Optimum& optimum, double to_data) {
  StartReport report;
  report.kind = optimum.kind;
  report.log_posterior = optimum.state.value + to_data;
  report.log_likelihood = report.log_posterior - log_prior(problem, optimum.state);
  report.iterations = optimum.report.iterations;
  report.evaluations = static_cast<int>(std::lround(optimum.evaluations));
  report.stop = optimum.report.stop;
  report.degenerate = degeneracy(problem, optimum.state);
  report.leave_one_out = leave_one_out(problem, optimum.state) + to_data / static_cast<double>(problem.N());
  return report;
}

// Sound and polished before others; then the greater merit. Under a prior an optimum of greater log posterior may stand
// against it; left-out points will have to decide.
std::vector<std::size_t> contenders(const FitProblem& problem, const std::vector<Optimum>& optima,
                                    const std::vector<StartReport>& reports) {
  std::size_t best = 0, likeliest = 0;
  const auto rank = [&](std::size_t i, double worth) {
    return std::tuple(reports[i].degenerate.empty(), optima[i].polished, worth);
  };
  std::vector<double> merits;
  for (const Optimum& optimum : optima) merits.push_back(merit(problem, optimum.state));
  for (std::size_t i = 1; i < optima.size(); ++i) {
    if (rank(i, merits[i]) > rank(best, merits[best])) best = i;
    if (rank(i, optima[i].state.value) > rank(likeliest, optima[likeliest].state.value)) likeliest = i;
  }
  if (best == likeliest) return {best};
  return {best, likeliest};
}

// A model of one optimum, and what left-out points say about it (nothing in fits that were cut short).
struct Judged {
  Model::Parts parts;
  std::optional<HeldOut> held;
  bool cancelled = false;
  double log_density() const { return held ? held->log_density() : -infinity; }
};
Judged judge(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options, const Lifted& lifted,
             const FitProblem& problem, FitState state, double best, bool leave_out) {
  fix_gauge(problem, options, state.X);
  Judged judged{parts_of(manifold, P, options, lifted, problem, state), std::nullopt, false};
  if (!leave_out) return judged;
  std::mutex mutex;  // folds run side by side; the caller's function need not be thread-safe
  bool cancelled = false;
  const auto refit = [&](const std::vector<Index>& kept) {
    const FitProblem part = problem.subset(kept);
    FitState rest = state;
    rest.X = state.X(Eigen::all, kept);
    OptimiseOptions relaxing;
    relaxing.max_iterations = relaxing_iterations(options);
    if (options.keep_going)
      relaxing.keep_going = [&, steps = relaxing.max_iterations](int iteration, double) {
        if (iteration % 5 != 0) return true;
        const std::lock_guard lock(mutex);
        cancelled = cancelled || !options.keep_going({"points left out", iteration, steps, best});
        return !cancelled;
      };
    rest = refine(part, rest, part.prior, relaxing).state;
    return parts_of(manifold, P(Eigen::all, kept), options, lifted, problem, rest);
  };
  // Maximum likelihood lets latents follow the noise.
  const Widening widening = options.variance != VarianceRule::held_out ? Widening::none
                            : options.prior == Prior::none             ? Widening::careful
                                                                       : Widening::densest;
  judged.held = leave_out_fifths(P, refit, widening, options.threads);
  if (cancelled) judged.held.reset();
  judged.cancelled = cancelled;
  if (judged.held) judged.parts.variance_scale = judged.held->variance_scale;
  return judged;
}

FitResult fit_all(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Lifted lifted = lift(manifold, P, options);
  const FitProblem problem = make_problem(options, lifted);
  const double to_data = -static_cast<double>(lifted.V.size()) * std::log(lifted.scale);

  CurveStarts curves{curve_latents(*manifold, P, options), tour_latents(*manifold, P, options, lifted)};
  SearchResult found =
      search_optima(problem, options, std::move(curves), to_data, fit_fingerprint(*manifold, P, options));
  FitSummary summary;
  for (const Optimum& optimum : found.optima) {
    summary.starts.push_back(report_of(problem, optimum, to_data));
    summary.iterations += summary.starts.back().iterations;
    summary.evaluations += summary.starts.back().evaluations;
  }
  const std::vector<std::size_t> leading = contenders(problem, found.optima, summary.starts);
  std::size_t chosen = leading[0];
  const auto judged = [&](std::size_t k) {
    return judge(manifold, P, options, lifted, problem, found.optima[k].state, summary.starts[k].log_posterior,
                 !found.cancelled);
  };
  Judged best = judged(chosen);
  bool cut_short = found.cancelled || best.cancelled;
  if (leading.size() > 1 && best.held) {
    Judged other = judged(leading[1]);
    cut_short = other.cancelled;
    if (other.log_density() > best.log_density()) {
      best = std::move(other);
      chosen = leading[1];
    }
  }
  summary.starts[chosen].chosen = true;
  summary.log_posterior = summary.starts[chosen].log_posterior;
  summary.log_likelihood = summary.starts[chosen].log_likelihood;
  summary.stop = found.optima[chosen].report.stop;
  summary.jitter = found.optima[chosen].jitter * lifted.scale * lifted.scale;
  summary.cut_locus_points = lifted.cut;
  summary.near_cut_points = lifted.near_cut;
  summary.cancelled = cut_short;
  if (best.held) {
    summary.held_out_log_density = best.held->log_density();
    summary.held_out_log_densities = best.held->log_densities;
  }
  Model model(std::move(best.parts));
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

// The fit with the mean goes to the checkpoint under its own name; what follows is soon made again.
FitResult fit_basepoint(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  if (options.model != ModelKind::wgplvm)
    throw Error(fmt::format("{} has no base point in the manifold: only mean is possible", to_string(options.model)));
  if (options.basepoint == BasepointKind::geodesic || options.basepoint == BasepointKind::spline)
    if (const std::string why = why_base_points_stay(*manifold); !why.empty()) throw Error(why);
  const auto fit_with_mean = [&](ConstMatrixRef, ConstMatrixRef points) {
    FitOptions inner = options;
    inner.basepoint = BasepointKind::mean;
    if (points.cols() != P.cols()) {  // a part of the points: another fit than the one that checkpoints are of
      inner.on_step = nullptr;
      inner.resume = nullptr;
    }
    return fit(manifold, points, inner);
  };
  return choose_basepoint(Matrix(), P, options, fit_with_mean, false);
}

}  // namespace

FitResult fit(ManifoldPtr manifold, ConstMatrixRef P, const FitOptions& options) {
  check_input(*manifold, P, options);
  if (options.calibration_share > 0) return fit_calibrated(manifold, P, options);
  if (options.basepoint != BasepointKind::mean) return fit_basepoint(manifold, P, options);
  if (options.prior == Prior::automatic) return fit_best_prior(manifold, P, options);
  return fit_all(manifold, P, options);
}

}  // namespace wgp
