// What can be said of a point in numbers that its field knows: anisotropy of tensors, angles of rotations.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/format.h"
#include "linalg/decompositions.h"
#include "linalg/row_major.h"
#include "report/live/live_view.h"

namespace wgp::report {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;
constexpr double degrees = 180 / std::numbers::pi;

Facts of_covariance(ConstVectorRef point, Index n) {
  const Matrix A = as_matrix(point, n, n);
  const Spectrum spectrum = symmetric_spectrum((A + A.transpose()) / 2);
  if (!spectrum.ok) return {};
  const Vector values = spectrum.values.reverse();
  Facts facts;
  constexpr Index most = 5;
  std::string text;
  for (Index k = 0; k < std::min(n, most); ++k) text += fmt::format("{}{:.4g}", k > 0 ? ", " : "", values[k]);
  facts.emplace_back("eigenvalues", n > most ? fmt::format("{}, ... {:.4g}", text, values[n - 1]) : text);
  if (n == 3) {
    const double mean = values.mean();
    const double fa = std::sqrt(1.5 * (values.array() - mean).square().sum() / values.squaredNorm());
    const Vector axis = spectrum.vectors.col(2);
    facts.emplace_back("fractional anisotropy (FA)", fmt::format("{:.3f}", fa));
    facts.emplace_back("mean diffusivity (MD)", fmt::format("{:.4g}", mean));
    facts.emplace_back("longest axis", fmt::format("({:.2f}, {:.2f}, {:.2f})", axis[0], axis[1], axis[2]));
  }
  facts.emplace_back("condition number", fmt::format("{:.3g}", values[0] / values[n - 1]));
  return facts;
}

Facts of_rotation(ConstVectorRef point) {
  const Eigen::Matrix3d R = as_matrix(point, 3, 3);
  const double angle = std::atan2(Eigen::Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)).norm() / 2,
                                  (R.trace() - 1) / 2);
  return {{"turned from the axes by", fmt::format("{:.1f} degrees", degrees * angle)}};
}

}  // namespace

Facts facts_of_point(const Manifold& manifold, ConstVectorRef point) {
  const std::string spec = manifold.spec();
  if (spec.find_first_of(",*^") != std::string::npos) return {};
  const auto n = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(point.size()))));
  if (spec.starts_with("spd:") && n * n == point.size()) return of_covariance(point, n);
  if (spec == "so:3") return of_rotation(point);
  if (spec == "sphere:2")
    return {{"longitude, latitude", fmt::format("{:.1f}, {:.1f} degrees", degrees * std::atan2(point[1], point[0]),
                                                degrees * std::asin(std::clamp(point[2], -1.0, 1.0)))}};
  return {};
}

Matrix half_axes(ConstVectorRef tensor) {
  const Matrix A = as_matrix(tensor, 3, 3);
  const Spectrum spectrum = symmetric_spectrum((A + A.transpose()) / 2);
  if (!spectrum.ok) return Matrix::Zero(3, 3);
  return spectrum.vectors * spectrum.values.cwiseMax(0).cwiseSqrt().asDiagonal();
}

}  // namespace wgp::report
