// One fit among those that a plan makes, with all that it takes to choose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit/base_search.h"
#include "fit/cross_validate.h"
#include "fit/plan.h"
#include "fit/problem.h"

namespace wgp {

struct Candidate {
  std::string name;  // among those of the fit, for its checkpoints
  Prior prior = Prior::map;
  BasepointKind base = BasepointKind::mean;
  bool base_only = false;
  FitProblem problem;
  Optimum optimum;
  StartReport report;           // in the data's units
  std::optional<Model> model;   // with the variances that left-out points ask for
  bool lost = false;            // to one that is better in every respect known before points are left out
  std::optional<HeldOut> held;  // nothing for few points and fits that were cut short
  double held_out() const { return held ? held->log_density() : -infinity; }
};

// What the summary says of an optimum. The mean log density of a point given the others only if the fit goes on.
StartReport report_of(const FitProblem& problem, const Optimum& optimum, const Lifting& lifting,
                      const FitSession& session);

// The model of a candidate, and unless the fit has been told to end what left-out points say about it. Error if it has
// none. Unopposed: it is compared with nothing, and no points are left out.
enum class Judged { by_left_out_points, unopposed };
void judge(Candidate& candidate, const Lifting& lifting, const FitPlan& plan, FitSession& session,
           Judged by = Judged::by_left_out_points);

// Mean log density of a point given the others and its latent, per unit of volume; minus infinity without a formula.
double leave_one_out_density(const Model& model);

// As seen from the base points of the model, whatever its lift.
void count_cut_locus_points(const Model& model, FitSummary& summary);

// With the sorted distances of points that were kept for it to their reconstructions, at their inputs where these are
// given.
Model with_calibration(const Model& model, ConstMatrixRef points, int threads,
                       const std::optional<Matrix>& inputs = std::nullopt);

// ---- choices
// Of the optima at the mean: sound and polished before others; then the greater merit. Under a prior an optimum of
// greater log posterior may stand against it; left-out points will have to decide.
std::vector<std::size_t> contenders(const FitProblem& problem, const std::vector<Optimum>& optima,
                                    const std::vector<StartReport>& reports, bool cut_short);
// By left-out points; the first of those that are equal, and of those without any.
std::size_t densest(const std::vector<Candidate>& candidates);
// The log density of points that are left out, or of points left out one at a time; without a process beside the base
// point it has a credit.
double merit_of_base(const Candidate& candidate);
// Of one kind of base point: by points that are left out, not by the posterior: the rougher curve always has the higher
// one.
std::size_t best_base(const std::vector<Candidate>& candidates);

// What a fit that was told to end did not come to.
struct LeftUndone {
  enum class Folds { done, missing } folds = Folds::done;          // points left out and predicted
  enum class Bases { compared, missing } bases = Bases::compared;  // base points that were fitted
  std::vector<std::string> bases_not_tried;
};
std::string in_words(const LeftUndone& left);

}  // namespace wgp
