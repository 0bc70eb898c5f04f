// Euclidean norm without overflow or underflow. (Eigen's stableNorm asserts on a fixed allocation alignment.)
#pragma once

#include "wgp/types.h"

namespace wgp {

inline double stable_norm(ConstVectorRef x) {
  const double largest = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
  return largest > 0 ? largest * (x / largest).norm() : largest;
}

}  // namespace wgp
