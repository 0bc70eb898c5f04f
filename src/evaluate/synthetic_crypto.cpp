// Sample covariances of ten price series over windows of 20 days. Prices are of very different size, so variances run
// over twenty decades; volatilities grow and correlations tighten along a path of two latents, a smooth walk in time.
// The truth is the covariance that a window was drawn from; the sample covariance of 20 days has 19 degrees of freedom.
#include "core/format.h"
#include "core/random_streams.h"
#include "linalg/decompositions.h"

#include <cmath>

#include "evaluate/synthetic.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr Index windows = 126, coins = 10, days = 20;

// log10 of each coin's standard deviation in quiet times, and how it answers to the two latents.
constexpr double log_level[coins] = {1.7, 0.1, -4.2, -4.6, 0.1, -1.6, -3.0, -0.3, -2.6, -5.2};
constexpr double growth[coins] = {0.8, 1.1, 1.1, 0.7, 0.8, 0.7, 0.9, 1.2, 0.8, 1.4};
constexpr double bubble[coins] = {0.1, 0.2, -0.5, 0.4, 0.3, -0.2, 0.5, -0.4, 0.6, -0.7};

Matrix covariance(double a, double b) {
  // One common factor whose weight grows with a, a second one that b brings in with either sign.
  Vector common(coins), second(coins), scale(coins);
  for (Index i = 0; i < coins; ++i) {
    const double x = static_cast<double>(i);
    common[i] = 0.55 + 0.4 * std::tanh(0.8 * a) - 0.04 * std::cos(2.0 * x);
    second[i] = 0.55 * std::sin(1.7 * x + 0.8 * b);
    scale[i] = std::pow(10.0, log_level[i] + growth[i] * a + bubble[i] * b);
  }
  const Vector own = (1 - 0.9 * common.array().square()).max(0.02);
  const Matrix correlation = common * common.transpose() + second * second.transpose() +
                             Matrix(own.cwiseProduct(Vector::Constant(coins, 0.25)).asDiagonal());
  return scale.asDiagonal() * correlation * scale.asDiagonal();
}

}  // namespace

SyntheticSet synthetic_crypto(std::uint64_t seed) {
  SyntheticSet set{
      "spd:10",     2, "rbf", Matrix(coins * coins, windows), Matrix(coins * coins, windows), Matrix(2, windows), {},
      {"t1", "t2"}, {}};
  for (Index i = 1; i <= coins; ++i)
    for (Index j = 1; j <= coins; ++j) set.point_names.push_back(fmt::format("c{}_{}", i, j));
  Random random(seed, stream::synthetic_crypto);
  double drift = 0;
  for (Index w = 0; w < windows; ++w) {
    const double time = static_cast<double>(w) / static_cast<double>(windows - 1);
    drift = 0.8 * drift + 0.12 * random.normal();
    const double a = -0.4 + 1.6 * time * time * time + 0.25 * std::sin(9 * time) + drift;
    const double b = std::sin(5.5 * time) + 0.5 * std::sin(14 * time) + 0.1 * random.normal();
    const Matrix truth = covariance(a, b);
    const Matrix root = Cholesky(truth).L();
    const Matrix changes = root * random.normals(coins, days);
    const Matrix centred = changes.colwise() - changes.rowwise().mean();
    Matrix sample = centred * centred.transpose() / static_cast<double>(days - 1);
    sample = (sample + sample.transpose()).eval() / 2;
    set.truth.col(w) = truth.reshaped();
    set.points.col(w) = sample.reshaped();
    set.latents.col(w) << a, b;
  }
  return set;
}

}  // namespace wgp
