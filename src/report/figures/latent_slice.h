// The two latent coordinates that a flat picture has room for: their ranges, axes and a grid over them.
#pragma once

#include "report/svg/plot.h"
#include "wgp/model.h"

namespace wgp::report {

// Of coordinate j over the training points: an angle's whole circle, otherwise from the least to the greatest and a
// little more.
Range latent_range(const Model& model, Index j);
// Where the training points have their middle: the median, of an angle the direction of its mean.
double latent_middle(const Model& model, Index j);
// "latent coordinate 1", "input 1".
std::string latent_name(const Model& model, Index j);
Axis latent_axis(const Model& model, Index j);

// Latents over a grid of the first two coordinates: column r * first.size() + c is (first[c], second[r]). Further
// coordinates stand at the middle of the training points. One coordinate: second is ignored.
Matrix latent_slice(const Model& model, ConstVectorRef first, ConstVectorRef second);

}  // namespace wgp::report
