// From each point of one set to the nearest of another.
#pragma once

#include <functional>
#include <vector>

#include "wgp/manifold.h"

namespace wgp {

struct Nearest {
  Vector distance;  // Riemannian
  std::vector<Index> which;
};

// Among finitely many points.
Nearest nearest_points(const Manifold& manifold, ConstMatrixRef from, ConstMatrixRef among);

// On a surface x -> map(x) of a flat manifold: the nearest of the images of the nodes (2 x n), then a search about it
// on lattices of nine images, two for each step: `step`, halved nine times.
Vector nearest_on_surface(const Manifold& manifold, const std::function<Matrix(ConstMatrixRef)>& map,
                          ConstMatrixRef nodes, double step, ConstMatrixRef from);

}  // namespace wgp
