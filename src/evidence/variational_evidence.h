// Latents integrated out: a lower bound on the evidence with q(x_n) = N(mu_n, diag S_n), on a Fourier lattice.
//
// Parameters::X holds mu, Parameters::S the logarithms of the variances. The bound contains the prior of the latents.
// Which frequencies are kept is decided at the first value() and then stays, so that the bound is one function of its
// parameters: make a new evidence where these have moved far. O(N (prod(4 J_j + 1) + M d) + M^3) for value and
// gradient.
#pragma once

#include "evidence/collapsed_bound.h"
#include "evidence/evidence.h"

namespace wgp {

struct LatticeSettings {
  double loss_per_point = 1e-3;  // nats that neglected frequencies may cost
  double period_lengths = 5;     // the circle of a plain coordinate: its range and so many length-scales
  double unit = 1;               // of plain coordinates: latents have a standard deviation of about 1
};
// Rule and period for latents at mu (their log variances; empty: known exactly) under these parameters: the frequencies
// to keep, and whether what is left out can be a penalty.
struct LatticePlan {
  Lattice lattice;
  Neglected mode;
};
LatticePlan plan_lattice(const KernelSpectrum& spectrum, ConstVectorRef theta, double noise, Index d, ConstMatrixRef mu,
                         ConstMatrixRef log_S, const LatticeSettings& settings = {});
// The circle that a coordinate lives on, from where its latents are.
struct LatentExtent {
  double low, high, sd;
  double log_variance = -std::numeric_limits<double>::infinity();  // of a usual latent; minus infinity: known exactly
};
double lattice_period(const KernelSpectrum& spectrum, ConstVectorRef theta, Index coordinate,
                      const LatentExtent& extent, const LatticeSettings& settings = {});
// The same with periods that are known.
LatticePlan plan_lattice(const KernelSpectrum& spectrum, ConstVectorRef theta, double noise, Index d,
                         ConstVectorRef periods, const LatticeSettings& settings = {});

// The process given sums over points at X (their table: gp/lattice.h). Null where there is none.
struct CollapsedProcess {
  KernelPtr kernel;
  LatentSpace latent;
  Vector theta;
  double noise;
  Matrix X;
};
PosteriorPtr collapsed_posterior(const CollapsedProcess& process, const KernelSpectrum& spectrum,
                                 const LatticePlan& plan, const LatticeSums& sums, Matrix table);

inline constexpr double least_log_variance = -16, most_log_variance = 0.7, most_log_variance_of_angles = 2.5;

// On a lattice for up to three coordinates, by inducing inputs for more (evidence/inducing_evidence.h). Null if the
// kernel has no spectrum on the lattice; in more than three coordinates, if it is another one than the rbf of plain
// ones.
std::unique_ptr<Evidence> variational_evidence(const EvidenceSetting& setting);
// On a lattice that is given: null also for more than three coordinates.
std::unique_ptr<Evidence> variational_evidence(const EvidenceSetting& setting, LatticePlan plan);
// Inputs of a regression that are known up to normal errors: latents with the prior N(mean_n, diag variance_n), each
// their own. unit: about the standard deviation of the means. On a lattice, so up to three of them; null as above.
struct UncertainInputs {
  Matrix mean, variance;
  double unit = 1;
};
std::unique_ptr<Evidence> uncertain_inputs_evidence(const EvidenceSetting& setting, UncertainInputs inputs);
// Why variational_evidence() is null, in a few words; empty if it is not.
std::string why_not_variational(const Kernel& kernel, const LatentSpace& latent);

}  // namespace wgp
