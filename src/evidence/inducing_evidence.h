// Latents integrated out in any number of plain coordinates: a lower bound on the evidence with
// q(x_n) = N(mu_n, diag S_n), the squared-exponential kernel, and the process seen through M inducing inputs.
//
// Parameters::X holds mu, S the logarithms of the variances, Z the inducing inputs, which are parameters like the
// others: the bound has a derivative by them and rises with the best of places. The bound contains the prior of the
// latents; where S is empty the latents are known exactly and it is a sparse process's bound without any prior. Where Z
// is empty the inputs are chosen from the latents at the first value() and then stay.
// O(N M (M q/2 + d) + M^3) for the value, three times that for the gradient; memory beyond the data's: M^2.
#pragma once

#include "evidence/evidence.h"

namespace wgp {

struct InducingSettings {
  Index most = 100;  // inducing inputs that are chosen: this many, or half of the points
  // Of the kernel's variance, on the diagonal of k(Z, Z); jitter() says how much it was. Where length-scales are long,
  // rounding in Psi2 divided by the jitter raises the bound with the square of that: by 40 nats with 1e-8 in fits that
  // end at a linear map, by less than 0.01 with 1e-6, which costs 0.2 where they do not.
  double jitter_share = 1e-6;
};

// Null if the kernel is not the squared-exponential one of plain coordinates, shared length-scale or one each.
std::unique_ptr<Evidence> inducing_evidence(const EvidenceSetting& setting, const InducingSettings& settings = {});

// Some of the latents, far apart from each other: the one nearest to their mean, then always the one farthest from all
// that were taken; as many as the settings say.
Matrix inducing_inputs(ConstMatrixRef X, const InducingSettings& settings = {});

}  // namespace wgp
