// A Gaussian process seen through inducing inputs Z, given its data with uncertain latents.
//
//   f(x) ~ N(k' w, k(x, x) - |L^-1 k|^2 + |R^-1 L^-1 k|^2),   k = k(Z, x),   k(Z, Z) + jitter I = L L',
//   I + L^-1 Psi2 L^-T / noise = R R',   Psi2 = sum over points of E k(Z, x_n) k(x_n, Z)
// Means need the weights w alone. Both factors are made when a variance is first asked for; far from all inducing
// inputs the process is what it is without data.
#pragma once

#include "wgp/kernel.h"
#include "wgp/posterior.h"

namespace wgp {

struct InducingPosteriorParts {
  KernelPtr kernel;
  LatentSpace latent = LatentSpace::plain(1);
  Vector theta;
  double noise = 0, jitter = 0;  // the jitter is on the diagonal of k(Z, Z)
  Matrix X;                      // means of the training latents
  Matrix Z;                      // inducing inputs, q x M
  Matrix weights;                // M x outputs
  Matrix second;                 // Psi2
};
// Error where sizes do not fit together.
PosteriorPtr inducing_posterior(InducingPosteriorParts parts);
// Of one that inducing_posterior() made; null otherwise.
const InducingPosteriorParts* inducing_parts(const Posterior& posterior);

// The names of arrays().
namespace inducing_array {
inline constexpr const char *weights = "weights", *inputs = "inducing_inputs", *second = "inducing_moments",
                            *jitter = "inducing_jitter";
}
// From arrays() and what every model keeps beside them. Error where an array is missing or its size does not fit.
PosteriorPtr restore_inducing_posterior(KernelPtr kernel, const LatentSpace& latent, ConstVectorRef theta, double noise,
                                        ConstMatrixRef X, const std::map<std::string, Matrix>& arrays);

}  // namespace wgp
