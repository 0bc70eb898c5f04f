// A Gaussian process given its data, by dense linear algebra.
//
//   f(x) ~ N(k' A, k(x, x) - |L^-1 k|^2),   K = k(X, X) + noise I = L L',   A = K^-1 V',   k = k(X, x)
// Means need A alone, which a file keeps; the factor is made when a variance is first asked for.
#pragma once

#include "core/run_control.h"
#include "wgp/kernel.h"
#include "wgp/posterior.h"

namespace wgp {

struct DensePosteriorParts {
  KernelPtr kernel;
  LatentSpace latent = LatentSpace::plain(1);
  Vector theta;
  double noise = 0, jitter = 0;  // both are on the diagonal of K
  Matrix X, V;
  // N x outputs, and the diagonal of K^-1: known, or empty.
  Matrix A;
  Vector inverse_diagonal;
};

// From the data: factors K at once, with the jitter that it needs. Null where no jitter that is allowed will do. A
// control is asked on the way through a large matrix; throws Stopped.
PosteriorPtr condition_densely(DensePosteriorParts parts, RunControl* control = nullptr);
// With A and the diagonal known, as a file keeps them: factors nothing. Where a variance is asked for later and K has
// no factor, the variance is that of the prior.
PosteriorPtr restore_dense_posterior(DensePosteriorParts parts);

// The names of arrays().
inline constexpr const char *weights_array = "weights", *inverse_diagonal_array = "inverse_diagonal";

// Of one that either function above made: the jitter that is in it.
double jitter_of(const Posterior& posterior);

}  // namespace wgp
