#include "cli/output/unit_hint.h"

#include <cmath>

#include "core/format.h"

namespace wgp::cli {

void UnitRatio::add(const Model& model, ConstMatrixRef points, const Encoding& encoding) {
  all += points.cols();
  // Coordinates on the hyperboloid grow with the distance.
  if (model.manifold().spec().find("hyperbolic") != std::string::npos) return;
  std::vector<Index> members;
  for (Index i = 0; i < points.cols(); ++i)
    if (encoding.status[static_cast<std::size_t>(i)] == EncodeStatus::outside_support) members.push_back(i);
  if (members.empty()) return;
  const Matrix predicted = model.mean_points(encoding.X(Eigen::all, members));
  for (std::size_t k = 0; k < members.size(); ++k) {
    const double ratio = points.col(members[k]).norm() / predicted.col(static_cast<Index>(k)).norm();
    if (!(ratio > 0 && std::isfinite(ratio))) continue;
    log_ratios += std::log(ratio);
    ++outside;
  }
}

void UnitRatio::add(const UnitRatio& more) {
  log_ratios += more.log_ratios;
  outside += more.outside;
  all += more.all;
}

std::string UnitRatio::hint() const {
  constexpr double least_factor = 5;
  if (2 * outside <= all) return "";
  const double factor = std::exp(log_ratios / static_cast<double>(outside));
  if (factor < least_factor && factor > 1 / least_factor) return "";
  return fmt::format(
      "warning: the numbers of these points are about {:.2g} times those that the model was fitted to: are they in "
      "other "
      "units?",
      factor);
}

}  // namespace wgp::cli
