// The prior as one more thing to choose.
#pragma once

#include "wgp/model.h"

namespace wgp {

// Fits under each prior and keeps the one under which left-out training points have the higher log density; map if
// there are too few.
FitResult fit_best_prior(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options);

}  // namespace wgp
