// Short closed tours: an order in which neighbours are near each other.
#pragma once

#include <vector>

#include "wgp/types.h"

namespace wgp {

// From the nearest neighbour's tour, until neither reversing a stretch nor moving up to three successive points
// elsewhere makes it shorter. distance: between all points, symmetric. Deterministic; O(N^2) a pass.
std::vector<Index> short_tour(const Matrix& distance);

double tour_length(const Matrix& distance, const std::vector<Index>& tour);

}  // namespace wgp
