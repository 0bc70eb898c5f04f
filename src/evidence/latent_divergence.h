// How far the distribution of a latent, q(x) = N(mu, diag S), is from its prior: N(0, 1) on plain coordinates, uniform
// on angles, where q is the normal wrapped around the circle. (What is learned of the density of an angle comes on top:
// evidence/learned_density.h.)
//   plain:  KL = (mu^2 + S - log S - 1)/2        angle:  KL = log 2 pi - H(S)
#pragma once

#include "wgp/latent.h"

namespace wgp {

// H(S) of a normal of variance S wrapped around the circle, with its derivative.
struct WrappedEntropy {
  double value, by_variance;
};
WrappedEntropy wrapped_normal_entropy(double S);

// Sum over the columns. Subtracts its derivatives from d_mu and d_S (by S) where these are not empty.
double latent_divergence(const LatentSpace& latent, ConstMatrixRef mu, ConstMatrixRef S, MatrixRef d_mu, MatrixRef d_S);

}  // namespace wgp
