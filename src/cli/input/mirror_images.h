// Mirror images among landmark configurations: named, and under --reflect turned back.
#pragma once

#include "cli/input/points.h"
#include "wgp/model.h"

namespace wgp::cli {

// Wrong usage if --reflect is given and the manifold is no space of landmarks.
void check_reflect(const Arguments& arguments, const Manifold& manifold);

// The shape that --reflect turns new rows towards: the model's base. Wrong usage for a model of the ambient space.
Vector mirror_reference(const Model& model);

// Says which rows are mirror images of the others, and turns them back where --reflect asks for it.
void treat_mirror_images(const Arguments& arguments, const Manifold& manifold, PointSet& set, const Messages& messages);

}  // namespace wgp::cli
