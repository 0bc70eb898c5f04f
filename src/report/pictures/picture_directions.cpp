// Rotations as frames of three arrows, directions as an arrow in a globe.
#include <array>
#include <cmath>
#include <numeric>

#include "linalg/row_major.h"
#include "report/pictures/point_picture.h"
#include "report/svg/camera.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

struct Place {
  double x, y, scale;
  explicit Place(const Box& box, double share)
      : x(box.x + box.width / 2), y(box.y + box.height / 2), scale(share * std::min(box.width, box.height)) {}
};

// From the centre to `tip` (right, up, depth).
void draw_arrow(Svg& svg, const Place& place, const Eigen::Vector3d& tip, const Paint& paint) {
  const double x = place.x + place.scale * tip.x(), y = place.y - place.scale * tip.y();
  svg.segment(place.x, place.y, x, y, paint);
  const Eigen::Vector2d along(x - place.x, y - place.y);
  const double length = along.norm();
  if (length < 4) return;
  const Eigen::Vector2d unit = along / length, across(-unit.y(), unit.x());
  const double head = std::min(6.0, 0.4 * length);
  Matrix corners(2, 3);
  corners << x, x - head * unit.x() + 0.45 * head * across.x(), x - head * unit.x() - 0.45 * head * across.x(),  //
      y, y - head * unit.y() + 0.45 * head * across.y(), y - head * unit.y() - 0.45 * head * across.y();
  svg.polygon(corners, filled(paint.stroke));
}

class FramePicture : public PointPicture {
 public:
  void draw(Svg& svg, const Box& box, ConstVectorRef point) const override {
    static constexpr std::array<const char*, 3> colours = {"#d55e00", "#007a58", "#0072b2"}, names = {"x", "y", "z"};
    const Place place(box, 0.36);
    const Matrix R = as_matrix(point, 3, 3), seen = camera_.seen(R);
    std::array<Index, 3> order = {0, 1, 2};  // what is farther away is drawn first
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return seen(2, a) < seen(2, b); });
    for (const Index k : order) {
      const auto i = static_cast<std::size_t>(k);
      const double nearness = (seen(2, k) + 1) / 2;
      draw_arrow(svg, place, seen.col(k), stroked(colours[i], 1.2 + 1.4 * nearness, seen(2, k) < 0 ? "3 2" : ""));
      const double x = place.x + 1.25 * place.scale * seen(0, k), y = place.y - 1.25 * place.scale * seen(1, k);
      svg.text(x, y + 4, names[i], {.size = 11, .anchor = Anchor::middle, .colour = colours[i]});
    }
  }
  std::string words() const override {
    return "Rotations as the turned axes x, y and z (the columns of the matrix), seen obliquely; dashed axes point "
           "away from the viewer.";
  }

 private:
  Camera camera_{Eigen::Vector3d(1, -1.3, 0.8)};
};

class GlobePicture : public PointPicture {
 public:
  void draw(Svg& svg, const Box& box, ConstVectorRef point) const override {
    const Place place(box, 0.42);
    svg.circle(place.x, place.y, place.scale, {.fill = "#f2f5f8", .stroke = "#9aa5b1"});
    const Eigen::Vector3d pole = camera_.axes() * Eigen::Vector3d::UnitZ();
    svg.ellipse(place.x, place.y, place.scale, place.scale * std::abs(pole.z()), 0, stroked("#c9d0d7", 0.8));
    const Eigen::Vector3d seen = camera_.axes() * point;
    draw_arrow(svg, place, seen, stroked(accent, 1.8, seen.z() < 0 ? "3 2" : ""));
  }
  std::string words() const override {
    return "Directions as arrows in a globe whose equator is drawn, seen obliquely from above; dashed arrows point "
           "away "
           "from the viewer.";
  }

 private:
  Camera camera_{Eigen::Vector3d(1, -1.3, 0.8)};
};

}  // namespace

PointPicturePtr frame_picture() { return std::make_unique<FramePicture>(); }
PointPicturePtr globe_picture() { return std::make_unique<GlobePicture>(); }

}  // namespace wgp::report
