// A trial: one model on one split. Evaluations are made of them, and a long one keeps them in files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "wgp/evaluate.h"

namespace wgp {

struct TrialErrors {
  double intrinsic_rmse = 0, intrinsic_median = 0, euclidean_rmse = 0;
  void each_part(auto&& visitor) { visitor(intrinsic_rmse, intrinsic_median, euclidean_rmse); }
};

struct Trial {
  bool finished = false;
  TrialErrors density, projection;
  double log_likelihood = 0, bound = 0;  // NaN: the fit has none
  double held_out_log_density = 0, seconds = 0;
  std::vector<double> fractions, null_fractions, coverage, clip_errors;
  void each_part(auto&& visitor) {
    visitor(finished, density, projection, log_likelihood, bound, held_out_log_density, seconds, fractions,
            null_fractions, coverage, clip_errors);
  }
};

// The models by the fits they need: gplvm and gplvmproj make different use of one and the same fit, nearest and pga
// need none. Error for a name that is no model's.
using FitGroup = std::vector<std::string>;
std::vector<FitGroup> fit_groups(const std::vector<std::string>& models);
// About what a trial of a group costs, in fits of wgplvm's own.
double cost_of_trial(const FitGroup& group);

// One trial for each model of a group, on the split of this number; unfinished where keep_going said no.
std::vector<Trial> run_trials(const ManifoldPtr& manifold, ConstMatrixRef P, const FitGroup& group, int split,
                              const EvaluateOptions& options, const std::function<bool()>& keep_going);

// Of the finished ones, in their order.
ModelEvaluation summary_of(const std::string& model, const std::vector<Trial>& trials, const EvaluateOptions& options);

}  // namespace wgp
