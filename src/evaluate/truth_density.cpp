// p(y) = int p(t) N(Log_c(t) y; 0, s^2 I) / |det dExp_c(t)(Log_c(t) y)| dt, with the principal log alone: other
// preimages are more than 30 standard deviations away in every set.
#include <cmath>
#include <numbers>

#include "evaluate/truth_sets.h"

namespace wgp {
namespace {

constexpr double furthest = 14;  // in standard deviations: what lies beyond adds nothing

struct QuadratureNodes {
  Matrix parameters;
  Vector weights;  // sum to 1
};

QuadratureNodes quadrature_nodes(const TruthSet& set) {
  QuadratureNodes nodes;
  if (set.is_curve()) {
    constexpr Index count = 2000;
    const double step = (set.last - set.first) / static_cast<double>(count);
    nodes.parameters = Vector::LinSpaced(count, set.first + step / 2, set.last - step / 2).transpose();
    nodes.weights.resize(count);
    for (Index k = 0; k < count; ++k) {
      const double t = nodes.parameters(0, k);
      const bool missing = set.gap && t > set.gap->first && t < set.gap->second;
      nodes.weights[k] = missing ? 0 : set.relative_density ? set.relative_density(t) : 1;
    }
  } else {
    constexpr Index side = 401;
    const Vector line = Vector::LinSpaced(side, -6, 6);
    nodes.parameters.resize(2, side * side);
    Index kept = 0;
    for (const double a : line)
      for (const double b : line)
        if (a * a + b * b < 36) nodes.parameters.col(kept++) << a, b;
    nodes.parameters.conservativeResize(2, kept);
    nodes.weights = (nodes.parameters.colwise().squaredNorm().array() / (-2 * sheet_parameter_sd * sheet_parameter_sd))
                        .exp()
                        .transpose();
  }
  nodes.weights /= nodes.weights.sum();
  return nodes;
}

// log sum exp, a few terms at a time.
class LogSumsOfPoints {
 public:
  explicit LogSumsOfPoints(Index count) : most_(Vector::Constant(count, -infinity)), sum_(Vector::Zero(count)) {}
  void add(Index i, ConstVectorRef terms) {
    const double most = std::max(most_[i], terms.maxCoeff());
    if (most == -infinity) return;
    sum_[i] = sum_[i] * std::exp(most_[i] - most) + (terms.array() - most).exp().sum();
    most_[i] = most;
  }
  Vector value() const { return most_.array() + sum_.array().log(); }

 private:
  Vector most_, sum_;
};

}  // namespace

Vector true_log_density(const TruthSet& set, ConstMatrixRef points) {
  const QuadratureNodes nodes = quadrature_nodes(set);
  const Matrix centres = set.at(nodes.parameters);
  const Vector log_weights = nodes.weights.array().log();
  const Index d = set.manifold->dim(), n = points.cols();
  const double scale = -1 / (2 * set.noise * set.noise);
  LogSumsOfPoints sums(n);
  if (set.manifold->is_flat()) {
    const auto space = set.manifold->at(centres.col(0));
    Matrix V(d, n), C(d, centres.cols());
    space->log(points, V);
    space->log(centres, C);
    constexpr Index block = 4096;
    for (Index from = 0; from < C.cols(); from += block) {
      const auto here = C.middleCols(from, std::min(block, C.cols() - from));
      const Vector constant = log_weights.segment(from, here.cols()) + scale * here.colwise().squaredNorm().transpose();
      for (Index i = 0; i < n; ++i)
        sums.add(i, constant + scale * (V.col(i).squaredNorm() - 2 * (here.transpose() * V.col(i)).array()).matrix());
    }
  } else {
    Matrix terms = Matrix::Constant(centres.cols(), n, -infinity);
    Matrix V(d, n);
    for (Index k = 0; k < centres.cols(); ++k) {
      if (nodes.weights[k] == 0) continue;
      const auto space = set.manifold->at(centres.col(k));
      space->log(points, V);
      for (Index i = 0; i < n; ++i) {
        const double squared = V.col(i).squaredNorm();
        terms(k, i) = log_weights[k] + scale * squared;
        if (squared < furthest * furthest * set.noise * set.noise) terms(k, i) -= space->jacobi(V.col(i))->log_det();
      }
    }
    for (Index i = 0; i < n; ++i) sums.add(i, terms.col(i));
  }
  const double log_constant = -0.5 * static_cast<double>(d) * std::log(2 * std::numbers::pi * set.noise * set.noise);
  return sums.value().array() + log_constant;
}

}  // namespace wgp
