#include "geometry/chart_path.h"

#include <cmath>
#include <numbers>

#include "linalg/decompositions.h"

namespace wgp {
namespace {

constexpr Index segments = 16;

struct PathEnergy {
  double value = 0;
  Matrix gradient;  // one column per inner node
  Matrix hessian;   // of the energy with the metric held fixed: block tridiagonal, positive definite
};

PathEnergy path_energy(const MetricFunction& metric, const Matrix& nodes) {
  const Index n = nodes.rows(), inner = segments - 1;
  PathEnergy energy;
  energy.gradient = Matrix::Zero(n, inner);
  energy.hessian = Matrix::Zero(n * inner, n * inner);
  for (Index i = 0; i < segments; ++i) {
    const Vector step = nodes.col(i + 1) - nodes.col(i);
    const MetricJet jet = metric((nodes.col(i) + nodes.col(i + 1)) / 2, JetOrder::first);
    const Vector force = jet.G * step;
    energy.value += step.dot(force) / 2;
    Vector drift(n);  // from the motion of the middle point, half of it due to either end
    for (Index k = 0; k < n; ++k) drift[k] = step.dot(jet.dG[static_cast<std::size_t>(k)] * step) / 4;
    const Index from = i - 1, to = i;  // inner nodes at the ends of this segment
    if (from >= 0) {
      energy.gradient.col(from) += drift - force;
      energy.hessian.block(n * from, n * from, n, n) += jet.G;
    }
    if (to < inner) {
      energy.gradient.col(to) += drift + force;
      energy.hessian.block(n * to, n * to, n, n) += jet.G;
    }
    if (from >= 0 && to < inner) {
      energy.hessian.block(n * from, n * to, n, n) -= jet.G;
      energy.hessian.block(n * to, n * from, n, n) -= jet.G;
    }
  }
  return energy;
}

}  // namespace

Vector relaxed_start(const MetricFunction& metric, const std::function<bool(ConstVectorRef)>& in_domain,
                     ConstVectorRef x, ConstVectorRef y, ConstVectorRef bend) {
  constexpr int most_steps = 40;
  const Index n = x.size();
  const auto inside = [&](const Matrix& nodes) {
    for (Index i = 0; i < segments; ++i)
      if (!in_domain(nodes.col(i)) || !in_domain((nodes.col(i) + nodes.col(i + 1)) / 2)) return false;
    return true;
  };
  Matrix nodes(n, segments + 1);
  for (Index i = 0; i <= segments; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(segments);
    nodes.col(i) = x + t * (y - x) + std::sin(std::numbers::pi * t) * bend;
  }
  if (!inside(nodes)) return {};
  PathEnergy energy = path_energy(metric, nodes);
  for (int step = 0; step < most_steps; ++step) {
    const Vector direction = -solve_symmetric(energy.hessian, energy.gradient.reshaped());
    const double slope = direction.dot(energy.gradient.reshaped());
    if (!(slope < -1e-6 * energy.value)) break;
    bool moved = false;
    for (double length = 1; length > 1e-3 && !moved; length /= 2) {
      Matrix tried = nodes;
      tried.middleCols(1, segments - 1) += length * direction.reshaped(n, segments - 1);
      if (!inside(tried)) continue;
      PathEnergy other = path_energy(metric, tried);
      if (!(other.value < energy.value + 1e-4 * length * slope)) continue;
      nodes = std::move(tried);
      energy = std::move(other);
      moved = true;
    }
    if (!moved) break;
  }
  // The one-sided second-order difference at the first node.
  return static_cast<double>(segments) * (-1.5 * nodes.col(0) + 2 * nodes.col(1) - 0.5 * nodes.col(2));
}

}  // namespace wgp
