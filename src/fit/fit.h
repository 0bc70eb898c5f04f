// Fits with an evidence of one's own choice; wgp/fit.h has the one for users.
#pragma once

#include "evidence/evidence.h"
#include "wgp/fit.h"

namespace wgp {

FitResult fit_by(const EvidenceFactory& evidence, const ManifoldPtr& manifold, ConstMatrixRef P,
                 const FitOptions& options);

}  // namespace wgp
