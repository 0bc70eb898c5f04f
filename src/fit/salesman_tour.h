// Short tours through all points, as a travelling salesman wants them: an order in which neighbours are near each
// other.
#pragma once

#include <vector>

#include "wgp/types.h"

namespace wgp {

// From the nearest neighbour's tour, until neither reversing a stretch nor moving up to three successive points
// elsewhere makes it shorter. distance: between all points, symmetric. Deterministic; O(N^2) a pass.
std::vector<Index> short_tour(const Matrix& distance);
// The same from a tour that is given.
std::vector<Index> shortened(const Matrix& distance, std::vector<Index> tour);

// Where each point is along a short way through all of them, by path length: an angle if the way is closed; else of
// mean 0 and variance 1.
enum class Way { open, closed };
Vector place_along_tour(const Matrix& distance, Way way);

double tour_length(const Matrix& distance, const std::vector<Index>& tour);

}  // namespace wgp
