// Waves of latents and their products; see gp/lattice.h.
#pragma once

#include <cstddef>

namespace wgp {

using Index = std::ptrdiff_t;

struct WaveKernels {
  // table[stride m + i] = cos(m w x_i) e^{-(m w)^2 S_i / 2} for m = 0 .. top, then the sines of m = 1 .. top. S null:
  // 0.
  void (*fill)(const double* x, const double* S, Index count, double w, Index top, double* table, Index stride);
  // (cosine + i sine) = (a + i b) (c + i turn s), of each place; cosine and sine may be a and b.
  void (*multiply)(const double* a, const double* b, const double* c, const double* s, double turn, Index count,
                   double* cosine, double* sine);
  // The derivatives of sum_i Re[(x_i - i y_i) (a_i + i sign b_i) (c_i + i turn s_i)] by a and b, added to by_a and
  // by_b.
  void (*pull_back)(const double* x, const double* y, const double* c, const double* s, double turn, double sign,
                    Index count, double* by_a, double* by_b);
};

}  // namespace wgp
