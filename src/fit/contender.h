// A model that a fit with integrated latents could end with, and what points that were left out say of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit/left_out.h"
#include "fit/plan.h"
#include "fit/session.h"

namespace wgp {

// One kind of base point, with all that it takes to choose.
struct Contender {
  BasepointKind base = BasepointKind::mean;
  std::string kind;
  double bound = 0;  // in the data's units
  int iterations = 0;
  std::optional<Model> model;
  std::optional<LeftOutPoints> left_out;
  std::vector<bool> skipped;  // training points that belong to nothing
  double held_out() const { return left_out ? left_out->log_densities.mean() : -infinity; }
};

// What all steps of one fit share.
struct IntegratedFit {
  const ManifoldPtr manifold;
  const FitOptions& options;
  const FitPlan plan;
  FitSession session;
  const Lifting lifting;
  FitProblem problem;  // at the mean

  IntegratedFit(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options);
  bool stopped() const { return session.control.stopped(); }
};

// Nothing where no points are left out, or the fit was ended.
std::optional<LeftOutPoints> left_out_of(IntegratedFit& fit, const FoldModel& fold_model,
                                         const std::vector<bool>& skipped, double noise,
                                         const FoldDraws& draws_of = {});

// From the plainest on, or that with the highest bound, by the points that were left out of all of them.
std::size_t plainest_of(const std::vector<Contender>& contenders, double standard_errors);

// Root mean square over the left-out points that have a prediction. P: all training points.
double reconstruction_error(const LeftOutPoints& left_out, ConstMatrixRef P);

}  // namespace wgp
