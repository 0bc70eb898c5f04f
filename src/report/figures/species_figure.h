// One specimen of each group in the colours and shapes of the latent figure.
#pragma once

#include "report/figures/figure.h"
#include "report/svg/colouring.h"
#include "wgp/manifold.h"

namespace wgp::report {

// The point of each group with the least mean distance to the others of its group; in the order of the legend.
std::vector<Index> representatives(const Manifold& manifold, ConstMatrixRef points, const Colouring& colouring);
// colouring must be by groups.
Figure species_figure(const Manifold& manifold, ConstMatrixRef points, const Colouring& colouring);

}  // namespace wgp::report
