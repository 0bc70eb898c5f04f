#include "fit/problem.h"

#include <cmath>

#include "core/format.h"
#include "fit/settings.h"
#include "geometry/rounding.h"
#include "lift/embedded_lift.h"
#include "linalg/decompositions.h"

namespace wgp {
namespace {

// Latents that are measured in length-scales make one length-scale superfluous, or one for each plain coordinate where
// they have their own: those of the first kernel of a sum or product. The others are ratios to it.
std::vector<bool> free_parameters(const Kernel& kernel, const LatentSpace& latent, LengthScales lengths) {
  std::vector<bool> is_free(static_cast<std::size_t>(kernel.parameter_count()), true);
  const std::vector<Index> over_plain = kernel.length_parameters();
  const Index fixed = lengths == LengthScales::shared ? 1 : latent.plain_count();
  for (Index i = 0; i < std::min<Index>(fixed, static_cast<Index>(over_plain.size())); ++i)
    is_free[static_cast<std::size_t>(over_plain[static_cast<std::size_t>(i)])] = false;
  return is_free;
}

Terms prior_terms(const FitProblem& problem) {
  Terms terms;
  if (!problem.has_latent_prior) return terms;
  terms.push_back(latent_prior(problem.latent, 1));
  if (const TermPtr lengths = angle_length_prior(*problem.kernel)) terms.push_back(lengths);
  return terms;
}

FitProblem common(const Lifting& lifting, Prior prior, Latents latents, FitSession& session) {
  FitProblem problem;
  problem.manifold = lifting.manifold;
  problem.latent = session.options.latent;
  problem.kernel = session.options.kernel.make(session.options.latent, session.options.lengths);
  problem.P = lifting.P;
  problem.lift = lifting.lift;
  problem.scale = lifting.scale;
  problem.free.latents = latents == Latents::free;
  problem.theta_box = latents == Latents::free ? settings::theta_box : settings::theta_box_of_inputs;
  problem.has_latent_prior = prior == Prior::map && latents == Latents::free;
  problem.terms = prior_terms(problem);
  problem.evidence = session.evidence;
  problem.executor = &session.executor;
  problem.control = &session.control;
  return problem;
}

}  // namespace

double Lifting::to_data() const { return -static_cast<double>(lifted.V.size()) * std::log(scale); }

Lifting lift_to_mean(const ManifoldPtr& manifold, ConstMatrixRef P, ModelKind kind, double clip) {
  Lifting lifting;
  lifting.manifold = manifold;
  lifting.P = P;
  if (kind == ModelKind::gplvm || kind == ModelKind::gplvmproj) {
    lifting.base = embedded_base(*manifold, P);
    lifting.lift = embedded_lift(
        manifold, lifting.base, kind == ModelKind::gplvmproj ? Predictions::projected : Predictions::as_they_are, clip);
  } else {
    const FrechetMean mean = frechet_mean(*manifold, P);
    lifting.base = mean.mean;
    lifting.mean_converged = mean.status == MeanStatus::converged;
    lifting.mean_unique = mean.unique;
    lifting.lift = std::make_shared<const Basepoint>(manifold, mean.mean);
  }
  lifting.lifted = lifting.lift->lift(Matrix(), P);
  const LogReport& report = lifting.lifted.report;
  if (const Index failed = report.count(LogStatus::not_converged) + report.count(LogStatus::outside_domain))
    throw Error(fmt::format("the logarithm of {} points at the mean could not be computed", failed));
  // In two steps: squares of 1e-160 underflow.
  const Matrix& V = lifting.lifted.V;
  const double largest = V.cwiseAbs().maxCoeff();
  if (!(largest > 0) || all_points_equal(*manifold, P)) throw Error("all points are equal: there is nothing to model");
  lifting.scale = largest * std::sqrt((V / largest).squaredNorm() / static_cast<double>(V.size()));
  return lifting;
}

FitProblem problem_at_mean(const Lifting& lifting, Prior prior, Latents latents, FitSession& session) {
  FitProblem problem = common(lifting, prior, latents, session);
  problem.V = lifting.lifted.V / lifting.scale;
  problem.outputs = {compress_rows(problem.V), problem.V.rows()};
  problem.free.theta = latents == Latents::free
                           ? free_parameters(*problem.kernel, problem.latent, session.options.lengths)
                           : std::vector<bool>(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
  return problem;
}

FitProblem problem_with_base(const Lifting& lifting, BasepointKind kind, Prior prior, Latents latents,
                             FitSession& session) {
  FitProblem problem = common(lifting, prior, latents, session);
  problem.free.base = true;
  problem.volume = session.options.volume_term ? Lift::Volume::subtracted : Lift::Volume::ignored;
  // Where the base point follows the latents, they are no longer measured in length-scales.
  problem.free.theta = latents == Latents::free && kind == BasepointKind::optimised
                           ? free_parameters(*problem.kernel, problem.latent, session.options.lengths)
                           : std::vector<bool>(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
  const double radius = lifting.manifold->at(lifting.base)->injectivity_radius();
  if (std::isfinite(radius)) problem.terms.push_back(beyond_term(radius / lifting.scale));
  problem.terms.push_back(coefficient_prior(settings::coefficient_sd));
  if (kind == BasepointKind::optimised) return problem;
  problem.terms.push_back(follow_term(settings::follow_sd));
  if (latents == Latents::free)
    problem.terms.push_back(short_length_term(*problem.kernel, std::log(settings::least_length)));
  return problem;
}

std::optional<Model> model_of(const FitProblem& problem, const FitState& state, const FitOptions& options, Prior prior,
                              BasepointKind kind, ConstVectorRef embedded_base) {
  Model::Parts parts;
  parts.kind = problem.free.latents ? options.model : ModelKind::regression;
  parts.manifold = problem.manifold;
  parts.kernel = problem.kernel;
  parts.lengths = options.lengths;
  parts.latent = problem.latent;
  parts.prior = problem.free.latents ? prior : Prior::none;
  parts.clip = options.clip;
  parts.basepoint = kind;
  const LiftPtr& lift = state.lift ? state.lift : problem.lift;
  if (const auto* base = dynamic_cast<const Basepoint*>(lift.get())) {
    parts.base = base->centre();
    parts.basis = base->basis();
    if (base->basis()) parts.coefficients = base->coefficients();
  } else {
    parts.base = embedded_base;
  }
  parts.P = problem.P;
  parts.X = problem.free.latents ? problem.latent.wrapped(state.X) : state.X;
  if (state.S.size() > 0 && !problem.free.latents) parts.X_sd = (state.S.array() / 2).exp();
  // From units where V has unit variance back to the data's.
  const double scale = problem.scale;
  parts.theta = state.theta;
  for (const Index i : problem.kernel->amplitude_parameters()) parts.theta[i] += 2 * std::log(scale);
  parts.noise = state.noise() * scale * scale;
  const double d = static_cast<double>(problem.d()), q = static_cast<double>(problem.latent.dim());
  const bool taken_up = problem.free.latents && options.variance != VarianceRule::as_fitted && d > q;
  parts.law = normal_noise(problem.d(), parts.noise * (taken_up ? d / (d - q) : 1));

  Parameters at = state;
  at.X = parts.X;
  at.theta = parts.theta;
  PosteriorPtr posterior =
      problem.make_evidence()->condition(at, parts.noise, lift_of(parts)->lift(parts.X, parts.P).V);
  if (!posterior) return std::nullopt;
  return Model(std::move(parts), std::move(posterior));
}

void fix_gauge(const FitProblem& problem, LengthScales lengths, Matrix& X) {
  const Index plain = problem.latent.plain_count();
  if (plain == 0 || !problem.kernel->is_invariant()) return;
  Matrix P = X.bottomRows(plain);
  if (!problem.has_latent_prior) P.colwise() -= P.rowwise().mean().eval();
  if (lengths == LengthScales::shared) {
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

}  // namespace wgp
