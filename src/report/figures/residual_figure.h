// How far each training point lies from what the model says at its latent; nothing where the model holds no points.
#pragma once

#include <string>
#include <vector>

#include "report/figures/figure.h"
#include "report/figures/point_names.h"
#include "wgp/model.h"

namespace wgp::report {

struct ResidualData {
  bool known() const { return distances.size() > 0; }
  Vector distances;          // of each training point: intrinsic, for gplvm Euclidean
  std::vector<Index> worst;  // all points, the farthest first
  double rms = 0, median = 0;
  bool intrinsic = true;
};
inline constexpr std::size_t worst_shown = 10;

ResidualData residual_data(const Model& model);
Figure residual_figure(const ResidualData& data, const PointNames& points);

}  // namespace wgp::report
