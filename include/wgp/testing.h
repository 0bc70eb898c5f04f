// check_manifold: the property suite T1 to T12, for the library's own manifolds and for yours.
//
// Points are drawn with Manifold::random_point, so that a manifold whose exp and log share a mistake is caught; pairs
// 1e-9 apart and pairs 1e-9 from the cut locus are included. Every derivative is compared with eighth-order central
// differences.
//   T1 exp and log invert each other          T7  dexp, dlog against differences
//   T2 distance = |log| = distance reversed   T8  D_p log = -J0^-1 J1, self-adjoint, D_p log[v] = -v
//   T3 frame orthonormal, coordinates round   T9  D_q log = J0^-1
//   T4 transport linear, isometric, v -> -log T10 log_det = log|det| of the difference matrix, and its gradient
//   T5 transport there and back = identity    T11 triangle inequality, midpoints
//   T6 Gauss lemma                            T12 isometries leave distances and volumes alone
// (T0: projection, defect, row forms and spec round trips.)
#pragma once

#include <string>
#include <vector>

#include "wgp/manifold.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

struct CheckOptions {
  int draws = 5;  // independent pairs of points
  std::uint64_t seed = 1;
  double tolerance = 1e-10;  // on identities, relative to the size of what is compared
  double derivative_tolerance = 1e-7;
};

struct CheckFailure {
  std::string property;  // "T4 transport is isometric"
  std::string message;   // input, expected, actual, difference
};

// Empty if all is well. Never throws for a wrong manifold; an exception inside it becomes a failure.
std::vector<CheckFailure> check_manifold(const Manifold& manifold, const CheckOptions& options = {});

}  // namespace WGP_PUBLIC
