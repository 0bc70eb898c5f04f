// The unit sphere as a globe in a picture: lines, discs and tubes on it, in front or behind.
#pragma once

#include <vector>

#include "report/svg/camera.h"
#include "report/svg/svg.h"

namespace wgp::report {

inline constexpr int graticule_degrees = 15;

// Everything is drawn twice: first what lies behind, then, over a veil, what lies in front.
enum class Side { far, near };

class Globe {
 public:
  Globe(Svg& svg, double x, double y, double radius, const Camera& camera)
      : svg_(svg), x_(x), y_(y), radius_(radius), camera_(camera) {}

  Matrix seen(ConstMatrixRef points) const;  // 3 x n: pixels, and the height towards the viewer
  void disc_of_view(const Paint& paint) const { svg_.circle(x_, y_, radius_, paint); }
  void line(ConstMatrixRef points, Side side, const Paint& paint) const;  // cut where it passes the outline
  void disc(const Eigen::Vector3d& centre, double angle, Side side, const Paint& paint) const;
  // Discs about the points, and strips between them; in one opaque colour they flow together.
  void tube(ConstMatrixRef points, const Vector& radii, Side side, const Paint& paint) const;
  void graticule(Side side) const;

 private:
  Svg& svg_;
  double x_, y_, radius_;
  const Camera& camera_;
};

// The direction to look from: of the mean of the points, or somewhere where they have none.
Eigen::Vector3d middle_of(ConstMatrixRef points);

// The square that holds everything as the camera sees it, in radii; the whole globe if some lies behind it, or if the
// square would not be much smaller.
struct View {
  double x = 0, y = 0, half = 1;
  bool is_close_up() const { return half < 0.75; }
};
// margin: of tubes about the lines, in radians.
View view_of(const Camera& camera, const std::vector<Matrix>& points, double margin = 0);

// A small globe that shows where on the sphere a close-up is.
void draw_globe(Svg& svg, double x, double y, double radius, const Camera& camera, const View& view);

}  // namespace wgp::report
