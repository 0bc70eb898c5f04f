#include "wgp/latent.h"

#include "core/constants.h"
#include "core/format.h"

#include <cmath>

namespace wgp {

LatentSpace::LatentSpace(Index angles, Index plain) : angles_(angles), plain_(plain) {
  if (angles < 0 || plain < 0 || angles + plain < 1)
    throw Error(
        fmt::format("a latent space of {} angles and {} plain coordinates does not exist: at least one is "
                    "needed",
                    angles, plain));
}

Index LatentSpace::owner(Index feature) const { return feature < 2 * angles_ ? feature / 2 : feature - angles_; }

Matrix LatentSpace::features(ConstMatrixRef X) const {
  Matrix F(feature_count(), X.cols());
  for (Index i = 0; i < X.cols(); ++i)
    for (Index j = 0; j < angles_; ++j) {
      F(2 * j, i) = std::cos(X(j, i));
      F(2 * j + 1, i) = std::sin(X(j, i));
    }
  F.bottomRows(plain_) = X.bottomRows(plain_);
  return F;
}

void LatentSpace::pull_back(ConstMatrixRef X, ConstMatrixRef d_features, MatrixRef d_X) const {
  for (Index i = 0; i < X.cols(); ++i)
    for (Index j = 0; j < angles_; ++j)
      d_X(j, i) += std::cos(X(j, i)) * d_features(2 * j + 1, i) - std::sin(X(j, i)) * d_features(2 * j, i);
  d_X.bottomRows(plain_) += d_features.bottomRows(plain_);
}

Matrix LatentSpace::wrapped(ConstMatrixRef X) const {
  Matrix Y = X;
  for (Index i = 0; i < Y.cols(); ++i)
    for (Index j = 0; j < angles_; ++j) {
      const double t = std::remainder(Y(j, i), 2 * pi);
      Y(j, i) = t <= -pi ? pi : t;
    }
  return Y;
}

}  // namespace wgp
