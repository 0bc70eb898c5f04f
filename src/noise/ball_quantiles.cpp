#include "noise/ball_quantiles.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "core/random_streams.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr Index ball_draws = 20000, strata = 8, quantiles_a_stratum = 512;

}  // namespace

double BallQuantiles::at(double level) const {
  std::call_once(simulated_, [&] { simulate(); });
  const Index n = sorted_.size();
  // The k-th smallest of n stands for the level (k + 1/2) / n.
  const double place = std::clamp(level * static_cast<double>(n) - 0.5, 0.0, static_cast<double>(n - 1));
  const Index below = std::min(static_cast<Index>(place), n - 2);
  const double share = place - static_cast<double>(below);
  return (1 - share) * sorted_[below] + share * sorted_[below + 1];
}

void BallQuantiles::simulate() const {
  const bool heavy = std::isfinite(nu_);
  Vector u(strata * quantiles_a_stratum);
  for (Index j = 0; heavy && j < u.size(); ++j)
    u[j] = 2 / nu_ * boost::math::gamma_p_inv(nu_ / 2, (static_cast<double>(j) + 0.5) / static_cast<double>(u.size()));
  Random random(0, stream::noise_balls);
  sorted_.resize(heavy ? ball_draws * strata : ball_draws);
  for (Index i = 0; i < ball_draws; ++i) {
    double sum = 0;
    for (Index k = 0; k < variances_.size(); ++k) {
      const double eps = random.normal();
      sum += variances_[k] * eps * eps;
    }
    if (!heavy) sorted_[i] = sum;
    for (Index p = 0; heavy && p < strata; ++p)
      sorted_[i * strata + p] = sum / u[p * quantiles_a_stratum + random.below(quantiles_a_stratum)];
  }
  std::sort(sorted_.begin(), sorted_.end());
}

}  // namespace wgp
