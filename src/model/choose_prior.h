// The prior as one more thing to choose.
#pragma once

#include "wgp/model.h"

namespace wgp {

// Fits under each prior and keeps the one under which left-out training points have the higher log density.
FitResult fit_best_prior(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options);

// Mean mixture log density of the training points, a fifth of them left out at a time. Parameters and the latents of
// the others stay as they were fitted, so it flatters; but it flatters all fits of the same points alike.
double held_out_log_density(const Model& model);

}  // namespace wgp
