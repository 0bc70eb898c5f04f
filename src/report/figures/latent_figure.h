// The latent space: where the training points are, and how sure the model is around them.
#pragma once

#include <optional>

#include "report/figures/figure.h"
#include "report/svg/colouring.h"
#include "report/svg/plot.h"
#include "wgp/model.h"

namespace wgp::report {

struct LatentData {
  Matrix X;              // q x N, angles wrapped
  Matrix X_sd;           // their standard deviations, where they were integrated out; else empty
  Axis x_axis, y_axis;   // of the first two coordinates; y_axis is not used where there is one
  Vector first, second;  // grid nodes; second is empty where there is one coordinate
  Matrix sd;             // predictive standard deviation of the function: rows follow second, columns first
  double noise_sd = 0;   // of data about the function
  Colouring colouring;
  bool given = false;  // inputs of a regression, not fitted latents
  // Where the points stand in the order of their numbers (times): the mean latent distance of consecutive ones over
  // that of all pairs.
  std::optional<double> step_share;
};

LatentData latent_data(const Model& model, const Colouring& colouring);
Figure latent_figure(const LatentData& data);

}  // namespace wgp::report
