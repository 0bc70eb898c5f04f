// Short discrete paths between two points of a chart: starts for the shooting method.
#pragma once

#include "wgp/chart.h"

namespace wgp {

// Relaxes the path from x to y that bends through x + (y - x) / 2 + bend towards a minimum of the discrete energy
//   sum_i (c_{i+1} - c_i)' G(middle) (c_{i+1} - c_i)
// and returns the initial velocity of the result, scaled to arrive at time 1. Points outside the domain are never
// visited. Empty if the bent path itself leaves the domain.
Vector relaxed_start(const MetricFunction& metric, const std::function<bool(ConstVectorRef)>& in_domain,
                     ConstVectorRef x, ConstVectorRef y, ConstVectorRef bend);

}  // namespace wgp
