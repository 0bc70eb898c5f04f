// Draws points and curves of S^2 as SVG, seen from far away (orthographic projection). What lies on the far side shows
// faintly through the sphere.
#pragma once

#include <wgp/types.h>

#include <string>

class SpherePicture {
 public:
  // Size in pixels; `up` is drawn upwards.
  SpherePicture(wgp::ConstVectorRef towards_viewer, wgp::ConstVectorRef up, double size);

  // A polyline through the columns; the class names a style (see the style sheet in svg()).
  void curve(wgp::ConstMatrixRef points, const std::string& style);
  void dots(wgp::ConstMatrixRef points, double radius, const std::string& style);
  void cross(wgp::ConstVectorRef point, double radius, const std::string& style);
  void graticule();                                                // meridians and parallels, 15 degrees apart
  void legend(const std::string& style, const std::string& text);  // one more line beside the sphere
  std::string svg() const;

 private:
  wgp::Matrix pixels(wgp::ConstMatrixRef points) const;  // rows: x, y, depth (positive: near side)
  void path(wgp::ConstMatrixRef pixels, const std::string& style);

  double size_;
  Eigen::Matrix3d axes_;  // rows: right, up, towards the viewer
  std::string far_, near_, legend_;
  int legend_lines_ = 0;
};
