// From points and options to the problem that is optimised, and from an optimum back to a model.
#pragma once

#include "fit/optimum.h"
#include "fit/session.h"
#include "wgp/statistics.h"

namespace wgp {

// Points at their first base point: the Frechet mean, or for baselines the mean of the embedding.
struct Lifting {
  ManifoldPtr manifold;
  Matrix P;
  Vector base;  // as Model::Parts::base
  LiftPtr lift;
  Lifted lifted;
  double scale = 1;  // root mean square of V
  bool mean_converged = true, mean_unique = true;
  // What turns a value of a problem with scaled vectors into one of the data.
  double to_data() const;
};
// The one place where a logarithm that failed is noticed. Error: which points, and all points equal.
Lifting lift_to_mean(const ManifoldPtr& manifold, ConstMatrixRef P, ModelKind kind, double clip);

enum class Latents { free, given };  // given: the inputs of a regression

// At the mean.
FitProblem problem_at_mean(const Lifting& lifting, Prior prior, Latents latents, FitSession& session);
// With a base point that is fitted; scale and kernel as at the mean.
FitProblem problem_with_base(const Lifting& lifting, BasepointKind kind, Prior prior, Latents latents,
                             FitSession& session);

// The model of a state, in the data's units, its variances as fitted (but for the share that latents took up). P: the
// points of the problem. Nothing where the process has no covariance with a factor.
std::optional<Model> model_of(const FitProblem& problem, const FitState& state, const FitOptions& options, Prior prior,
                              BasepointKind kind, ConstVectorRef embedded_base);

// Centred, rotated to principal axes (shared length-scale), signs fixed: the same model in the form that plots want.
// Nothing is done where the kernel is not invariant.
void fix_gauge(const FitProblem& problem, LengthScales lengths, Matrix& X);

}  // namespace wgp
