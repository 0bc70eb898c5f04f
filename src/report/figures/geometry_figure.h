// The geometry comparison of the paper's supplement: how far points lie from their mean, on the manifold and in the
// Euclidean space around it.
#pragma once

#include <string>
#include <vector>

#include "report/figures/figure.h"
#include "wgp/manifold.h"

namespace wgp::report {

struct GeometryPanel {
  std::string set;
  // Distances over the largest, sorted.
  std::vector<double> riemannian, euclidean;
};
GeometryPanel geometry_panel(std::string set, const Manifold& manifold, ConstMatrixRef points);
Figure geometry_figure(const std::vector<GeometryPanel>& panels);

}  // namespace wgp::report
