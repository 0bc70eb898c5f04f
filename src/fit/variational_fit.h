// A whole fit with its latents integrated out: search, choice, left-out points, summary.
#pragma once

#include "wgp/fit.h"

namespace wgp {

// Why such a fit is not possible with these options; empty if it is.
std::string why_not_variational(const FitOptions& options);

FitResult variational_fit(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options);

}  // namespace wgp
