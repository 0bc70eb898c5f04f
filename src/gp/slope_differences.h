// Slopes of smooth functions by central differences.
#pragma once

#include "wgp/types.h"

namespace wgp {

struct SlopeDifferences {
  static constexpr double h = 1e-4;
  Matrix inputs;   // q x 2q: beside x, above and below along each coordinate
  Matrix weights;  // 2q x q: slopes = values at the inputs * weights

  explicit SlopeDifferences(ConstVectorRef x)
      : inputs(x.replicate(1, 2 * x.size())), weights(Matrix::Zero(2 * x.size(), x.size())) {
    for (Index j = 0; j < x.size(); ++j) {
      inputs(j, 2 * j) += h;
      inputs(j, 2 * j + 1) -= h;
      weights(2 * j, j) = 1 / (2 * h);
      weights(2 * j + 1, j) = -1 / (2 * h);
    }
  }
};

}  // namespace wgp
