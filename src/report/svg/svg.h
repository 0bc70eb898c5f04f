// A drawing surface that becomes SVG text: shapes in pixels, y downwards. Nothing here knows of data or of models.
//
// Elements with a coordinate that is not finite are left out. Text is escaped. There is no script, no link and no font:
// the same element stands in a page or in a file of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wgp/types.h"

namespace wgp::report {

// & < > " ' as entities, control characters that XML does not allow as question marks.
std::string escape_xml(std::string_view text);

struct Paint {
  std::string fill = "none", stroke = "none";
  double width = 1;         // of the stroke
  std::string dashes = {};  // "4 3"; empty: solid
  double opacity = 1;
};
inline Paint filled(std::string colour) { return {.fill = std::move(colour)}; }
inline Paint stroked(std::string colour, double width = 1, std::string dashes = {}) {
  return {.stroke = std::move(colour), .width = width, .dashes = std::move(dashes)};
}

enum class Anchor { start, middle, end };
struct TextStyle {
  double size = 13;
  Anchor anchor = Anchor::start;
  std::string colour = "#222";
  double degrees = 0;  // turned about its own position
  bool bold = false;
  bool halo = false;  // a white edge, for text over lines
};
// About how wide the text will be, for legends and margins.
double text_width(std::string_view text, double size);

// Shapes that tell groups apart without colour.
enum class Marker { circle, square, triangle, diamond, triangle_down, plus, cross };
inline constexpr int marker_count = 7;

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

class Svg {
 public:
  // name: unique in a page, of letters and dashes. description: for those who cannot see it.
  Svg(std::string name, double width, double height, std::string description);

  double width() const { return width_; }
  double height() const { return height_; }
  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }  // where a page has several of a kind

  void rect(const Box& box, const Paint& paint);
  void rects(const std::vector<Box>& boxes, const Paint& paint);  // many of one paint: a third of the text
  void circle(double x, double y, double radius, const Paint& paint);
  void ellipse(double x, double y, double radius_x, double radius_y, double degrees, const Paint& paint);
  void segment(double x1, double y1, double x2, double y2, const Paint& paint);
  void polyline(ConstMatrixRef points, const Paint& paint);  // 2 x n
  void polygon(ConstMatrixRef points, const Paint& paint);   // the same, closed
  void marker(Marker marker, double x, double y, double radius, const Paint& paint);
  void text(double x, double y, std::string_view text, const TextStyle& style = {});

  void begin_group(double opacity);
  void begin_crisp_group();  // edges on whole pixels: cells side by side without seams
  void end_group();
  void begin_clip(const Box& box);  // until end_clip(), only what lies in the box is seen
  void end_clip();

  std::string element() const;  // <svg>...</svg>, for a page
  std::string file() const;     // the same as a document of its own

 private:
  void path(ConstMatrixRef points, const Paint& paint, const char* end);
  std::string wrapped(const std::string& attributes) const;

  std::string name_;
  double width_, height_;
  std::string description_, body_;
};

}  // namespace wgp::report
