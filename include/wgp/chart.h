// A manifold given by a metric tensor G(x) on R^n (one chart), for metrics known only as a function: geodesics, Jacobi
// fields and transport by ODE, log by damped Newton shooting.
//
//   acceleration  a = G^-1 ( 1/2 [v' d_kG v]_k - (sum_k v_k d_kG) v )
// The speed v'Gv is constant along a geodesic; its drift is the accuracy monitor. Log returns *a* geodesic, the
// shortest of several starts, not certified shortest.
#pragma once

#include <functional>
#include <vector>

#include "wgp/manifold.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// The metric and its first and second partial derivatives at x.
struct MetricJet {
  Matrix G;                              // n x n, positive definite
  std::vector<Matrix> dG;                // dG[k] = dG/dx_k
  std::vector<std::vector<Matrix>> d2G;  // d2G[k][l] = d2G/dx_k dx_l; filled only if asked for
};
enum class JetOrder { first, second };
using MetricFunction = std::function<MetricJet(ConstVectorRef x, JetOrder order)>;

// From G alone: derivatives by eighth-order central differences with step h (about 1e-11 relative in dG, 1e-9 in d2G).
MetricFunction numeric_jet(std::function<Matrix(ConstVectorRef x)> metric, double step = 1e-2);

struct ChartOptions {
  double relative_tolerance = 1e-12;  // of the ODE
  int max_newton_steps = 60;
  std::function<bool(ConstVectorRef x)> domain;  // where the chart is defined; empty: everywhere
  double injectivity_radius = 0;  // a lower bound, if you know one (infinity where no geodesics meet again)
};

ManifoldPtr chart_manifold(Index dim, MetricFunction metric, const ChartOptions& options = {});

// The learned metric of Hauberg, Freifeld and Black (2012): G(x) = sum_r w_r(x) M_r, w_r the softmax of
// -|x - c_r|^2 / (2 sigma^2). centres: n x R; metrics: R positive definite matrices.
MetricFunction learned_metric(ConstMatrixRef centres, std::vector<Matrix> metrics, double sigma);

}  // namespace WGP_PUBLIC
