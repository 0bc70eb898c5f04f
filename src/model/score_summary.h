// A score from the distances of its points.
#pragma once

#include "wgp/model.h"

namespace wgp {

// What of a score follows from the distances of each point to its prediction, NaN where there is none.
Score summary_of_distances(const Model& model, Vector intrinsic, Vector euclidean);

}  // namespace wgp
