// What a fit is going to do, from its options alone.
#pragma once

#include <vector>

#include "fit/cross_validate.h"
#include "fit/problem.h"

namespace wgp {

struct FitPlan {
  std::vector<Index> training, calibration;  // rows of the data; calibration: kept for conformal regions, or none
  Latents latents = Latents::free;
  std::vector<Prior> priors;  // searched at the mean, one after the other
  Effort effort_at_mean = Effort::normal;
  int iterations_at_mean = 0;        // of each optimum there, at most
  std::vector<BasepointKind> bases;  // fitted from what was found at the mean
  bool bases_compete = false;        // with the mean and each other; if not, the last one is what was asked for
  // What is found at the mean is where base points begin, and nothing else is asked of it.
  bool mean_is_a_start() const { return !bases.empty() && !bases_compete; }
  std::optional<Folds> folds;  // of the training points; none if there are too few
};
// Error where the options ask for what does not exist.
FitPlan plan_fit(const Manifold& manifold, Index N, const FitOptions& options, Latents latents);

}  // namespace wgp
