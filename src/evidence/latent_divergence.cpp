#include "evidence/latent_divergence.h"

#include <cmath>
#include <numbers>

namespace wgp {

WrappedEntropy wrapped_normal_entropy(double S) {
  constexpr double two_pi = 2 * std::numbers::pi;
  // The circle is not noticed: an error below 1e-14.
  if (S < 0.15) return {0.5 * std::log(two_pi * std::numbers::e * S), 0.5 / S};
  double value = std::log(two_pi), slope = 0;
  const int terms = 1 + static_cast<int>(38 / S);
  for (int k = 1; k <= terms; ++k) {
    const double x = std::exp(-S * k), y = std::exp(-S * (k * k + k) / 2.0), rest = 1 - x;
    const double sign = k % 2 == 0 ? 1 : -1;
    value += -std::log1p(-x) + 2 * sign / k * y / rest;
    slope += -k * x / rest + 2 * sign / k * (-(k * k + k) / 2.0 * y / rest - y * k * x / (rest * rest));
  }
  return {value, slope};
}

double latent_divergence(const LatentSpace& latent, ConstMatrixRef mu, ConstMatrixRef S, MatrixRef d_mu,
                         MatrixRef d_S) {
  const Index a = latent.angles(), p = latent.plain_count();
  double sum = 0;
  for (Index n = 0; n < S.cols(); ++n)
    for (Index j = 0; j < a; ++j) {
      const WrappedEntropy entropy = wrapped_normal_entropy(S(j, n));
      sum += std::log(2 * std::numbers::pi) - entropy.value;
      if (d_S.size() > 0) d_S(j, n) += entropy.by_variance;
    }
  if (p == 0) return sum;
  const auto plain_mu = mu.bottomRows(p).array();
  const auto plain_S = S.bottomRows(p).array();
  sum += 0.5 * (plain_mu.square() + plain_S - plain_S.log() - 1).sum();
  if (d_mu.size() > 0) d_mu.bottomRows(p) -= mu.bottomRows(p);
  if (d_S.size() > 0) d_S.bottomRows(p).array() -= 0.5 * (1 - plain_S.inverse());
  return sum;
}

}  // namespace wgp
