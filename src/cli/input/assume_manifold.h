// The manifold of a table: --manifold, or what the data says where it says only one thing.
#pragma once

#include <string>

#include "cli/input/arguments.h"
#include "cli/input/points.h"
#include "cli/output/messages.h"

namespace wgp::cli {

// Without --manifold: landmark files are shapes, tensor images are SPD(3); else the one manifold that can be told from
// its numbers (unit rows, positive definite matrices, rotations, ...) and has all of the first rows. What was assumed
// is said; two readings, or none, are wrong usage. Of several files the first one tells.
ManifoldPtr manifold_of(const Arguments& arguments, const InputFiles& files, const Messages& messages);

// Of columns x1, y1, x2, y2, ... (2) or x1, y1, z1, x2, ... (3); 0 if the names say nothing of the kind.
Index landmark_dimension(const std::vector<std::string>& names);

}  // namespace wgp::cli
