// The function that a fit minimises: minus the log posterior of latents, kernel parameters and noise.
//
// Everything is in units where the mean square of V is 1. The noise variance is floor + exp(u): the floor (a share of
// the data's variance) keeps K well conditioned and the parameter free. Length-scales over plain coordinates are 1: the
// latents are measured in length-scales, which fixes the gauge (x, l) -> (s x, s l).
#pragma once

#include <optional>

#include "gp/likelihood.h"
#include "wgp/model.h"
#include "wgp/optimise.h"

namespace wgp {

inline constexpr double noise_floor = 1e-6;  // of the data's variance

// Where a fit stands.
struct FitState {
  Matrix X;
  Vector theta;
  double u = 0;      // noise = noise_floor + exp(u)
  double value = 0;  // log posterior, or whatever the terms make of it
  double noise() const;
};

// Terms beside the likelihood.
struct PriorTerms {
  double latent_precision = 1;           // of the normal prior on plain latents; 0: none
  bool centred = false;                  // the prior is on X minus its mean
  bool lengths_of_angles = true;         // log-normal, median 1, sd 1/2
  std::optional<double> log_noise_mean;  // normal prior on log noise
  double log_noise_sd = 1.5;
  bool fix_theta = false, fix_latents = false;
};

struct FitProblem {
  KernelPtr kernel;
  LatentSpace latent = LatentSpace::plain(1);
  Matrix V;  // d x N, mean square 1
  Matrix Z;  // V compressed to its rank
  std::vector<bool> theta_is_free;
  PriorTerms prior;
  int threads = 1;  // of one evaluation of the likelihood

  Index d() const { return V.rows(); }
  Index N() const { return V.cols(); }
  FitProblem subset(const std::vector<Index>& members) const;
};

// log p(X, theta): with constants, and without the likelihood.
double log_prior(const FitProblem& problem, const FitState& state);

// The function itself, of [vec X; the free parameters; u]; the state gives the parameters that are not free. Refers to
// the problem and the terms.
std::unique_ptr<Objective> latent_objective(const FitProblem& problem, const PriorTerms& terms, const FitState& state);

struct Refined {
  FitState state;
  OptimiseResult report;
  double jitter = 0;
};
// L-BFGS from the state under these terms; the state's value becomes minus the minimum.
Refined refine(const FitProblem& problem, const FitState& start, const PriorTerms& terms,
               const OptimiseOptions& options);
Refined refine(const FitProblem& problem, const FitState& start, const PriorTerms& terms, int iterations);

// The value alone.
double evaluate(const FitProblem& problem, const FitState& state, const PriorTerms& terms);

}  // namespace wgp
