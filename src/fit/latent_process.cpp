#include "fit/latent_process.h"

#include <cmath>

#include "evidence/learned_density.h"
#include "evidence/variational_evidence.h"
#include "fit/grid_steps.h"
#include "fit/variational_settings.h"

namespace wgp {

FitProblem integrated_problem(const Lifting& lifting, FitSession& session) {
  FitProblem problem = problem_at_mean(lifting, Prior::none, Latents::free, session);
  problem.terms.clear();  // the bound contains the latents' prior
  problem.free.theta.assign(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
  return problem;
}

LatentOptimum on_all_points(const FitProblem& problem, const LatentOptimum& optimum, FitSession& session) {
  if (optimum.state.X.cols() == problem.N()) return optimum;
  if (!optimum.grid)
    throw Error("this candidate was found on a part of the points, and says nothing about the others; ask for another");
  const KernelSpectrum spectrum = spectrum_of(problem);
  GridEngine engine(spectrum, problem.outputs.rows, problem.d(), &session.executor, nullptr);
  return from_grid(optimum.kind, engine, engine.adopt(engine, *optimum.grid));
}

void set_densities(FitProblem& problem, AngleDensities densities) {
  if (densities == AngleDensities::learned) return;
  problem.evidence = [as_it_was = problem.evidence, densities](EvidenceSetting setting) {
    setting.densities = densities;
    return as_it_was(setting);
  };
}

LatentOptimum refit(const FitProblem& problem, const LatentOptimum& optimum, const std::vector<Index>& kept,
                    FitSession& session, Executor& executor) {
  if (optimum.by_grid) {
    const KernelSpectrum spectrum = spectrum_of(problem);
    // In the coordinates of all points' outputs, which the sums are in.
    const Matrix rows = problem.outputs.rows(Eigen::all, kept);
    GridEngine engine(spectrum, rows, problem.d(), &executor, &session.control, optimum.densities);
    GridState state = engine.adopt(engine, *optimum.grid);
    for (int k = 0; k < variational::refit_passes; ++k) engine.pass(state, {});
    LatentOptimum others = from_grid(optimum.kind, engine, std::move(state));
    others.densities = optimum.densities;
    return others;
  }
  LatentOptimum others = optimum;
  others.grid.reset();
  others.state.X = optimum.state.X(Eigen::all, kept);
  others.state.S = optimum.state.S(Eigen::all, kept);
  // Of so many points none has a say in the latents of others: it is enough that the process does without them.
  if (problem.N() > variational::most_refitted) return others;
  FitProblem part = problem.subset(kept);
  part.executor = &executor;
  set_densities(part, optimum.densities);
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
  return collapsed_posterior({problem.kernel, problem.latent, theta, noise, problem.latent.wrapped(optimum.state.X)},
                             spectrum, *state.plan, engine.lattice_sums(state), engine.lattice_table(state));
}

Model::Parts integrated_parts(const Lifting& lifting, const FitProblem& problem, const FitOptions& options,
                              ConstVectorRef theta, double noise) {
  Model::Parts parts;
  parts.kind = options.model;
  parts.manifold = lifting.manifold;
  parts.kernel = problem.kernel;
  parts.lengths = options.lengths;
  parts.latent = problem.latent;
  parts.inference = Inference::variational;
  parts.clip = options.clip;
  parts.base = lifting.base;
  parts.theta = theta;
  for (const Index i : problem.kernel->amplitude_parameters()) parts.theta[i] += 2 * std::log(lifting.scale);
  parts.noise = noise * lifting.scale * lifting.scale;
  parts.law = normal_noise(problem.d(), parts.noise);
  return parts;
}

std::optional<Model> integrated_model(const Lifting& lifting, const FitProblem& problem, const FitOptions& options,
                                      const LatentOptimum& optimum, ConstMatrixRef P, ConstMatrixRef V) {
  Model::Parts parts = integrated_parts(lifting, problem, options, optimum.state.theta, optimum.noise());
  parts.P = P;
  parts.X = problem.latent.wrapped(optimum.state.X);
  parts.X_sd = (optimum.state.S.array() / 2).exp();
  const PosteriorPtr posterior = posterior_of(problem, optimum, parts.theta, parts.noise, V);
  if (!posterior) return std::nullopt;
  if (optimum.densities == AngleDensities::learned) parts.angle_density = learned_density(*posterior).coefficients();
  return Model(std::move(parts), posterior);
}

}  // namespace wgp
