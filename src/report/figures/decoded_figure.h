// What the model says at a grid of latents, each point in its manifold's own picture.
#pragma once

#include "report/figures/figure.h"
#include "report/svg/colouring.h"
#include "report/svg/plot.h"
#include "wgp/model.h"

namespace wgp::report {

struct DecodedData {
  ManifoldPtr manifold;
  Axis x_axis, y_axis;   // of the first two latent coordinates; y_axis is not used where there is one
  Vector first, second;  // where it was decoded; second is empty where there is one coordinate
  Matrix points;         // column r * first.size() + c
  Vector sd;             // of data at each, in one tangent direction
};
DecodedData decoded_data(const Model& model);
Figure decoded_figure(const DecodedData& data);

// On the sphere all of them have room in one picture.
struct SphereData {
  Matrix points;              // 3 x N: the training points
  std::vector<Matrix> lines;  // decoded lines of the latent space, 3 x steps each
  Vector radii;               // of one coordinate: about each point of the line, what holds 95 % of data; else empty
  Colouring colouring;
};
SphereData sphere_data(const Model& model, const Colouring& colouring);
Figure sphere_figure(const SphereData& data);

// The one or the other.
bool has_sphere_figure(const Model& model);

}  // namespace wgp::report
