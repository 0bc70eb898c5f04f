// The fractions F of calibration (wgp/evaluate.h).
#pragma once

#include <vector>

#include "wgp/model.h"

namespace wgp {

// For each point: the share of draws at its latent that lie nearer to the mean prediction than the point; ties count
// half. Distances are intrinsic, for models of the ambient space Euclidean.
std::vector<double> calibration_fractions(const Model& model, ConstMatrixRef points, ConstMatrixRef latents, int draws,
                                          Random& random);

// The model with the law that its regions come from (NoiseLaw::for_regions) in the place of its own. Distances from the
// mean are what regions are about: where a structured law leaves regions to an isotropic one, that one is judged.
Model under_law_of_regions(const Model& model);

}  // namespace wgp
