#include "fit/contender.h"

#include <atomic>
#include <cmath>

#include "evidence/variational_evidence.h"
#include "fit/candidate.h"
#include "fit/latent_process.h"
#include "model/error_summary.h"

namespace wgp {

IntegratedFit::IntegratedFit(const ManifoldPtr& given, ConstMatrixRef P, const FitOptions& asked)
    : manifold(given),
      options(asked),
      plan(plan_fit(*given, P.cols(), asked, Latents::free)),
      session(
          asked, [](const EvidenceSetting& setting) { return variational_evidence(setting); },
          fit_fingerprint(*given, Matrix(), P, asked)),
      lifting(lift_to_mean(given, P(Eigen::all, plan.training), asked.model, asked.clip)),
      problem(integrated_problem(lifting, session)) {}

std::optional<LeftOutPoints> left_out_of(IntegratedFit& fit, const FoldModel& fold_model,
                                         const std::vector<bool>& skipped, double noise, const FoldDraws& draws_of) {
  if (!fit.plan.folds || fit.stopped()) return std::nullopt;
  std::atomic<int> done = 0;
  try {
    return leave_out(
        *fit.plan.folds,
        [&](std::size_t fold, Executor& inner) {
          auto model = fold_model(fold, inner);
          if (!fit.session.control.report("points left out", ++done, static_cast<int>(fit.plan.folds->out.size()),
                                          -infinity))
            throw Stopped();
          return model;
        },
        fit.lifting.P, skipped, noise, fit.session.executor, draws_of);
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

std::size_t plainest_of(const std::vector<Contender>& contenders, double standard_errors) {
  const std::optional<LeftOutPoints>& first = contenders.front().left_out;
  std::vector<const Vector*> densities;
  for (const Contender& one : contenders) {
    const bool alike = one.left_out && first && one.left_out->points == first->points;
    densities.push_back(alike ? &one.left_out->log_densities : nullptr);
  }
  return plainest_good(densities, standard_errors);
}

double reconstruction_error(const LeftOutPoints& left_out, ConstMatrixRef P) {
  double squares = 0;
  Index count = 0;
  for (const FoldOfPoints& fold : left_out.folds) {
    const Score score = reconstruction_score(fold.model, fold.codes.X, P(Eigen::all, fold.points));
    const double error = fold.model.on_manifold() ? score.intrinsic_rmse : score.euclidean_rmse;
    if (!std::isfinite(error)) continue;
    squares += error * error * static_cast<double>(score.n - score.without_prediction);
    count += score.n - score.without_prediction;
  }
  return std::sqrt(squares / static_cast<double>(std::max<Index>(count, 1)));
}

}  // namespace wgp
