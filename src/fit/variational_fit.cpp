#include "fit/variational_fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/format.h"
#include "evidence/variational_evidence.h"
#include "fit/candidate.h"
#include "fit/latent_search.h"
#include "fit/plan.h"
#include "model/windings.h"

namespace wgp {

std::string to_string(OutlierRule rule) { return rule == OutlierRule::none ? "none" : "auto"; }
std::string to_string(ChooseBy by) { return by == ChooseBy::bound ? "bound" : "density"; }

std::string why_not_variational(const FitOptions& options) {
  if (options.model == ModelKind::regression) return "a regression has its inputs given";
  return why_not_variational(*options.kernel.make(options.latent, options.lengths), options.latent);
}

namespace {

class VariationalFit {
 public:
  VariationalFit(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options)
      : begin_(std::chrono::steady_clock::now()),
        manifold_(manifold),
        options_(options),
        plan_(plan_fit(*manifold, P.cols(), options, Latents::free)),
        session_(
            options, [](const EvidenceSetting& setting) { return variational_evidence(setting); },
            fit_fingerprint(*manifold, Matrix(), P, options)),
        calibration_points_(P(Eigen::all, plan_.calibration)),
        lifting_(lift_to_mean(manifold, P(Eigen::all, plan_.training), options.model, options.clip)),
        problem_(problem_at_mean(lifting_, Prior::none, Latents::free, session_)) {
    problem_.terms.clear();  // the bound contains the latents' prior
    problem_.free.theta.assign(static_cast<std::size_t>(problem_.kernel->parameter_count()), true);
  }

  FitResult run() {
    std::vector<LatentOptimum> optima = search_latents(lifting_, problem_, session_);
    std::size_t chosen = 0;
    if (options_.candidate > 0) {
      if (static_cast<std::size_t>(options_.candidate) > optima.size())
        throw Error(fmt::format("there is no candidate {}: this fit found {}", options_.candidate, optima.size()));
      chosen = static_cast<std::size_t>(options_.candidate - 1);
    }
    LatentOptimum& winner = optima[chosen];
    complete(winner);
    std::optional<Model> model = model_of(winner);
    if (!model) throw Error("the search ended where there is no process: are the points finite and not all equal?");

    FitSummary summary;
    summary.inference = Inference::variational;
    summary.bound = winner.bound + lifting_.to_data();
    for (std::size_t k = 0; k < optima.size(); ++k) {
      const LatentOptimum& one = optima[k];
      const double noise = one.by_grid ? one.grid->noise : one.state.noise();
      summary.candidates.push_back({one.kind, one.bound + lifting_.to_data(), std::nullopt,
                                    lifting_.scale * std::sqrt(noise), one.iterations, k == chosen});
      summary.iterations += one.iterations;
    }
    summary.evaluations = summary.iterations;
    summary.stop = session_.control.stopped() ? StopReason::cancelled : StopReason::progress_small;
    if (winner.grid && winner.grid->outliers > 0)
      for (Index n = 0; n < winner.grid->inlier.size(); ++n)
        if (winner.grid->inlier[n] < 0.5) summary.outliers.push_back(plan_.training[static_cast<std::size_t>(n)]);
    count_cut_locus_points(*model, summary);
    summary.mean_converged = lifting_.mean_converged;
    summary.mean_unique = lifting_.mean_unique;
    summary.cancelled = session_.control.stopped();
    if (!model->lift().is_embedded())
      summary.largest_nonprincipal_responsibility = largest_nonprincipal_responsibility(*model);
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return {finished(*model), std::move(summary)};
  }

 private:
  // A candidate that was left behind on a part of the points gets latents for all of them.
  void complete(LatentOptimum& optimum) const {
    if (optimum.state.X.cols() != problem_.N())
      throw Error("this candidate was found on a part of the points: ask for it with fewer of them");
  }

  std::optional<Model> model_of(const LatentOptimum& optimum) const {
    Model::Parts parts;
    parts.kind = options_.model;
    parts.manifold = manifold_;
    parts.kernel = problem_.kernel;
    parts.lengths = options_.lengths;
    parts.latent = problem_.latent;
    parts.prior = Prior::map;
    parts.inference = Inference::variational;
    parts.clip = options_.clip;
    parts.base = lifting_.base;
    parts.P = lifting_.P;
    const double scale = lifting_.scale, noise = optimum.by_grid ? optimum.grid->noise : optimum.state.noise();
    parts.X = problem_.latent.wrapped(optimum.state.X);
    parts.X_sd = (optimum.state.S.array() / 2).exp();
    parts.theta = optimum.state.theta;
    for (const Index i : problem_.kernel->amplitude_parameters()) parts.theta[i] += 2 * std::log(scale);
    parts.noise = noise * scale * scale;
    parts.law = normal_noise(problem_.d(), parts.noise);
    const PosteriorPtr posterior = posterior_of(problem_, optimum, parts.theta, parts.noise, lifting_.lifted.V);
    if (!posterior) return std::nullopt;
    return Model(std::move(parts), posterior);
  }

  Model finished(const Model& model) const {
    if (calibration_points_.cols() == 0) return model;
    return with_calibration(model, calibration_points_, options_.threads);
  }

  const std::chrono::steady_clock::time_point begin_;
  const ManifoldPtr manifold_;
  const FitOptions& options_;
  const FitPlan plan_;
  FitSession session_;
  Matrix calibration_points_;
  const Lifting lifting_;
  FitProblem problem_;
};

}  // namespace

FitResult variational_fit(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  return VariationalFit(manifold, P, options).run();
}

}  // namespace wgp
