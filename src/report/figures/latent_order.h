// Does the latent space keep an order that the points have, such as time?
#pragma once

#include <optional>

#include "report/svg/colouring.h"
#include "wgp/model.h"

namespace wgp::report {

// Mean latent distances over that of all pairs; angles count by their cosines and sines.
struct LatentOrder {
  double step_share = 1;   // of consecutive points: small where neighbours in the order are neighbours
  double early_share = 1;  // of pairs within the first third: small where those lie on a heap
};
// Nothing where the points are not sorted by their numbers.
std::optional<LatentOrder> latent_order(const Model& model, const Colouring& colouring);

}  // namespace wgp::report
