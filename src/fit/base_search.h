// Optima with a base point that is fitted: from models at the mean, the same data with another one.
#pragma once

#include <vector>

#include "fit/optimum.h"
#include "fit/problem.h"
#include "fit/session.h"

namespace wgp {

// A base point and latents to begin with.
struct BaseStart {
  std::string kind;
  FitState state;
  bool base_only = false;  // the base point carries the whole signal, and the process a trace of it that stays
  std::size_t curve = 0;   // starts of the same latents and base point, with a process and without, share this number
};
// at_mean: one model or more; what begins elsewhere has the kernel of the first.
std::vector<BaseStart> base_starts(const std::vector<Model>& at_mean, const Lifting& lifting, const FitProblem& problem,
                                   BasepointKind kind);

// One optimum for each start, in their order; kinds of base-only starts say so. name: of this search among those of the
// fit, for its checkpoints.
struct BaseOptimum {
  Optimum optimum;
  FitProblem problem;  // with what is free in it
  bool base_only = false;
};
std::vector<BaseOptimum> search_bases(const FitProblem& problem, const std::vector<BaseStart>& starts,
                                      FitSession& session, const std::string& name, double to_data);

}  // namespace wgp
