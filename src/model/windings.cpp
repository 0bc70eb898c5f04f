#include "model/windings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wgp {
namespace {

Vector softmax(Vector log_weights) {
  log_weights.array() -= log_weights.maxCoeff();
  log_weights = log_weights.array().exp();
  return log_weights / log_weights.sum();
}

}  // namespace

double largest_nonprincipal_responsibility(const Model& model) {
  const Manifold& manifold = model.manifold();
  if (manifold.injectivity_radius() == infinity) return 0;
  const std::optional<LeaveOneOut> others = model.posterior()->leave_one_out();
  if (!others) return 0;
  const Matrix V = model.lift().lift(model.parts().X, model.parts().P).V;
  double largest = 0;
  for (Index i = 0; i < V.cols(); ++i) {
    const double q = 1 / others->variance[i], sd = std::sqrt(others->variance[i]);
    const Vector mean = others->mean.col(i);
    // Preimages with a log weight within 40 of the best: |v - mean| <= |v_0 - mean| + sqrt(80) sd.
    const double reach = mean.norm() + (V.col(i) - mean).norm() + std::sqrt(80.0) * sd;
    const double cap = 50 * manifold.injectivity_radius();
    if (reach < 2 * manifold.injectivity_radius() - V.col(i).norm()) continue;
    const Preimages preimages =
        model.lift().preimages(model.parts().X.col(i), model.parts().P.col(i), std::min(reach, cap));
    if (!preimages.countable || preimages.coords.cols() < 2) continue;
    Vector weight(preimages.coords.cols());
    for (Index k = 0; k < weight.size(); ++k)
      weight[k] = -q * (preimages.coords.col(k) - mean).squaredNorm() / 2 - preimages.log_abs_det[k];
    largest = std::max(largest, 1 - softmax(weight)[0]);
  }
  return largest;
}

MeanFieldWindings mean_field_windings(ConstMatrixRef Q, double log_det, const std::vector<PreimageSet>& preimages,
                                      int max_sweeps, double tolerance) {
  const Index N = Q.rows(), d = preimages.empty() ? 0 : preimages[0].coords.rows();
  MeanFieldWindings result;
  Matrix M(d, N);
  for (Index i = 0; i < N; ++i) {  // all principal
    result.responsibilities.push_back(Vector::Unit(preimages[static_cast<std::size_t>(i)].coords.cols(), 0));
    M.col(i) = preimages[static_cast<std::size_t>(i)].coords.col(0);
  }
  const auto bound = [&] {
    double value = -static_cast<double>(N * d) / 2 * std::log(2 * std::numbers::pi) -
                   static_cast<double>(d) / 2 * log_det - 0.5 * (M * Q).cwiseProduct(M).sum();
    for (Index i = 0; i < N; ++i) {
      const auto& r = result.responsibilities[static_cast<std::size_t>(i)];
      const auto& set = preimages[static_cast<std::size_t>(i)];
      value -= 0.5 * Q(i, i) * (set.coords.colwise().squaredNorm().dot(r) - M.col(i).squaredNorm());
      for (Index k = 0; k < r.size(); ++k)
        if (r[k] > 0) value -= r[k] * (set.log_abs_det[k] + std::log(r[k]));
    }
    return value;
  };
  result.bound = bound();
  for (result.sweeps = 0; result.sweeps < max_sweeps; ++result.sweeps) {
    for (Index i = 0; i < N; ++i) {
      const auto& set = preimages[static_cast<std::size_t>(i)];
      const Vector others = M * Q.col(i) - Q(i, i) * M.col(i);
      const Vector weight = -0.5 * Q(i, i) * set.coords.colwise().squaredNorm().transpose() -
                            set.coords.transpose() * others - set.log_abs_det;
      Vector& r = result.responsibilities[static_cast<std::size_t>(i)];
      r = softmax(weight);
      M.col(i) = set.coords * r;
    }
    const double now = bound();
    const bool done = now - result.bound <= tolerance * std::abs(now);
    result.bound = now;
    if (done) break;
  }
  return result;
}

}  // namespace wgp
