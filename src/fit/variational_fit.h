// A whole fit with its latents integrated out: search, choice, left-out points, summary.
#pragma once

#include "wgp/fit.h"

namespace wgp {

FitResult variational_fit(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options);

}  // namespace wgp
