// Golden shapes are in Helmert coordinates; wgp stores centred landmarks. y = H' z, with rows
// H_j = (-1, ..., -1, j, 0, ...) / sqrt(j (j+1)), j = 1..k-1.
#pragma once

#include <cmath>

#include "wgp/types.h"

namespace wgp::test {

inline Matrix helmert(Index landmarks) {
  Matrix H = Matrix::Zero(landmarks - 1, landmarks);
  for (Index j = 1; j < landmarks; ++j) {
    const double scale = 1 / std::sqrt(static_cast<double>(j * (j + 1)));
    H.row(j - 1).head(j).setConstant(-scale);
    H(j - 1, j) = static_cast<double>(j) * scale;
  }
  return H;
}

// k-1 Helmert columns of `axes` numbers each, interleaved landmark by landmark, to k landmarks in the same order.
inline Vector landmarks_from_helmert(const Vector& z, Index axes) {
  const Index k = z.size() / axes + 1;
  const Eigen::Map<const Matrix> Z(z.data(), axes, k - 1);
  const Matrix Y = Z * helmert(k);
  return Eigen::Map<const Vector>(Y.data(), Y.size());
}

}  // namespace wgp::test
