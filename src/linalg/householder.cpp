#include "linalg/householder.h"

#include <cmath>

#include "linalg/decompositions.h"

namespace wgp {

HouseholderFrame::HouseholderFrame(ConstVectorRef p) : w_(p) {
  w_[0] += p[0] < 0 ? -1.0 : 1.0;
  w_ *= std::sqrt(2.0) / w_.norm();
}

void HouseholderFrame::to_coords(ConstVectorRef x, VectorRef coords) const {
  const Index n = coords.size();
  coords = x.tail(n) - w_.dot(x) * w_.tail(n);
}

void HouseholderFrame::to_ambient(ConstVectorRef coords, VectorRef x) const {
  const Index n = coords.size();
  const double inner = w_.tail(n).dot(coords);
  x[0] = -inner * w_[0];
  x.tail(n) = coords - inner * w_.tail(n);
}

Matrix random_orthogonal(Random& random, Index n) {
  const Qr qr(random.normals(n, n));
  Matrix Q = qr.Q();
  const Matrix R = qr.R();
  // The sign of R's diagonal makes the distribution uniform.
  for (Index j = 0; j < n; ++j)
    if (R(j, j) < 0) Q.col(j) *= -1;
  return Q;
}

}  // namespace wgp
