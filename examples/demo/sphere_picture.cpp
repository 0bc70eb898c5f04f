#include "sphere_picture.h"

#include "core/format.h"

#include <Eigen/Geometry>
#include <numbers>

using wgp::Index, wgp::Matrix, wgp::Vector;

namespace {

// Okabe-Ito colours (distinct to colour-blind eyes); each style also differs in width, dashes or shape, for print.
constexpr const char* style_sheet = R"(
  text { font: 15px system-ui, sans-serif; fill: #222 }
  .curve, .truth, .first, .second, .grid { fill: none; stroke-linecap: round; stroke-linejoin: round }
  .grid { stroke: #9aa5b1; stroke-width: .7 }
  .halo { fill: none; stroke: #fff; stroke-width: 6.5; stroke-linecap: round; stroke-linejoin: round }
  .curve { stroke: #d55e00; stroke-width: 4.5 }
  .truth { stroke: #000; stroke-width: 1.4; stroke-dasharray: 1 5 }
  .first { stroke: #0072b2; stroke-width: 3 }
  .second { stroke: #0072b2; stroke-width: 2.2; stroke-dasharray: 9 6 }
  .data { fill: #56779a; fill-opacity: .75 }
  .mean { stroke: #000; stroke-width: 3; fill: none; stroke-linecap: round })";

}  // namespace

SpherePicture::SpherePicture(wgp::ConstVectorRef towards_viewer, wgp::ConstVectorRef up, double size) : size_(size) {
  const Eigen::Vector3d view = towards_viewer.normalized(), upwards = up;
  const Eigen::Vector3d right = upwards.cross(view).normalized();
  axes_ << right.transpose(), view.cross(right).transpose(), view.transpose();
}

Matrix SpherePicture::pixels(wgp::ConstMatrixRef points) const {
  Matrix result = axes_ * points;
  const double radius = 0.48 * size_;
  result.row(0) = (result.row(0) * radius).array() + size_ / 2;
  result.row(1) = (-result.row(1) * radius).array() + size_ / 2;
  return result;
}

void SpherePicture::path(wgp::ConstMatrixRef pixels, const std::string& style) {
  // Cut where the curve passes the outline, so that each piece is on one side.
  for (Index i = 0; i + 1 < pixels.cols();) {
    const bool near = pixels(2, i) + pixels(2, i + 1) >= 0;
    std::string& layer = near ? near_ : far_;
    layer += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}", style, pixels(0, i), pixels(1, i));
    for (; i + 1 < pixels.cols() && (pixels(2, i) + pixels(2, i + 1) >= 0) == near; ++i)
      layer += fmt::format("L{:.1f} {:.1f}", pixels(0, i + 1), pixels(1, i + 1));
    layer += "\"/>\n";
  }
}

void SpherePicture::curve(wgp::ConstMatrixRef points, const std::string& style) { path(pixels(points), style); }

void SpherePicture::dots(wgp::ConstMatrixRef points, double radius, const std::string& style) {
  const Matrix at = pixels(points);
  for (Index i = 0; i < at.cols(); ++i)
    (at(2, i) >= 0 ? near_ : far_) +=
        fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", style, at(0, i), at(1, i), radius);
}

void SpherePicture::cross(wgp::ConstVectorRef point, double radius, const std::string& style) {
  const Matrix at = pixels(point);
  const double x = at(0, 0), y = at(1, 0);
  (at(2, 0) >= 0 ? near_ : far_) +=
      fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", style,
                  x - radius, y - radius, x + radius, y + radius, x - radius, y + radius, x + radius, y - radius);
}

void SpherePicture::graticule() {
  constexpr double degree = std::numbers::pi / 180;
  constexpr int spacing = 15, steps = 90;
  const auto at = [](double latitude, double longitude) {
    return Vector(Eigen::Vector3d(std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
                                  std::sin(latitude)));
  };
  Matrix line(3, steps + 1);
  for (int longitude = 0; longitude < 360; longitude += spacing) {
    for (int i = 0; i <= steps; ++i) line.col(i) = at((i * 150.0 / steps - 75) * degree, longitude * degree);
    curve(line, "grid");
  }
  for (int latitude = -75; latitude <= 75; latitude += spacing) {
    for (int i = 0; i <= steps; ++i) line.col(i) = at(latitude * degree, i * 360.0 / steps * degree);
    curve(line, "grid");
  }
}

void SpherePicture::legend(const std::string& style, const std::string& text) {
  const double x = size_ + 20, y = 60 + 34 * legend_lines_++;
  std::string sign = fmt::format("<path class=\"{}\" d=\"M{} {}h40\"/>", style, x, y);
  if (style == "data") {
    sign.clear();
    for (const double dx : {6.0, 20.0, 34.0})
      sign += fmt::format("<circle class=\"data\" cx=\"{}\" cy=\"{}\" r=\"4\"/>", x + dx, y + (dx == 20 ? -3 : 3));
  } else if (style == "mean") {
    sign = fmt::format("<path class=\"mean\" d=\"M{} {}l14 14m-14 0l14 -14\"/>", x + 13, y - 7);
  }
  legend_ += fmt::format("{}<text x=\"{}\" y=\"{}\">{}</text>\n", sign, x + 54, y + 5, text);
}

std::string SpherePicture::svg() const {
  const double width = size_ + 300, radius = 0.48 * size_, centre = size_ / 2;
  const std::string disc = fmt::format("cx=\"{0}\" cy=\"{0}\" r=\"{1}\"", centre, radius);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
             "role=\"img\">\n<style>{2}</style>\n<defs><radialGradient id=\"ball\" cx=\".38\" cy=\".32\" r=\".8\">"
             "<stop offset=\"0\" stop-color=\"#ffffff\"/><stop offset=\"1\" stop-color=\"#dde5ee\"/>"
             "</radialGradient></defs>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
             width, size_, style_sheet) +
         far_ + fmt::format("<circle {} fill=\"url(#ball)\" fill-opacity=\".8\" stroke=\"#64707d\"/>\n", disc) + near_ +
         legend_ + "</svg>\n";
}
