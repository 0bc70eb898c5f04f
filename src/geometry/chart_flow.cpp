#include "geometry/chart_flow.h"

#include "geometry/ode.h"
#include "linalg/decompositions.h"

namespace wgp {
namespace {

// The acceleration a(x, v) of a geodesic, a = G^-1 b with b_k = v' d_kG v / 2 - [(sum_l v_l d_lG) v]_k, and its
// derivatives. It is quadratic in v, so that -da/dv / 2 = Gamma(., v).
struct Acceleration {
  Vector a;
  Matrix by_v, by_x;
  bool defined = false;

  Acceleration(const MetricJet& jet, ConstVectorRef v, JetOrder order) {
    const Cholesky factor(jet.G);
    if (!factor.ok()) return;
    const Index n = v.size();
    Matrix along = Matrix::Zero(n, n), across(n, n);  // sum_l v_l d_lG; columns d_kG v
    for (Index k = 0; k < n; ++k) {
      along += v[k] * jet.dG[static_cast<std::size_t>(k)];
      across.col(k) = jet.dG[static_cast<std::size_t>(k)] * v;
    }
    a = factor.solve(across.transpose() * v / 2 - along * v);
    by_v = factor.solve(across.transpose() - across - along);
    defined = true;
    if (order == JetOrder::first) return;
    by_x.resize(n, n);
    for (Index l = 0; l < n; ++l) {
      Matrix second(n, n);  // columns d_l d_kG v
      for (Index k = 0; k < n; ++k)
        second.col(k) = jet.d2G[static_cast<std::size_t>(l)][static_cast<std::size_t>(k)] * v;
      by_x.col(l) = second.transpose() * v / 2 - second * v - jet.dG[static_cast<std::size_t>(l)] * a;
    }
    by_x = factor.solve(by_x);
  }
};

}  // namespace

Matrix ChartFlowSolver::christoffel(ConstVectorRef x, ConstVectorRef v) const {
  return -0.5 * Acceleration(metric_(x, JetOrder::first), v, JetOrder::first).by_v;
}

// State: (x(t) - x) / s, x'(t) / s with s = |v|, then the variations (dx, dv) in all 2n initial directions, then the
// vectors. The scaling makes the state of order 1 whatever the length of v.
ChartFlow ChartFlowSolver::flow(ConstVectorRef x, ConstVectorRef v, ConstMatrixRef vectors,
                                FlowDerivative derivative) const {
  const Index n = x.size(), columns = derivative == FlowDerivative::variational ? 2 * n : 0;
  const JetOrder order = columns > 0 ? JetOrder::second : JetOrder::first;
  const double s = v.norm(), vector_size = vectors.size() > 0 ? vectors.norm() : 0;
  const Index variation_at = 2 * n, vectors_at = variation_at + 2 * n * columns;
  Vector state = Vector::Zero(vectors_at + vectors.size());
  if (s > 0) state.segment(n, n) = v / s;
  if (columns > 0) state.segment(variation_at, 4 * n * n).reshaped(2 * n, 2 * n).setIdentity();
  if (vector_size > 0) state.tail(vectors.size()) = vectors.reshaped() / vector_size;

  const auto field = [&](ConstVectorRef now, double, VectorRef change) {
    const Vector position = x + s * now.head(n), direction = now.segment(n, n);
    if (!in_domain(position)) return false;
    const Acceleration at(metric_(position, order), direction, order);
    if (!at.defined) return false;
    change.head(n) = direction;
    change.segment(n, n) = s * at.a;
    if (columns > 0) {
      const auto variation = now.segment(variation_at, 4 * n * n).reshaped(2 * n, 2 * n);
      auto varied = change.segment(variation_at, 4 * n * n).reshaped(2 * n, 2 * n);
      varied.topRows(n) = variation.bottomRows(n);
      varied.bottomRows(n) = s * s * (at.by_x * variation.topRows(n)) + s * (at.by_v * variation.bottomRows(n));
    }
    change.tail(vectors.size()).reshaped(n, vectors.cols()) =
        0.5 * s * (at.by_v * now.tail(vectors.size()).reshaped(n, vectors.cols()));
    return true;
  };

  ChartFlow result;
  result.arrived = s > 0 ? integrate(field, state, options_.relative_tolerance) : true;
  if (s == 0 && columns > 0)  // a geodesic at rest: d Exp / dx = d Exp / dv = I
    state.segment(variation_at, 4 * n * n).reshaped(2 * n, 2 * n).topRightCorner(n, n).setIdentity();
  result.arrived = result.arrived && in_domain(x + s * state.head(n));
  result.displacement = s * state.head(n);
  result.velocity = s * state.segment(n, n);
  if (columns > 0) {
    const Matrix variation = state.segment(variation_at, 4 * n * n).reshaped(2 * n, 2 * n);
    result.by_base = variation.topLeftCorner(n, n);
    result.by_v = variation.topRightCorner(n, n);
  }
  result.vectors = vector_size * state.tail(vectors.size()).reshaped(n, vectors.cols());
  return result;
}

}  // namespace wgp
