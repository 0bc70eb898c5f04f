#include "fit/variational_bases.h"

#include <cmath>

#include "evidence/learned_density.h"
#include "fit/base_search.h"
#include "fit/base_start.h"
#include "fit/candidate.h"
#include "fit/settings.h"
#include "fit/terms.h"
#include "fit/variational_settings.h"

namespace wgp {
namespace {

class VariationalBases {
 public:
  explicit VariationalBases(IntegratedFit& fit) : fit_(fit) {}

  std::optional<Contender> run(BasepointKind kind, const Contender& at_mean) {
    FitProblem problem = problem_with_base(fit_.lifting, kind, Prior::none, Latents::free, fit_.session);
    problem.free.theta.assign(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
    std::vector<BaseStart> starts;
    for (BaseStart& start : base_starts({*at_mean.model}, fit_.lifting, problem, kind)) {
      // Integrated latents follow no noise: a process beside the curve does no harm.
      if (start.base_only) continue;
      start.state.S =
          Matrix::Constant(start.state.X.rows(), start.state.X.cols(), std::log(variational::start_variance));
      starts.push_back(std::move(start));
    }
    if (kind == BasepointKind::geodesic) starts.push_back(start_that_stays(*at_mean.model, problem, kind));
    std::vector<BaseOptimum> optima;
    try {
      optima = search_bases(problem, starts, fit_.session, "variational/" + to_string(kind), fit_.lifting.to_data());
    } catch (const Stopped&) {
      return std::nullopt;
    }
    // The priors that keep a base point at its work are good advice, no evidence: where the bound without them says
    // otherwise, points that are left out decide.
    const auto n = static_cast<double>(fit_.problem.N());
    const BaseOptimum *advised = nullptr, *of_bound = nullptr;
    for (const BaseOptimum& one : optima) {
      if (!std::isfinite(one.optimum.state.value)) continue;
      if (!advised || one.optimum.state.value > advised->optimum.state.value) advised = &one;
      if (!of_bound || bound_of(one) > bound_of(*of_bound)) of_bound = &one;
    }
    if (!advised) return std::nullopt;
    std::optional<Contender> chosen = contender_with(*advised, kind, at_mean.skipped);
    if (bound_of(*of_bound) - bound_of(*advised) > variational::near_bound_a_point * n && !fit_.stopped()) {
      std::optional<Contender> other = contender_with(*of_bound, kind, at_mean.skipped);
      if (other && (!chosen || other->held_out() > chosen->held_out())) chosen = std::move(other);
    }
    return chosen;
  }

  std::optional<Contender> contender_with(const BaseOptimum& best, BasepointKind kind,
                                          const std::vector<bool>& skipped) {
    Contender contender;
    contender.base = kind;
    contender.kind = best.optimum.kind;
    contender.bound = bound_of(best) + fit_.lifting.to_data();
    contender.iterations = best.optimum.report.iterations;
    contender.model = model_with_base(best.problem, best.optimum.state, kind);
    if (!contender.model) return std::nullopt;
    const auto fold_model = [&](std::size_t fold, Executor& inner) -> std::optional<Model> {
      const std::vector<Index> kept = fit_.plan.folds->kept(fold);
      FitProblem part = best.problem.subset(kept);
      part.executor = &inner;
      FitState state = best.optimum.state;
      state.X = best.optimum.state.X(Eigen::all, kept);
      state.S = best.optimum.state.S(Eigen::all, kept);
      return model_with_base(part, refine(part, state, variational::refit_iterations).state, kind);
    };
    contender.left_out = left_out_of(fit_, fold_model, skipped, contender.model->parts().noise);
    return contender;
  }

  // The mean's own model, whose base point moves from there on as far as it helps: where the process has found more
  // than any path of the base point follows, the others end below it.
  BaseStart start_that_stays(const Model& at_mean, const FitProblem& problem, BasepointKind kind) const {
    const Model::Parts& parts = at_mean.parts();
    const BasisPtr basis = base_functions(kind, parts.latent, parts.X, 0);
    BaseStart start{fmt::format("{} from the mean's model", to_string(kind)), {}};
    FitState& state = start.state;
    state.X = parts.X;
    state.S = 2 * parts.X_sd.array().log();
    state.theta = parts.theta;
    for (const Index i : problem.kernel->amplitude_parameters()) state.theta[i] -= 2 * std::log(fit_.lifting.scale);
    const double noise = parts.noise / (fit_.lifting.scale * fit_.lifting.scale);
    state.u = std::log(std::max(noise, 2 * noise_floor) - noise_floor);
    state.centre = Vector::Zero(fit_.manifold->dim());
    state.coefficients = Matrix::Zero(fit_.manifold->dim(), basis->count());
    state.lift = std::make_shared<const Basepoint>(fit_.manifold, fit_.lifting.base, basis, state.coefficients);
    state.rough_sd = settings::first_rough_sd;
    return start;
  }

  std::optional<Model> model_with_base(const FitProblem& problem, const FitState& state, BasepointKind kind) const {
    FitProblem alone = problem;
    alone.executor = nullptr;
    alone.control = nullptr;
    const auto model = model_of(alone, state, fit_.options, Prior::map, kind, fit_.lifting.base);
    if (!model) return std::nullopt;
    return model->with([&](Model::Parts& parts) {
      parts.inference = Inference::variational;
      parts.X_sd = (state.S.array() / 2).exp();
      parts.angle_density = learned_density(*model->posterior()).coefficients();
      parts.law = normal_noise(problem.d(), parts.noise);
    });
  }

  // Without the priors that keep a base point at its work.
  static double bound_of(const BaseOptimum& one) {
    const FitState& state = one.optimum.state;
    double bound = state.value - sum_of_terms(one.problem, state);
    if (const auto* base = dynamic_cast<const Basepoint*>(state.lift.get()); base && base->basis())
      bound += base_spread_term(base->basis())->value({state, Matrix()});
    return bound;
  }

  IntegratedFit& fit_;
};

}  // namespace

std::optional<Contender> contender_with_base(IntegratedFit& fit, BasepointKind kind, const Contender& at_mean) {
  return VariationalBases(fit).run(kind, at_mean);
}

}  // namespace wgp
