// The latent space (S^1)^a x R^b: coordinates that are angles beside plain numbers.
//
// Kernels see features: a plain coordinate is itself, an angle t becomes (cos t, sin t). A squared-exponential kernel
// of the features is then exactly s^2 exp(-2 sin^2((t - t')/2) / l^2) in an angle, with period 2 pi. Angles live on R
// and are wrapped into (-pi, pi] only where people see them.
#pragma once

#include <string>
#include <vector>

#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

class LatentSpace {
 public:
  // `angles` coordinates of period 2 pi come first, then `plain` ones.
  LatentSpace(Index angles, Index plain);
  static LatentSpace plain(Index dim) { return {0, dim}; }

  Index dim() const { return angles_ + plain_; }
  Index angles() const { return angles_; }
  Index plain_count() const { return plain_; }
  bool is_angle(Index j) const { return j < angles_; }
  Index feature_count() const { return 2 * angles_ + plain_; }
  Index owner(Index feature) const;  // the coordinate that a feature belongs to

  Matrix features(ConstMatrixRef X) const;  // feature_count x N
  // dL/dX += (dF/dX)' dL/dF
  void pull_back(ConstMatrixRef X, ConstMatrixRef d_features, MatrixRef d_X) const;
  Matrix wrapped(ConstMatrixRef X) const;  // angles in (-pi, pi]

 private:
  Index angles_, plain_;
};

}  // namespace WGP_PUBLIC
