// The geodesic flow of a metric given in one chart, with its derivative and with parallel vectors carried along.
#pragma once

#include <functional>

#include "wgp/chart.h"

namespace wgp {

struct ChartFlow {
  Vector displacement;   // Exp_x(v) - x: of nearby points it keeps the digits that the difference would lose
  Vector velocity;       // at the end
  Matrix by_base, by_v;  // d Exp / dx, d Exp / dv in the chart (n x n); empty unless asked for
  Matrix vectors;        // the parallel transports of the given ones
  bool arrived = false;  // false: left the domain, or the metric is not positive definite on the way
};

enum class FlowDerivative { none, variational };

class ChartFlowSolver {
 public:
  ChartFlowSolver(MetricFunction metric, const ChartOptions& options) : metric_(std::move(metric)), options_(options) {}

  ChartFlow flow(ConstVectorRef x, ConstVectorRef v, ConstMatrixRef vectors, FlowDerivative derivative) const;
  // The matrix Gamma_x(., v): w -> the Christoffel symbols applied to w and v.
  Matrix christoffel(ConstVectorRef x, ConstVectorRef v) const;

  bool in_domain(ConstVectorRef x) const { return x.allFinite() && (!options_.domain || options_.domain(x)); }
  const MetricFunction& metric() const { return metric_; }
  const ChartOptions& options() const { return options_; }

 private:
  MetricFunction metric_;
  ChartOptions options_;
};

}  // namespace wgp
