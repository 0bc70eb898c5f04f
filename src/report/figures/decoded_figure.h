// What the model says at a grid of latents, each point in its manifold's own picture.
#pragma once

#include "report/figures/figure.h"
#include "report/svg/colouring.h"
#include "report/svg/plot.h"
#include "wgp/model.h"

namespace wgp::report {

struct DecodedData {
  ManifoldPtr manifold;
  Axis x_axis, y_axis;                     // of the first two latent coordinates; y_axis is not used where there is one
  Vector first, second;                    // where it was decoded; second is empty where there is one coordinate
  Matrix points;                           // column r * first.size() + c
  Vector sd;                               // of data at each, in one tangent direction
  std::vector<std::string> channels = {};  // names of the rows and columns of matrices, or none
};
DecodedData decoded_data(const Model& model);
Figure decoded_figure(const DecodedData& data);

// The training points and what the model makes of its latent space: where a manifold has room for all in one picture.
struct DecodedLines {
  Matrix points;          // one training point per column; where the model holds none, what it makes of their latents
  Index drawn_every = 1;  // of the points; 0: none of them is drawn
  std::vector<Matrix> lines;  // decoded lines of the latent space, one point per column
  Vector radii;               // of one coordinate: about each point of the line, what holds 95 % of data; else empty
  Colouring colouring;
  bool is_curve() const { return radii.size() > 0; }
};
DecodedLines decoded_lines(const Model& model, const Colouring& colouring);

// Of sphere:2.
bool has_sphere_figure(const Manifold& manifold);
Figure sphere_figure(const DecodedLines& data);

// Of manifolds that can be laid out flat: the plane, the hyperbolic plane, two angles, and space seen from one side.
bool has_plane_figure(const Manifold& manifold);
Figure plane_figure(const Manifold& manifold, const DecodedLines& data);

// How the lines and tubes of both are painted.
constexpr const char* tube_colour = "#f5d3b6";
Paint line_paint(const DecodedLines& data);
// What the marks mean, at a place beside the picture; returns how far down it got.
double draw_meaning(Svg& svg, const DecodedLines& data, double left, double down);
// What a caption says of the line or mesh, and of the points.
std::string words_of(const DecodedLines& data, const std::string& onto);

}  // namespace wgp::report
