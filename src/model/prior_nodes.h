// Latents that stand for the prior of a model that integrated its latents out: N(0, 1) on plain coordinates, uniform on
// angles.
#pragma once

#include <optional>

#include "wgp/model.h"

namespace wgp {

struct PriorNodes {
  Matrix X;
  Vector log_weight;  // of each; the weights add up to 1
};
// A regular grid: 600 nodes for one coordinate, 70 x 70 for two, plain ones from -4 to 4. Nothing for more coordinates,
// and where the model's latents are known better than the nodes are apart.
std::optional<PriorNodes> prior_nodes(const Model& model);

// log p(x) of each column.
Vector latent_log_prior(const LatentSpace& latent, ConstMatrixRef X);

// log p(point) by importance sampling about the peaks that encoding found: half of the draws as wide as a peak is, half
// with a share of the length-scale more. Per unit of volume.
Vector importance_log_density(const Model& model, ConstMatrixRef points, const Encoding& codes, std::uint64_t seed);

}  // namespace wgp
