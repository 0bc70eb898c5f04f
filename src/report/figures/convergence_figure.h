// All optima that a fit found: how high each is, and which one became the model.
#pragma once

#include <vector>

#include "report/figures/figure.h"
#include "wgp/fit.h"

namespace wgp::report {

struct ConvergenceData {
  std::vector<StartReport> starts;  // the chosen one first, then by falling log posterior
  bool has_leave_one_out = true;    // regression has one optimum's worth of latents: none
  bool integrated = false;          // log posteriors are bounds on the log evidence
};
ConvergenceData convergence_data(const Model& model, const FitSummary& summary);
Figure convergence_figure(const ConvergenceData& data);

}  // namespace wgp::report
