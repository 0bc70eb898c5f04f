// Vectors that wave with their latents, with noise, in units where their mean square is 1.
#pragma once

#include <cmath>

#include "wgp/latent.h"
#include "wgp/random.h"

namespace wgp::test {

struct Waves {
  Matrix X, V;
};

inline Waves waves(const LatentSpace& latent, Index N) {
  Random random(4);
  Waves of;
  of.X = random.normals(latent.dim(), N);
  const Matrix features = latent.features(of.X);
  const Index last = features.rows() - 1;
  of.V.resize(4, N);
  for (Index n = 0; n < N; ++n)
    of.V.col(n) << std::sin(features(0, n)), features(0, n), std::cos(features(last, n)), features(last, n);
  of.V += 0.2 * random.normals(4, N);
  of.V.colwise() -= of.V.rowwise().mean().eval();
  of.V /= std::sqrt(of.V.squaredNorm() / static_cast<double>(of.V.size()));
  return of;
}

}  // namespace wgp::test
