// The function that every fit minimises: minus the evidence of the lifted points, minus the terms beside it.
//
//   value = -( evidence(parameters, V / scale) + terms - [volume] sum_i log|det dExp| ),   V = lift(X, P)
// One objective for all: a regression is a mask on the latents, the mean as base point a mask on the base, --prior none
// a missing term. Everything is in units where the mean square of V is 1. Length-scales over plain coordinates are 1
// where the base point does not follow the latents: these are measured in length-scales, which fixes the gauge
// (x, l) -> (s x, s l).
#pragma once

#include <memory>
#include <vector>

#include "evidence/evidence.h"
#include "fit/terms.h"
#include "wgp/fit.h"
#include "wgp/optimise.h"

namespace wgp {

struct FitState : Parameters {
  LiftPtr lift;         // where the base point is; null: the problem's own
  double rough_sd = 0;  // of a base point function's coefficients; 0: not looked at
  double value = 0;     // evidence and terms
};

struct FitProblem {
  ManifoldPtr manifold;
  KernelPtr kernel;
  LatentSpace latent = LatentSpace::plain(1);
  Matrix P;
  LiftPtr lift;
  double scale = 1;  // V is divided by it
  Matrix V;          // d x N, scaled, where the base point stays; else empty
  Outputs outputs;   // V, compressed to its rank
  FreeParameters free;
  double theta_box = 20;  // |theta| beyond it is not admissible
  Terms terms;
  Lift::Volume volume = Lift::Volume::ignored;
  bool has_latent_prior = false;
  EvidenceFactory evidence = point_evidence;
  Executor* executor = nullptr;
  RunControl* control = nullptr;

  Index d() const { return lift->dim(); }
  Index N() const { return P.cols(); }
  bool base_is_free() const { return free.base; }
  // Of these points alone.
  FitProblem subset(const std::vector<Index>& members) const;
  std::unique_ptr<Evidence> make_evidence() const { return evidence({kernel, latent, executor, control}); }
};

// The function itself over the problem's free parameters; the state gives the others. Refers to the problem.
std::unique_ptr<Objective> fit_objective(const FitProblem& problem, const FitState& state);
Vector pack_state(const FitProblem& problem, const FitState& state);

struct Refined {
  FitState state;
  OptimiseResult report;  // counts over all rounds
  double jitter = 0;
  bool cancelled() const { return report.stop == StopReason::cancelled; }
};
// L-BFGS from the state; the state's value becomes minus the minimum. Where the base point is free: in rounds, after
// each of which the centre begins anew and the roughness is set to what the coefficients show.
Refined refine(const FitProblem& problem, const FitState& start, const OptimiseOptions& options);
Refined refine(const FitProblem& problem, const FitState& start, int iterations);

// Evidence and terms at a state; and the terms alone.
double value_of(const FitProblem& problem, const FitState& state);
double sum_of_terms(const FitProblem& problem, const FitState& state);

// The process given the problem's points at a state, in scaled units; null where there is none.
PosteriorPtr posterior_at(const FitProblem& problem, const FitState& state);
// The lifted points of a state, in scaled units.
Matrix vectors_at(const FitProblem& problem, const FitState& state);

}  // namespace wgp
