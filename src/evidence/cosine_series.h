// The periodic kernel as a finite cosine series.
//
//   s^2 exp(-2 sin^2(delta/2)/l^2) = sum_j a_j cos(j delta),   a_0 = s^2 e_0,  a_j = 2 s^2 e_j,  e_j = exp(-c) I_j(c),
// with c = 1/l^2 and sum_j a_j = s^2. The Bessel functions of all orders come from one downward recurrence (Miller).
#pragma once

#include "wgp/types.h"

namespace wgp {

// For s^2 = 1: a_j and its derivative by log l, up to the order where a_j no longer reaches the last digit.
struct CosineSeries {
  Vector a, da_dlog_l;
};
CosineSeries cosine_series(double l);

}  // namespace wgp
