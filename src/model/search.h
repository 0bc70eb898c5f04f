// The search for the good optimum: ordinary starts, grown charts, and moves that remove and regrow what fits badly.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/objective.h"

namespace wgp {

struct Optimum {
  std::string kind;  // "pga", "growth+moves", ...
  FitState state;
  OptimiseResult report;
  double evaluations = 0, jitter = 0;
  bool polished = false;  // optimised to convergence; if not, it was left behind by better ones
};

struct SearchResult {
  std::vector<Optimum> optima;  // by value, best first
  bool cancelled = false;
};
// One latent coordinate from the points on the manifold, for the starts of these names.
struct CurveStarts {
  std::optional<Vector> curve, tour;
};
// to_data: what turns a log posterior of the
// problem into one of the data, for progress reports. fingerprint: of the fit, for its checkpoints.
SearchResult search_optima(const FitProblem& problem, const FitOptions& options, CurveStarts curves, double to_data,
                           std::uint64_t fingerprint);

// Mean log density of a point given all others and its latent, in the problem's units.
double leave_one_out(const FitProblem& problem, const FitState& state);

// By what an optimum is preferred at first. Under a prior: leave_one_out, because a chart that is folded to please the
// prior explains itself well and its neighbours badly. Without one: the likelihood, since that was asked for.
double merit(const FitProblem& problem, const FitState& state);

// body(i) for i in 0..count-1, on as many threads as allowed; which thread runs what cannot change any result.
void in_parallel(int threads, Index count, const std::function<void(Index)>& body);

}  // namespace wgp
