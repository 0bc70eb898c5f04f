// Is the uncertainty honest? Each training point against what the model says of it without it: exact models from the
// others, with its latent kept; fits with integrated latents, by the folds that they left out.
//
// With r_i = v_i - (leave-one-out mean) in d coordinates and s_i its predictive variance, |r_i|^2 / s_i is chi^2 with d
// degrees of freedom for a perfect model; F_i is its distribution function there, so the F_i are uniform. A fitted
// latent takes up q of the d dimensions: then |r_i|^2 / s_i is nearer to chi^2 with d - q.
#pragma once

#include <vector>

#include "report/figures/figure.h"
#include "wgp/fit.h"

namespace wgp::report {

struct CalibrationData {
  std::vector<double> fractions;  // F_i, sorted; empty where nothing was left out
  bool left_out = false;          // the points themselves were, not only their part in the process
  Index d = 0, q = 0;             // q = 0 where latents were given, not fitted
  double band = 0;                // half-width about the diagonal that holds a perfect ecdf of N points 95 times of 100
  // Integral of ecdf - u and greatest distance from u; of points that were left out and encoded, from encoded_share().
  double area = 0, ks = 0;
};
// P(F <= u) for a perfect model whose latents took up q of d dimensions.
double encoded_share(double u, Index d, Index q);

CalibrationData calibration_data(const Model& model, const FitSummary& summary);
Figure calibration_figure(const CalibrationData& data);

}  // namespace wgp::report
