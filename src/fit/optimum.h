// One optimum of a fit's objective, and how it was found.
#pragma once

#include <string>

#include "fit/objective.h"

namespace wgp {

struct Optimum {
  std::string kind;  // "pga", "growth+moves", ...
  FitState state;
  OptimiseResult report;
  double evaluations = 0, jitter = 0;
  bool polished = false;  // optimised to convergence; if not, it was left behind by better ones
};

// log p(v_i | all others, x_i) of every point, in the problem's units; nothing where there is no process or no formula.
std::optional<Vector> leave_one_out_densities(const FitProblem& problem, const FitState& state);
// Their mean; minus infinity without them.
double leave_one_out(const FitProblem& problem, const FitState& state);

// "all noise", "collapsed latents", "one point per length-scale", "infinite length-scale"; empty if it is sound.
std::string degeneracy(const FitProblem& problem, const FitState& state);

}  // namespace wgp
