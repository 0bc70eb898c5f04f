// The search for the good optimum at a base point that stays: ordinary starts, grown charts, and moves that remove and
// regrow what fits badly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit/optimum.h"
#include "fit/session.h"

namespace wgp {

// One latent coordinate from the points on the manifold, for the starts of these names.
struct CurveStarts {
  std::optional<Vector> curve, tour;
};

// By value, best first. name: of this search among those of the fit, for its checkpoints. to_data: what turns a value
// of the problem into a log posterior of the data, for progress reports. Where the session's control says stop: what
// there is, at least one. max_iterations: of each start and of what is moved.
std::vector<Optimum> search_optima(const FitProblem& problem, FitSession& session, const CurveStarts& curves,
                                   const std::string& name, double to_data, Effort effort, int max_iterations);

}  // namespace wgp
