// Kernel parameters and noise from sums over points alone: a few steps of L-BFGS on the bound, without the points.
#pragma once

#include <vector>

#include "evidence/collapsed_bound.h"

namespace wgp {

struct HyperSteps {
  std::vector<bool> theta;  // which parameters are free; empty: all
  bool noise = true;
  int steps = 3;
  bool fixed() const { return steps == 0; }
};
// Moves theta and noise to where the bound is higher.
void improve_hyper_parameters(const KernelSpectrum& spectrum, CollapsedBound& bound, const LatticeSums& sums,
                              const HyperSteps& how, Vector& theta, double& noise);

}  // namespace wgp
