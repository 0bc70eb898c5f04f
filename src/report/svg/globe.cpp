#include "report/svg/globe.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/svg/palette.h"

namespace wgp::report {

Matrix Globe::seen(ConstMatrixRef points) const {
  Matrix at = camera_.seen(points);
  at.row(0) = (radius_ * at.row(0)).array() + x_;
  at.row(1) = (-radius_ * at.row(1)).array() + y_;
  return at;
}

void Globe::line(ConstMatrixRef points, Side side, const Paint& paint) const {
  const Matrix at = seen(points);
  const auto here = [&](Index i) { return (at(2, i) + at(2, i + 1) >= 0) == (side == Side::near); };
  for (Index i = 0; i + 1 < at.cols(); ++i) {
    if (!here(i)) continue;
    const Index begin = i;
    while (i + 1 < at.cols() && here(i)) ++i;
    svg_.polyline(at.block(0, begin, 2, i - begin + 1), paint);
  }
}

void Globe::disc(const Eigen::Vector3d& centre, double angle, Side side, const Paint& paint) const {
  const Eigen::Vector3d p = centre.normalized();
  if (((camera_.axes() * p).z() >= 0) != (side == Side::near)) return;
  const Camera about(p);  // any frame with p as its third axis
  constexpr Index corners = 18;
  Matrix ring(3, corners);
  for (Index k = 0; k < corners; ++k) {
    const double t = 2 * std::numbers::pi * static_cast<double>(k) / corners;
    ring.col(k) = std::cos(angle) * p + std::sin(angle) * (std::cos(t) * about.axes().row(0).transpose() +
                                                           std::sin(t) * about.axes().row(1).transpose());
  }
  svg_.polygon(seen(ring).topRows(2), paint);
}

void Globe::tube(ConstMatrixRef points, const Vector& radii, Side side, const Paint& paint) const {
  for (Index i = 0; i < points.cols(); ++i) {
    const double angle = std::min(radii[i], std::numbers::pi / 2);
    disc(points.col(i), angle, side, paint);
    if (i + 1 == points.cols()) break;
    const Eigen::Vector3d from = points.col(i), to = points.col(i + 1);
    const Eigen::Vector3d across = from.cross(to).normalized();
    Matrix corners(3, 4);
    corners << std::cos(angle) * from + std::sin(angle) * across, std::cos(angle) * to + std::sin(angle) * across,
        std::cos(angle) * to - std::sin(angle) * across, std::cos(angle) * from - std::sin(angle) * across;
    const Matrix at = seen(corners);
    if ((at.row(2).mean() >= 0) == (side == Side::near)) svg_.polygon(at.topRows(2), paint);
  }
}

void Globe::graticule(Side side) const {
  constexpr double degree = std::numbers::pi / 180;
  constexpr int steps = 72;
  const auto at = [](double latitude, double longitude) {
    return Eigen::Vector3d(std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
                           std::sin(latitude));
  };
  const Paint thin = stroked("#bcc5ce", 0.6);
  Matrix points(3, steps + 1);
  for (int longitude = 0; longitude < 360; longitude += graticule_degrees) {
    for (int i = 0; i <= steps; ++i) points.col(i) = at((i * 180.0 / steps - 90) * degree, longitude * degree);
    line(points, side, thin);
  }
  for (int latitude = -75; latitude <= 75; latitude += graticule_degrees) {
    for (int i = 0; i <= steps; ++i) points.col(i) = at(latitude * degree, i * 360.0 / steps * degree);
    line(points, side, thin);
  }
}

Eigen::Vector3d middle_of(ConstMatrixRef points) {
  const Eigen::Vector3d middle = points.rowwise().mean();
  return middle.norm() < 0.05 ? Eigen::Vector3d(1, -1, 0.8) : middle;
}

View view_of(const Camera& camera, const std::vector<Matrix>& points, double margin) {
  Eigen::Vector3d low = Eigen::Vector3d::Ones(), high = -low;
  for (const Matrix& some : points) {
    const Matrix seen = camera.seen(some);
    low = low.cwiseMin(seen.rowwise().minCoeff());
    high = high.cwiseMax(seen.rowwise().maxCoeff());
  }
  View view{(low.x() + high.x()) / 2, (low.y() + high.y()) / 2, 0.05};
  view.half = std::max(view.half, 1.12 * ((high - low).head<2>().maxCoeff() / 2 + margin));
  return low.z() < 0 || !view.is_close_up() ? View{} : view;
}

void draw_globe(Svg& svg, double x, double y, double radius, const Camera& camera, const View& view) {
  const Globe globe(svg, x, y, radius, camera);
  svg.circle(x, y, radius, {.fill = "#f4f7fa", .stroke = "#5b646d"});
  globe.graticule(Side::near);
  svg.rect({x + radius * (view.x - view.half), y - radius * (view.y + view.half), 2 * radius * view.half,
            2 * radius * view.half},
           stroked(accent, 1.6));
}

}  // namespace wgp::report
