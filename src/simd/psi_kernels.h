// Second moments of squared-exponential covariances at an uncertain latent; see evidence/psi_statistics.cpp.
#pragma once

#include <cstddef>

namespace wgp {

using Index = std::ptrdiff_t;

// One latent beside M inducing inputs: the moment of inputs i and j is 2^-t,
//   t = w_i + w_j - sum_f c_f z_fi z_fj
// z is [q][padded], w is [padded]; padded is a multiple of eight, all is aligned to 64 bytes, and behind M the z are 0
// and the w beyond 1000.
struct PsiPoint {
  const double *z, *w, *c;
  Index M, padded, q;
};

struct PsiKernels {
  // Adds the moments to sums[j padded + i] for i >= j; what is above the diagonal, within a register of it, is filled
  // too.
  void (*add_second)(const PsiPoint& point, double* sums);
  // With p_ij = g_ij 2^-t adds sum_j p_ij to pulls[i] and sum_j p_ij z_fj to pulls[(1 + f) padded + i], over all pairs
  // (i, j); p is symmetric. G is the lower triangle of g, half of its diagonal, and zeros elsewhere.
  void (*pull_back_second)(const PsiPoint& point, const double* G, double* pulls);
};

}  // namespace wgp
