#include "model/prior_terms.h"

#include <cmath>

namespace wgp {
namespace {

constexpr double log_two_pi = 1.8378770664093453;
constexpr double angle_length_sd = 0.5;

Matrix prior_latents(const LatentSpace& latent, const PriorTerms& terms, const FitState& state) {
  Matrix X = state.X.bottomRows(latent.plain_count());
  if (terms.centred) X.colwise() -= X.rowwise().mean().eval();
  return X;
}

}  // namespace

double log_prior_of(const KernelPtr& kernel, const LatentSpace& latent, const PriorTerms& terms,
                    const FitState& state) {
  double sum = 0;
  const double N = static_cast<double>(state.X.cols());
  if (terms.latent_precision > 0) {
    const double plain = static_cast<double>(latent.plain_count()), angles = static_cast<double>(latent.angles());
    sum -= terms.latent_precision * prior_latents(latent, terms, state).squaredNorm() / 2 + N * plain * log_two_pi / 2;
    sum -= N * angles * log_two_pi;  // uniform on the circle
  }
  if (terms.lengths_of_angles)
    for (const Index i : kernel->angle_length_parameters()) {
      const double z = state.theta[i] / angle_length_sd;
      sum -= z * z / 2 + std::log(angle_length_sd) + log_two_pi / 2;
    }
  if (terms.log_noise_mean) {
    const double z = (std::log(state.noise()) - *terms.log_noise_mean) / terms.log_noise_sd;
    sum -= z * z / 2;
  }
  return sum;
}

void add_prior_gradient(const KernelPtr& kernel, const LatentSpace& latent, const PriorTerms& terms,
                        const FitState& state, Matrix& by_X, Vector& by_theta, double& by_u) {
  if (terms.latent_precision > 0)
    by_X.bottomRows(latent.plain_count()) -= terms.latent_precision * prior_latents(latent, terms, state);
  if (terms.lengths_of_angles)
    for (const Index i : kernel->angle_length_parameters())
      by_theta[i] -= state.theta[i] / (angle_length_sd * angle_length_sd);
  if (terms.log_noise_mean) {
    const double z = (std::log(state.noise()) - *terms.log_noise_mean) / terms.log_noise_sd;
    by_u -= z / terms.log_noise_sd * std::exp(state.u) / state.noise();
  }
}

}  // namespace wgp
