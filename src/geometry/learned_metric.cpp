// Metric functions for chart_manifold: finite differences of a given tensor, and the learned metric.
#include <cmath>

#include "core/format.h"
#include "linalg/decompositions.h"

#include "geometry/central_difference.h"
#include "wgp/chart.h"

namespace wgp {

MetricFunction numeric_jet(std::function<Matrix(ConstVectorRef x)> metric, double step) {
  if (!metric) throw Error("numeric_jet needs a metric function");
  if (!(step > 0)) throw Error(fmt::format("numeric_jet: the step must be positive, not {}", step));
  return [metric = std::move(metric), step](ConstVectorRef x, JetOrder order) {
    const Index n = x.size();
    const auto moved = [&](Index k, double a, Index l, double b) {
      Vector point = x;
      point[k] += a;
      point[l] += b;
      return Matrix(metric(point));
    };
    MetricJet jet;
    jet.G = metric(x);
    for (Index k = 0; k < n; ++k)
      jet.dG.push_back(central_difference([&](double a) { return moved(k, a, k, 0); }, step));
    if (order == JetOrder::first) return jet;
    jet.d2G.assign(static_cast<std::size_t>(n), std::vector<Matrix>(static_cast<std::size_t>(n)));
    for (Index k = 0; k < n; ++k)
      for (Index l = 0; l <= k; ++l) {
        const auto by_l = [&](double a) {
          return central_difference([&](double b) { return moved(k, a, l, b); }, step);
        };
        const auto i = static_cast<std::size_t>(k), j = static_cast<std::size_t>(l);
        jet.d2G[i][j] = jet.d2G[j][i] = central_difference(by_l, step);
      }
    return jet;
  };
}

// With g_r = -(x - c_r) / sigma^2 the gradient of the r-th exponent and g = sum_r w_r g_r their mean:
//   dw_r = w_r (g_r - g),   d2w_r = dw_r (g_r - g)' + w_r (-I / sigma^2 - dg),   dg = sum_r g_r dw_r' - I / sigma^2
MetricFunction learned_metric(ConstMatrixRef centres, std::vector<Matrix> metrics, double sigma) {
  const Index n = centres.rows(), count = centres.cols();
  if (count < 1 || static_cast<Index>(metrics.size()) != count)
    throw Error(
        fmt::format("learned_metric needs one metric per centre: {} centres, {} metrics", count, metrics.size()));
  if (!(sigma > 0)) throw Error(fmt::format("learned_metric: sigma must be positive, not {}", sigma));
  for (const Matrix& M : metrics) {
    if (M.rows() != n || M.cols() != n)
      throw Error(
          fmt::format("learned_metric: a metric is {}x{}, the centres have {} coordinates", M.rows(), M.cols(), n));
    if (!M.isApprox(M.transpose(), 1e-10) || !is_positive_definite(M))
      throw Error("learned_metric: every metric must be symmetric and positive definite");
  }
  return [=, centres = Matrix(centres), metrics = std::move(metrics)](ConstVectorRef x, JetOrder order) {
    const double precision = 1 / (sigma * sigma);
    const Matrix g = precision * (centres.colwise() - Vector(x));
    Vector w = -0.5 * precision * (centres.colwise() - Vector(x)).colwise().squaredNorm().transpose();
    w = (w.array() - w.maxCoeff()).exp();
    w /= w.sum();
    const Matrix deviation = g.colwise() - Vector(g * w);
    const Matrix dw = deviation * w.asDiagonal();  // column r: the gradient of w_r

    MetricJet jet;
    jet.G = Matrix::Zero(n, n);
    jet.dG.assign(static_cast<std::size_t>(n), Matrix::Zero(n, n));
    for (Index r = 0; r < count; ++r) {
      const Matrix& M = metrics[static_cast<std::size_t>(r)];
      jet.G += w[r] * M;
      for (Index k = 0; k < n; ++k) jet.dG[static_cast<std::size_t>(k)] += dw(k, r) * M;
    }
    if (order == JetOrder::first) return jet;
    jet.d2G.assign(static_cast<std::size_t>(n), jet.dG);
    for (auto& row : jet.d2G)
      for (Matrix& entry : row) entry.setZero();
    const Matrix spread = g * dw.transpose();  // dg + I / sigma^2
    for (Index r = 0; r < count; ++r) {
      const Matrix d2w = dw.col(r) * deviation.col(r).transpose() - w[r] * spread;
      for (Index k = 0; k < n; ++k)
        for (Index l = 0; l < n; ++l)
          jet.d2G[static_cast<std::size_t>(k)][static_cast<std::size_t>(l)] +=
              d2w(k, l) * metrics[static_cast<std::size_t>(r)];
    }
    return jet;
  };
}

}  // namespace wgp
