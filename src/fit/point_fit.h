// A whole fit with a point estimate of latents, or with inputs that are given: the plan carried out, candidate by
// candidate.
#pragma once

#include "evidence/evidence.h"
#include "wgp/fit.h"

namespace wgp {

// P: on the manifold, as without_defects() makes them (fit/points.h).
FitResult point_fit(const EvidenceFactory& evidence, const ManifoldPtr& manifold, ConstMatrixRef P,
                    const FitOptions& options);
FitResult point_regression(const ManifoldPtr& manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options);

}  // namespace wgp
