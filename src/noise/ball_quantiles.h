// How far an elliptical Student t reaches: quantiles of R = sum_k D_k eps_k^2 / u, eps ~ N(0, I),
// u ~ Gamma(nu/2, nu/2), which has no closed form unless D is constant.
//
// By simulation with random numbers of its own, at the first question; 20,000 draws of eps, each with one u from every
// eighth of its distribution. A coverage of one half is off by at most .0035 (one standard error). The same D and nu
// give the same answers; several threads may ask.
#pragma once

#include <mutex>

#include "wgp/types.h"

namespace wgp {

class BallQuantiles {
 public:
  BallQuantiles(Vector variances, double degrees_of_freedom)
      : variances_(std::move(variances)), nu_(degrees_of_freedom) {}
  // 0 < level < 1; beyond the largest draw there is nothing.
  double at(double level) const;

 private:
  void simulate() const;
  Vector variances_;
  double nu_;
  mutable std::once_flag simulated_;
  mutable Vector sorted_;
};

}  // namespace wgp
