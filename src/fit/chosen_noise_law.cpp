#include "fit/chosen_noise_law.h"

#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "model/drawn_density.h"

namespace wgp {

ChosenLaw chosen_noise_law(const LeftOutPoints& left_out, const Model& model, ConstMatrixRef P,
                           const FitOptions& options, Executor& executor, FitSummary& summary) {
  LeftOutResiduals residuals = left_out.residuals;
  for (Index j = 0; j < model.latent_dim(); ++j) residuals.angle.push_back(model.parts().latent.is_angle(j));
  const NoiseEstimate estimate = estimate_noise(residuals);
  NoiseKind kind = estimate.kind;
  if (options.noise_law == NoiseLawChoice::normal) kind = NoiseKind::normal;
  if (options.noise_law == NoiseLawChoice::student) kind = NoiseKind::student;
  if (options.noise_law == NoiseLawChoice::structured) kind = NoiseKind::structured;
  LawScales of_draws;
  NoiseLawPtr law = estimate.laws[static_cast<std::size_t>(kind)];
  if (!law)
    throw Error(
        fmt::format("the noise law {} cannot be estimated here: {}", to_string(options.noise_law), estimate.why));
  summary.noise_law_note = options.noise_law == NoiseLawChoice::automatic ? estimate.why : "requested";
  summary.held_out_log_densities = left_out.log_densities;
  if (kind == NoiseKind::structured) {
    // What the law gains where its many parameters came from the other folds.
    for (std::size_t k = 0; k < estimate.points.size(); ++k) {
      const double gain = estimate.log_densities(static_cast<Index>(kind), static_cast<Index>(k)) -
                          estimate.log_densities(static_cast<Index>(NoiseKind::normal), static_cast<Index>(k));
      if (std::isfinite(gain)) summary.held_out_log_densities[estimate.points[k]] += gain;
    }
  }
  // Directions that few points have made are denser at these very points than elsewhere.
  if (kind != NoiseKind::structured || &law->for_regions() == law.get()) {
    const auto densest_of = [&](DensitiesOf of) {
      return densest_law(left_out, *law, model.parts().noise, P, of, executor);
    };
    DensestLaw densest = densest_of(DensitiesOf::process);
    const NoiseLawPtr of_process = densest.law;
    if (std::any_of(left_out.folds.begin(), left_out.folds.end(),
                    [](const FoldOfPoints& fold) { return has_draws(fold.model); })) {
      const LawScales single = densest.scales;
      densest = densest_of(DensitiesOf::draws);
      of_draws = {densest.scales.variances / single.variances, densest.scales.function / single.function};
    }
    law = of_process;
    if (kind == NoiseKind::structured)
      summary.held_out_log_densities += densest.log_densities - densest.log_densities_before;
    else
      summary.held_out_log_densities = densest.log_densities;
  }
  summary.held_out_log_density = summary.held_out_log_densities.mean();
  summary.left_out_shares = shares_within(left_out, *law);
  if (summary.outliers.empty() && options.outliers != OutlierRule::none)
    // Heavy tails make room for outliers: those are told by the law that has none.
    summary.outliers = unlikely_points(left_out, estimate.few_decide ? *estimate.laws[0] : *law);
  return {law, of_draws};
}

}  // namespace wgp
