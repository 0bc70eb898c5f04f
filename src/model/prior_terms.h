// What a fit adds to the likelihood: log priors of latents, kernel parameters and noise.
#pragma once

#include "model/objective.h"

namespace wgp {

double log_prior_of(const KernelPtr& kernel, const LatentSpace& latent, const PriorTerms& terms, const FitState& state);

// Adds its derivatives to those of the likelihood by X, theta and u.
void add_prior_gradient(const KernelPtr& kernel, const LatentSpace& latent, const PriorTerms& terms,
                        const FitState& state, Matrix& by_X, Vector& by_theta, double& by_u);

}  // namespace wgp
