// Base points that are fitted beside integrated latents.
//
// The evidence has the lift at the means of the latents; what their spread moves the base point by is a term
// (base_spread_term), to first order.
#pragma once

#include "fit/contender.h"

namespace wgp {

// From the model at the mean. Nothing where the fit was ended, or there is no such base point.
std::optional<Contender> contender_with_base(IntegratedFit& fit, BasepointKind kind, const Contender& at_mean);

}  // namespace wgp
