// What tangent and exact PGA share.
#pragma once

#include "wgp/statistics.h"

namespace wgp {

// Throws Error unless points are columns of this manifold and 1 <= components <= min(dim, N).
void check_pga_input(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef mean, Index components);

// Makes the largest component of each column positive (the first of those that agree to 1e-6, so that rounding cannot
// decide), and turns the matching rows of `scores` along.
void fix_signs(Matrix& directions, Matrix& scores);

}  // namespace wgp
