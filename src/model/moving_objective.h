// The function that a fit minimises where the base point is learned too: minus the log posterior of latents, kernel
// parameters, noise, centre and coefficients of the base point.
//
//   L = log N(V | 0, K (x) I) - [volume] sum_i log|det dExp_{m(x_i)}(v_i)| + log prior,   v_i = Log_{m(x_i)}(p_i)
// Without the volume term (the paper's objective) L is no density on the manifold, and base points cannot be compared
// by it. V, coefficients and steps of the centre are in units of `scale`. The centre moves as Exp_mu(step) from where a
// round began; refine_moving() makes several rounds.
//
// What keeps the base point at its work, which is to be near the data and no more:
//   - v_i ~ N(0, (0.3 scale)^2): a process that can bend as it likes could carry the whole signal, with base points far
//     from the data that squeeze the noise where dExp is small. The likelihood likes that, new points do not.
//   - differences of neighbouring spline coefficients (second along a line, third around a loop) ~ N(0, s^2): a base
//     point that chases noise is rough. s is set after every round to what the coefficients show, at least 0.02 scale:
//     straight curves become straight.
//   - length-scales of at least 0.3, for latents of unit variance: a process that wriggles from point to point makes
//     room for latents in any order.
//   - coefficients ~ N(0, (10 scale)^2), and a steep cost beyond 0.9 injectivity radii, where the density of a wrapped
//     Gaussian is unbounded.
#pragma once

#include <memory>

#include "model/objective.h"
#include "wgp/basepoint.h"

namespace wgp {

struct MovingProblem {
  KernelPtr kernel;
  LatentSpace latent = LatentSpace::plain(1);
  Matrix P;
  double scale = 1;
  std::vector<bool> theta_is_free;
  PriorTerms prior;
  bool volume_term = true;
  double least_log_length = -infinity;  // length-scales below it cost: what the base point leaves over is smooth

  Index N() const { return P.cols(); }
};

struct MovingState {
  FitState fit;  // in units of scale, as in FitProblem
  std::shared_ptr<const Basepoint> base;
  double rough_sd = 0.5;  // s, in units of scale
};

// Of [vec X; free theta; u; step of the centre; vec coefficients]. Refers to the problem.
std::unique_ptr<Objective> moving_objective(const MovingProblem& problem, const MovingState& state);
Vector pack_moving(const MovingProblem& problem, const MovingState& state);

struct RefinedMoving {
  MovingState state;
  OptimiseResult report;  // counts over all rounds
  double jitter = 0;
};
RefinedMoving refine_moving(const MovingProblem& problem, const MovingState& start, const OptimiseOptions& options);

// The log prior of latents, kernel and base point alone.
double moving_log_prior(const MovingProblem& problem, const MovingState& state);

}  // namespace wgp
