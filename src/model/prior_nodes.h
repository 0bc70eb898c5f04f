// Latents that stand for the prior of a model that integrated its latents out: N(0, 1) on plain coordinates, uniform on
// angles but for what was learned of their density.
#pragma once

#include <optional>
#include <vector>

#include "wgp/model.h"

namespace wgp {

struct PriorNodes {
  Matrix X;
  Vector log_weight;  // of each; the weights add up to 1
};
// Of plain coordinates: what lies farther out is left out.
inline constexpr double end_of_prior_nodes = 4;
// The middles of so many equal stretches from -end to end.
Vector prior_axis(Index count, double end);
// One for each pair of places along the axes of two coordinates, that of the first running fastest; of one, the axis.
PriorNodes nodes_of_axes(const LatentSpace& latent, const std::vector<Vector>& axes);

// A regular grid: 600 nodes for one coordinate, 70 x 70 for two, plain ones from -4 to 4. Nothing for more coordinates,
// and where the model's latents are known better than the nodes are apart.
std::optional<PriorNodes> prior_nodes(const Model& model);

// log p(x) of each column.
Vector latent_log_prior(const Model& model, ConstMatrixRef X);

// log p(point) by importance sampling about the peaks that encoding found: half of the draws as wide as a peak is, half
// with a share of the length-scale more. Per unit of volume.
Vector importance_log_density(const Model& model, ConstMatrixRef points, const Encoding& codes, std::uint64_t seed);

}  // namespace wgp
