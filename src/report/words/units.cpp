#include "report/words/units.h"

namespace wgp::report {

std::string distance_unit(const Manifold& manifold) {
  std::string spec = manifold.spec();
  if (spec.find_first_of(",*") != std::string::npos) return "";  // scaled, or of several kinds
  if (const auto power = spec.find('^'); power != std::string::npos) spec.resize(power);
  for (const char* angular : {"sphere:", "torus:", "kendall:", "kendall3d:", "so:3", "grassmann:"})
    if (spec.starts_with(angular)) return " rad";
  if (spec.starts_with("spd:") && !spec.ends_with("/bures-wasserstein") && !spec.ends_with("/log-cholesky"))
    return " log units";
  return "";
}

std::string squared_unit(const Manifold& manifold) {
  const std::string unit = distance_unit(manifold);
  return unit.empty() ? "" : unit == " rad" ? " rad^2" : " (log units)^2";
}

}  // namespace wgp::report
