// A learned metric, known only as a function of the point: travel is cheap near the arms of an L and expensive inside
// its corner. The shortest way between the ends of the L keeps to the cheap side instead of cutting across.
#include <cmath>
#include <cstdio>

#include "wgp/chart.h"

namespace {

// The length of the straight line from x to y, by the midpoint rule.
double straight_length(const wgp::MetricFunction& metric, const wgp::Vector& x, const wgp::Vector& y) {
  const int pieces = 1000;
  const wgp::Vector step = (y - x) / pieces;
  double length = 0;
  for (int i = 0; i < pieces; ++i) {
    const wgp::Matrix G = metric(x + (i + 0.5) * step, wgp::JetOrder::first).G;
    length += std::sqrt(step.dot(G * step));
  }
  return length;
}

}  // namespace

int main() {
  // Centres on the L have the metric I, those off it 25 I; between them the metric is a smooth mixture.
  wgp::Matrix centres(2, 9);
  centres.row(0) << 0, 0, 0, 1, 2, 1, 2, 1, 2;
  centres.row(1) << 2, 1, 0, 0, 0, 1, 1, 2, 2;
  std::vector<wgp::Matrix> metrics(9, wgp::Matrix::Identity(2, 2));
  for (std::size_t r = 5; r < 9; ++r) metrics[r] *= 25;
  const wgp::MetricFunction metric = wgp::learned_metric(centres, metrics, 0.4);
  const wgp::ManifoldPtr plane = wgp::chart_manifold(2, metric);

  const wgp::Vector x = wgp::Vector::Unit(2, 1) * 2, y = wgp::Vector::Unit(2, 0) * 2;
  const auto space = plane->at(x);
  wgp::Matrix v(2, 1);
  const wgp::LogReport report = space->log(y, v);
  std::printf("straight line %.4f\n", straight_length(metric, x, y));
  std::printf("geodesic      %.4f (%s)\n", v.norm(), wgp::to_string(report.status[0]).c_str());
  for (int i = 1; i < 4; ++i) {
    const wgp::Vector point = wgp::exp_point(*space, v.col(0) * (i / 4.0));
    std::printf("  at %.2f: %.3f %.3f\n", i / 4.0, point[0], point[1]);
  }
}

// Output:
// straight line 9.6062
// geodesic      4.5974 (ok)
//   at 0.25: -0.241 1.072
//   at 0.50: 0.151 0.151
//   at 0.75: 1.072 -0.241
