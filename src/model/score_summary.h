// A score in two steps: what is found of each point, which can be done block by block, and what it says of all.
#pragma once

#include "wgp/model.h"

namespace wgp {

struct PointScores {
  Vector intrinsic, euclidean;  // distances to the reconstruction, NaN where there is none
  Vector log_density, held_out;
  Index outside_support = 0;
  void append(const PointScores& more);
  void each_part(auto&& visitor) { visitor(intrinsic, euclidean, log_density, held_out, outside_support); }
};
PointScores score_points(const Model& model, ConstMatrixRef points, const EncodeOptions& options);

Score score_of(const Model& model, PointScores points);

}  // namespace wgp
