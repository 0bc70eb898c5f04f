#include "fit/latent_process.h"

#include "fit/grid_steps.h"
#include "fit/variational_settings.h"
#include "gp/lattice_posterior.h"

namespace wgp {

LatentOptimum on_all_points(const FitProblem& problem, const LatentOptimum& optimum, FitSession& session) {
  if (optimum.state.X.cols() == problem.N()) return optimum;
  if (!optimum.grid)
    throw Error("this candidate was found on a part of the points, and says nothing about the others; ask for another");
  const KernelSpectrum spectrum = spectrum_of(problem);
  GridEngine engine(spectrum, problem.outputs.rows, problem.d(), &session.executor, nullptr);
  return from_grid(optimum.kind, engine, engine.adopt(engine, *optimum.grid));
}

LatentOptimum refit(const FitProblem& problem, const LatentOptimum& optimum, const std::vector<Index>& kept,
                    FitSession& session, Executor& executor) {
  if (optimum.by_grid) {
    const KernelSpectrum spectrum = spectrum_of(problem);
    // In the coordinates of all points' outputs, which the sums are in.
    const Matrix rows = problem.outputs.rows(Eigen::all, kept);
    GridEngine engine(spectrum, rows, problem.d(), &executor, &session.control);
    GridState state = engine.adopt(engine, *optimum.grid);
    for (int k = 0; k < variational::refit_passes; ++k) engine.pass(state, {});
    return from_grid(optimum.kind, engine, std::move(state));
  }
  LatentOptimum others = optimum;
  others.grid.reset();
  others.state.X = optimum.state.X(Eigen::all, kept);
  others.state.S = optimum.state.S(Eigen::all, kept);
  // Of so many points none has a say in the latents of others: it is enough that the process does without them.
  if (problem.N() > variational::most_refitted) return others;
  FitProblem part = problem.subset(kept);
  part.executor = &executor;
  others.state = refine(part, others.state, variational::refit_iterations).state;
  others.bound = others.state.value;
  return others;
}

PosteriorPtr posterior_of(const FitProblem& problem, const LatentOptimum& optimum, ConstVectorRef theta, double noise,
                          ConstMatrixRef V) {
  if (!optimum.by_grid || !optimum.grid) {
    Parameters at = optimum.state;
    at.X = problem.latent.wrapped(at.X);
    at.theta = theta;
    return problem.evidence({problem.kernel, problem.latent, nullptr, nullptr})->condition(at, noise, V);
  }
  // The grid saw rows Z with V = scale R Z and Z Z' diagonal (compress_rows), or V itself, scaled.
  const Matrix& Z = problem.outputs.rows;
  const KernelSpectrum spectrum = spectrum_of(problem);
  GridEngine engine(spectrum, V, problem.d(), nullptr, nullptr);
  GridState state = *optimum.grid;
  if (Z.rows() == V.rows())
    state.sums.pull *= problem.scale;
  else
    state.sums.pull = problem.scale * (problem.V * Z.transpose() *
                                       Z.rowwise().squaredNorm().cwiseInverse().asDiagonal() * state.sums.pull);
  state.sums.squares *= problem.scale * problem.scale;
  state.theta = theta;
  state.noise = noise;
  const LatticeSums sums = engine.lattice_sums(state);
  CollapsedBound bound(spectrum, state.plan->lattice, state.plan->mode);
  if (!std::isfinite(bound.value(theta, noise, sums))) return nullptr;
  return lattice_posterior({problem.kernel, problem.latent, theta, noise, bound.neglected(),
                            state.plan->lattice.periods(), state.plan->lattice.modes(),
                            problem.latent.wrapped(optimum.state.X), bound.weights(), engine.lattice_table(state)});
}

}  // namespace wgp
