// Points as users give them.
#pragma once

#include "wgp/manifold.h"

namespace wgp {

// Error unless they are finite and on the manifold up to its tolerance; first: the column that the first of them is.
void check_points(const Manifold& manifold, ConstMatrixRef P, Index first = 0);

// Without what the tolerance forgives: raw landmarks, matrices that were rounded to a few digits. Points on the
// manifold up to rounding keep their bits.
Matrix without_defects(const Manifold& manifold, ConstMatrixRef P);

}  // namespace wgp
