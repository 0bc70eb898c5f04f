#include "fit/optimum.h"

#include <cmath>
#include <numbers>

#include "fit/settings.h"

namespace wgp {

std::optional<Vector> leave_one_out_densities(const FitProblem& problem, const FitState& state) {
  const PosteriorPtr posterior = posterior_at(problem, state);
  if (!posterior) return std::nullopt;
  const std::optional<LeaveOneOut> others = posterior->leave_one_out();
  if (!others) return std::nullopt;
  const Matrix V = vectors_at(problem, state);
  const double d = static_cast<double>(V.rows());
  return Vector(-d / 2 * (2 * std::numbers::pi * others->variance.array()).log() -
                (V - others->mean).colwise().squaredNorm().transpose().array() / (2 * others->variance.array()));
}

double leave_one_out(const FitProblem& problem, const FitState& state) {
  const std::optional<Vector> densities = leave_one_out_densities(problem, state);
  return densities ? densities->mean() : -infinity;
}

std::string degeneracy(const FitProblem& problem, const FitState& state) {
  if (state.noise() > settings::noise_of_all_noise) return "all noise";
  const Index plain = problem.latent.plain_count();
  if (plain > 0) {
    const Matrix X = state.X.bottomRows(plain);
    const double spread = std::sqrt((X.colwise() - X.rowwise().mean()).squaredNorm() / static_cast<double>(X.size()));
    if (spread < settings::collapsed_spread) return "collapsed latents";
    if (spread > settings::scattered_spread) return "one point per length-scale";
  }
  for (const Index i : problem.kernel->angle_length_parameters())
    if (state.theta[i] > settings::longest_log_length_of_angles) return "infinite length-scale";
  return "";
}

}  // namespace wgp
