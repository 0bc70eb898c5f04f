#include "fit/candidate.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/format.h"
#include "fit/settings.h"
#include "model/error_summary.h"
#include "model/mixture_density.h"

namespace wgp {
namespace {

// Iterations that the rest of the points has at most, from where all were fitted: the latents around a point keep the
// place they had made for it until then. No more than the fit itself had; a quick one has them make most of the way
// only, and so does a start of others.
int relaxing_iterations(const FitPlan& plan, const FitOptions& options, BasepointKind base) {
  const Effort effort = base == BasepointKind::mean ? plan.effort_at_mean : options.effort;
  int most = effort == Effort::quick ? settings::quick_relaxing_iterations : settings::relaxing_iterations;
  if (base == BasepointKind::geodesic || base == BasepointKind::spline)
    most = std::min(most, settings::relaxing_iterations_of_curves);
  return std::min(most, options.max_iterations);
}

// Maximum likelihood lets latents follow the noise. A base curve has too few coefficients to make a place for every
// point: nothing to be careful about.
Widening widening_of(const Candidate& candidate, const FitPlan& plan, const FitOptions& options) {
  if (options.variance != VarianceRule::held_out || plan.latents == Latents::given) return Widening::none;
  const bool bends = candidate.base == BasepointKind::geodesic || candidate.base == BasepointKind::spline;
  return candidate.prior == Prior::none && !bends ? Widening::careful : Widening::densest;
}

// Latents integrated out, or of a regression at the inputs that are known.
ScaledDensities densities_of(const Model& model, ConstMatrixRef points, ConstMatrixRef inputs, Latents latents,
                             double widest) {
  if (latents == Latents::free) {
    const auto mixture = std::make_shared<const LatentMixture>(model, points, 0, widest);
    return [mixture](double scale) { return mixture->log_density(scale); };
  }
  const Lifted lifted = model.lift().lift(inputs, points, LiftWanted::vectors_and_volume);
  const GpPrediction gp = model.posterior()->predict(inputs);
  const Vector squared = (model.law().whiten(lifted.V) - model.law().whiten(gp.mean)).colwise().squaredNorm();
  return [law = model.parts().law, squared, variance = gp.variance, volume = lifted.log_volume](double scale) {
    return Vector(law->scaled(scale)->log_density(squared, variance) - volume);
  };
}

}  // namespace

StartReport report_of(const FitProblem& problem, const Optimum& optimum, const Lifting& lifting,
                      const FitSession& session) {
  StartReport report;
  report.kind = optimum.kind;
  report.log_posterior = optimum.state.value + lifting.to_data();
  report.log_likelihood = report.log_posterior - sum_of_terms(problem, optimum.state);
  report.iterations = optimum.report.iterations;
  report.evaluations = static_cast<int>(std::lround(optimum.evaluations));
  report.stop = optimum.report.stop;
  report.degenerate = problem.free.latents ? degeneracy(problem, optimum.state) : "";
  report.leave_one_out = -infinity;
  if (!session.control.stopped() && problem.free.latents) {
    FitProblem uninterrupted = problem;
    uninterrupted.control = nullptr;
    report.leave_one_out =
        leave_one_out(uninterrupted, optimum.state) + lifting.to_data() / static_cast<double>(problem.N());
  }
  return report;
}

double leave_one_out_density(const Model& model) {
  const std::optional<LeaveOneOut> others = model.posterior()->leave_one_out();
  if (!others) return -infinity;
  const Lifted lifted = model.lift().lift(model.parts().X, model.parts().P, LiftWanted::vectors_and_volume);
  const double d = static_cast<double>(model.dim());
  const Vector squared = (lifted.V - others->mean).colwise().squaredNorm();
  return (-d / 2 * (2 * std::numbers::pi * others->variance.array()).log() -
          squared.array() / (2 * others->variance.array()) - lifted.log_volume.array())
      .mean();
}

void count_cut_locus_points(const Model& model, FitSummary& summary) {
  const LogReport report = model.lift().lift(model.parts().X, model.parts().P).report;
  summary.cut_locus_points = report.count(LogStatus::cut_locus);
  summary.near_cut_points = report.count(LogStatus::near_cut);
}

void judge(Candidate& candidate, const Lifting& lifting, const FitPlan& plan, FitSession& session, Judged by) {
  const FitOptions& options = session.options;
  FitState& state = candidate.optimum.state;
  if (candidate.base == BasepointKind::mean && plan.latents == Latents::free)
    fix_gauge(candidate.problem, options.lengths, state.X);
  FitProblem whole = candidate.problem;
  whole.control = nullptr;            // a model there must be, whatever the user wants by now
  if (!std::isfinite(state.value)) {  // told to end before anything was known
    state.value = value_of(whole, state);
    candidate.report.log_posterior = state.value + lifting.to_data();
    candidate.report.log_likelihood = candidate.report.log_posterior - sum_of_terms(whole, state);
  }
  candidate.model = model_of(whole, state, options, candidate.prior, candidate.base, lifting.base);
  if (!candidate.model) throw Error("the model's covariance matrix is not positive definite");
  const bool compared = plan.latents == Latents::free || plan.bases_compete;
  if (by == Judged::unopposed || !plan.folds || !compared || session.control.stopped()) return;

  const bool large = candidate.base != BasepointKind::mean && lifting.lifted.V.size() > settings::many_numbers;
  const RefitFold refit = [&](std::size_t fold, const std::vector<Index>& asked, double widest,
                              Executor& inner) -> ScaledDensities {
    const std::vector<Index> kept = plan.folds->kept(fold);
    FitProblem part = candidate.problem.subset(kept);
    part.executor = &inner;
    const auto make = [&] {
      FitState rest = state;
      rest.X = state.X(Eigen::all, kept);
      if (large) return rest;
      OptimiseOptions relaxing;
      relaxing.max_iterations = relaxing_iterations(plan, options, candidate.base);
      if (candidate.base != BasepointKind::mean) relaxing.progress_tolerance = settings::progress_tolerance_of_bases;
      relaxing.keep_going = [&](int iteration, double) {
        return session.control.report("points left out", iteration, relaxing.max_iterations, -infinity);
      };
      return refine(part, rest, relaxing).state;
    };
    const FitState rest = session.log.step<FitState>(
        fmt::format("{}/fold {}", candidate.name, fold),
        [&](const Vector& numbers) { return unpack_state(numbers, part); }, make,
        [&] { return !session.control.stopped(); });
    if (session.control.stopped()) return nullptr;
    try {
      const auto model = model_of(part, rest, options, candidate.prior, candidate.base, lifting.base);
      if (!model) return nullptr;
      const Matrix inputs = plan.latents == Latents::given ? Matrix(state.X(Eigen::all, asked)) : Matrix();
      return densities_of(*model, lifting.P(Eigen::all, asked), inputs, plan.latents, widest);
    } catch (const Error&) {  // the rest of the points makes no model: nothing is known
      return nullptr;
    } catch (const Stopped&) {
      return nullptr;
    }
  };
  candidate.held = cross_validate(*plan.folds, refit, widening_of(candidate, plan, options), session.executor);
  if (session.control.stopped()) {
    candidate.held.reset();
    return;
  }
  if (candidate.held->variance_scale != 1)
    candidate.model = candidate.model->with(
        [&](Model::Parts& parts) { parts.law = parts.law->scaled(candidate.held->variance_scale); });
}

Model with_calibration(const Model& model, ConstMatrixRef points, int threads, const std::optional<Matrix>& inputs) {
  const Matrix X = inputs ? *inputs : model.encode(points, {Encoder::density, threads}).X;
  const Matrix back = model.mean_points(X);
  Vector distances(back.cols());
  for (Index i = 0; i < back.cols(); ++i)  // no radius about a prediction that does not exist holds the point
    distances[i] = back.col(i).allFinite() ? distance(model.manifold(), points.col(i), back.col(i)) : infinity;
  std::sort(distances.begin(), distances.end());
  return model.with([&](Model::Parts& parts) { parts.calibration = distances; });
}

std::string in_words(const LeftUndone& left) {
  std::vector<std::string> list;
  if (left.folds == LeftUndone::Folds::missing)
    list.emplace_back(
        "no points were left out to be predicted, so that the noise is that of the training points, and regions and "
        "p-values are not checked");
  if (!left.bases_not_tried.empty())
    list.push_back(fmt::format("base points not tried: {}", fmt::join(left.bases_not_tried, ", ")));
  if (left.bases == LeftUndone::Bases::missing)
    list.emplace_back("base points were not compared, and the mean was kept");
  return fmt::format("{}", fmt::join(list, "; "));
}

std::vector<std::size_t> contenders(const FitProblem& problem, const std::vector<Optimum>& optima,
                                    const std::vector<StartReport>& reports, bool cut_short) {
  std::size_t best = 0, likeliest = 0;
  const auto rank = [&](std::size_t i, double worth) {
    return std::tuple(reports[i].degenerate.empty(), optima[i].polished, worth);
  };
  const auto merit_of = [&](std::size_t i) {
    return problem.has_latent_prior && !cut_short ? reports[i].leave_one_out : optima[i].state.value;
  };
  for (std::size_t i = 1; i < optima.size(); ++i) {
    if (rank(i, merit_of(i)) > rank(best, merit_of(best))) best = i;
    if (rank(i, optima[i].state.value) > rank(likeliest, optima[likeliest].state.value)) likeliest = i;
  }
  if (best == likeliest) return {best};
  return {best, likeliest};
}

std::size_t densest(const std::vector<Candidate>& candidates) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < candidates.size(); ++k)
    if (candidates[k].held_out() > candidates[best].held_out()) best = k;
  return best;
}

double merit_of_base(const Candidate& candidate) {
  if (candidate.lost) return -infinity;
  return (candidate.held ? candidate.held->log_density() : leave_one_out_density(*candidate.model)) +
         (candidate.base_only ? settings::base_only_credit : 0);
}

std::size_t best_base(const std::vector<Candidate>& candidates) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < candidates.size(); ++k)
    if (merit_of_base(candidates[k]) > merit_of_base(candidates[best])) best = k;
  return best;
}

}  // namespace wgp
