// Which preimage of the exponential map does a point come from? On compact manifolds the shortest one is a choice, and
// the paper's likelihood makes it for every point.
#pragma once

#include "wgp/model.h"

namespace wgp {

// Responsibilities of the preimages of one point when the preimages of all others are fixed:
//   r_k proportional to N(v_k | m, s^2 I) / |det dExp(v_k)|, with the leave-one-out mean m and variance s^2.
// The largest one of a preimage other than the principal, over all training points; 0 where exp is injective.
double largest_nonprincipal_responsibility(const Model& model);

// Mean field over the windings: q(k) = prod_i r_i(k_i), monotone coordinate ascent on the evidence bound
//   -Nd/2 log 2 pi - d/2 log|K| - 1/2 [tr(M' Q M) + sum_i Q_ii tr Cov_i] - sum r log|det| + H(r),   M = sum_k r_k v_k.
struct PreimageSet {
  Matrix coords;       // d x count
  Vector log_abs_det;  // of each
};
struct MeanFieldWindings {
  std::vector<Vector> responsibilities;  // per point, over its preimages
  double bound = 0;
  int sweeps = 0;
};
MeanFieldWindings mean_field_windings(ConstMatrixRef inverse, double log_det, const std::vector<PreimageSet>& preimages,
                                      int max_sweeps = 400, double tolerance = 1e-13);

}  // namespace wgp
