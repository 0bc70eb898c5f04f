// Data that are too wide for one tangent space, and what to do about it.
#pragma once

#include "cli/output/messages.h"
#include "wgp/fit.h"

namespace wgp::cli {

// After a fit at the mean: points near the cut locus, or a mean that is not certified to be unique. Nothing where the
// base point was fitted, or the manifold has neither.
void say_spread(const Model& model, const FitSummary& summary, ConstMatrixRef points, const Messages& messages);

}  // namespace wgp::cli
