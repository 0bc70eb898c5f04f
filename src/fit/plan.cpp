#include "fit/plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/format.h"
#include "core/random_streams.h"
#include "fit/settings.h"

namespace wgp {
namespace {

// A random share of the points is kept out of the fit, and their distances to their reconstructions are kept.
void hold_out_calibration(FitPlan& plan, Index N, const FitOptions& options) {
  plan.training.resize(static_cast<std::size_t>(N));
  std::iota(plan.training.begin(), plan.training.end(), Index{0});
  if (!(options.calibration_share > 0)) return;
  const Index held = static_cast<Index>(std::lround(options.calibration_share * static_cast<double>(N)));
  if (options.model == ModelKind::gplvm)
    throw Error("conformal regions need predictions on the manifold: gplvm has none, gplvmproj does");
  if (!(options.calibration_share < 1) || N - held < 2 || held < 1)
    throw Error(
        fmt::format("a share of {} of {} points cannot be held out for calibration", options.calibration_share, N));
  Random random(options.seed, stream::calibration_points);
  std::vector<Index> order = plan.training;
  for (Index i = N - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  plan.calibration.assign(order.begin(), order.begin() + held);
  plan.training.assign(order.begin() + held, order.end());
  std::sort(plan.training.begin(), plan.training.end());
}

}  // namespace

FitPlan plan_fit(const Manifold& manifold, Index N, const FitOptions& options, Latents latents) {
  FitPlan plan;
  plan.latents = latents;
  plan.effort_at_mean = options.effort;
  plan.iterations_at_mean = options.max_iterations;
  hold_out_calibration(plan, N, options);
  const auto n = static_cast<Index>(plan.training.size());
  if (options.latent.dim() >= n && latents == Latents::free)
    throw Error(fmt::format("{} latent dimensions for {} points: there must be fewer dimensions than points",
                            options.latent.dim(), n));
  if (n >= settings::fewest_to_leave_out) plan.folds = make_folds(n, options.folds, options.seed);

  if (latents == Latents::given)
    plan.priors = {Prior::none};
  else if (options.prior == Prior::automatic)
    plan.priors = {Prior::map, Prior::none};
  else
    plan.priors = {options.prior};

  if (options.basepoint == BasepointKind::mean) return plan;
  if (options.model == ModelKind::gplvm || options.model == ModelKind::gplvmproj)
    throw Error(fmt::format("{} has no base point in the manifold: only mean is possible", to_string(options.model)));
  if (options.basepoint == BasepointKind::automatic) {
    if (n < settings::fewest_to_choose_base) return plan;
    plan.bases_compete = true;
    // On a flat manifold a constant base point is a matter of the mean alone, and a straight one that of a linear
    // kernel.
    if (!manifold.is_flat()) plan.bases.push_back(BasepointKind::optimised);
    if (manifold.is_symmetric()) plan.bases.insert(plan.bases.end(), {BasepointKind::geodesic, BasepointKind::spline});
    return plan;
  }
  plan.bases = {options.basepoint};
  if (options.basepoint == BasepointKind::optimised) return plan;
  if (const std::string why = why_base_points_stay(manifold); !why.empty()) throw Error(why);
  // What is found at the mean is one start among others there.
  plan.effort_at_mean = Effort::quick;
  plan.iterations_at_mean = std::min(options.max_iterations, settings::iterations_of_starts_of_bases);
  return plan;
}

}  // namespace wgp
