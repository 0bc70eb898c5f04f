#include <cmath>
#include <numbers>

#include "gp/conditioning.h"
#include "wgp/model.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr Index copies = 4;

double mean_nearest_distance(ConstMatrixRef X) {
  double sum = 0;
  for (Index i = 0; i < X.cols(); ++i) {
    Vector squared = (X.colwise() - X.col(i)).colwise().squaredNorm().transpose();
    squared[i] = infinity;
    sum += std::sqrt(squared.minCoeff());
  }
  return sum / static_cast<double>(X.cols());
}

Matrix components(const Model& model, std::uint64_t seed) {
  const Matrix& X = model.parts().X;
  const Index N = X.cols();
  const double bandwidth = mean_nearest_distance(X);
  Matrix spread(X.rows(), N * (copies + 1));
  spread.leftCols(N) = X;
  Random random(seed, 58);
  for (Index c = 1; c <= copies; ++c) spread.middleCols(c * N, N) = X + bandwidth * random.normals(X.rows(), N);
  return spread;
}

}  // namespace

Vector mixture_log_density(const Model& model, ConstMatrixRef points, std::uint64_t seed) {
  const Matrix X = components(model, seed), V = model.to_coords(points);
  const Prediction prediction = model.predict(X);
  const double d = static_cast<double>(V.rows());
  const Vector total = prediction.variance.array() + prediction.noise;
  const Vector constant = -d / 2 * (2 * std::numbers::pi * total.array()).log();
  Vector density(V.cols());
  for (Index i = 0; i < V.cols(); ++i) {
    const Vector terms =
        constant.array() -
        (prediction.coords.colwise() - V.col(i)).colwise().squaredNorm().transpose().array() / (2 * total.array());
    const double most = terms.maxCoeff();
    density[i] = most + std::log((terms.array() - most).exp().mean());
  }
  // log_density at any latent, with and without the volume term, differs by that term alone.
  const Matrix anywhere = X.col(0).replicate(1, V.cols());
  return density + model.log_density(anywhere, points, true) - model.log_density(anywhere, points, false);
}

}  // namespace wgp
