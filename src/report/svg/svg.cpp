#include "report/svg/svg.h"

#include "core/format.h"

#include <cmath>

namespace wgp::report {
namespace {

// A hundredth of a pixel is enough, and what is not written need not be read.
std::string shortest(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

template <class... T>
bool all_finite(T... values) {
  return (std::isfinite(values) && ...);
}

std::string attributes(const Paint& paint) {
  std::string text = fmt::format(" fill=\"{}\"", paint.fill);
  if (paint.stroke != "none") {
    text += fmt::format(" stroke=\"{}\"", paint.stroke);
    if (paint.width != 1) text += fmt::format(" stroke-width=\"{}\"", shortest(paint.width));
    if (!paint.dashes.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", paint.dashes);
  }
  if (paint.opacity != 1) text += fmt::format(" opacity=\"{}\"", shortest(paint.opacity));
  return text;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? '?' : c;
    }
  }
  return escaped;
}

double text_width(std::string_view text, double size) {
  // Continuation bytes of UTF-8 take no room of their own.
  Index characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return 0.56 * size * static_cast<double>(characters);
}

Svg::Svg(std::string name, double width, double height, std::string description)
    : name_(std::move(name)), width_(width), height_(height), description_(std::move(description)) {}

void Svg::rect(const Box& box, const Paint& paint) {
  if (!all_finite(box.x, box.y, box.width, box.height) || box.width < 0 || box.height < 0) return;
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>\n", shortest(box.x), shortest(box.y),
                       shortest(box.width), shortest(box.height), attributes(paint));
}

void Svg::rects(const std::vector<Box>& boxes, const Paint& paint) {
  std::string corners;
  for (const Box& box : boxes)
    if (all_finite(box.x, box.y, box.width, box.height) && box.width >= 0 && box.height >= 0)
      corners += fmt::format("M{} {}h{}v{}h{}z", shortest(box.x), shortest(box.y), shortest(box.width),
                             shortest(box.height), shortest(-box.width));
  if (!corners.empty()) body_ += fmt::format("<path d=\"{}\"{}/>\n", corners, attributes(paint));
}

void Svg::circle(double x, double y, double radius, const Paint& paint) {
  if (!all_finite(x, y, radius)) return;
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", shortest(x), shortest(y), shortest(radius),
                       attributes(paint));
}

void Svg::ellipse(double x, double y, double radius_x, double radius_y, double degrees, const Paint& paint) {
  if (!all_finite(x, y, radius_x, radius_y, degrees)) return;
  body_ +=
      fmt::format("<ellipse rx=\"{}\" ry=\"{}\" transform=\"translate({} {}) rotate({})\"{}/>\n", shortest(radius_x),
                  shortest(radius_y), shortest(x), shortest(y), shortest(degrees), attributes(paint));
}

void Svg::segment(double x1, double y1, double x2, double y2, const Paint& paint) {
  if (!all_finite(x1, y1, x2, y2)) return;
  body_ += fmt::format("<path d=\"M{} {}L{} {}\"{}/>\n", shortest(x1), shortest(y1), shortest(x2), shortest(y2),
                       attributes(paint));
}

void Svg::path(ConstMatrixRef points, const Paint& paint, const char* end) {
  if (points.cols() < 2 || !points.allFinite()) return;
  body_ += "<path d=\"M";
  for (Index i = 0; i < points.cols(); ++i)
    body_ += fmt::format("{}{} {}", i == 0 ? "" : "L", shortest(points(0, i)), shortest(points(1, i)));
  body_ += fmt::format("{}\" stroke-linejoin=\"round\"{}/>\n", end, attributes(paint));
}

void Svg::polyline(ConstMatrixRef points, const Paint& paint) { path(points, paint, ""); }
void Svg::polygon(ConstMatrixRef points, const Paint& paint) { path(points, paint, "Z"); }

void Svg::marker(Marker marker, double x, double y, double radius, const Paint& paint) {
  if (!all_finite(x, y, radius)) return;
  const double r = radius;
  const auto closed = [&](std::initializer_list<double> offsets) {
    Matrix corners(2, static_cast<Index>(offsets.size()) / 2);
    Index k = 0;
    for (const double offset : offsets) {
      corners(k % 2, k / 2) = (k % 2 == 0 ? x : y) + offset * r;
      ++k;
    }
    polygon(corners, paint);
  };
  // Crosses and pluses are outlines too, so that every marker has a fill and an edge.
  constexpr double arm = 0.38, c = 0.8;
  switch (marker) {
    case Marker::circle:
      circle(x, y, r, paint);
      break;
    case Marker::square:
      rect({x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r}, paint);
      break;
    case Marker::triangle:
      closed({0, -1.2, 1.1, 0.8, -1.1, 0.8});
      break;
    case Marker::diamond:
      closed({0, -1.3, 1.15, 0, 0, 1.3, -1.15, 0});
      break;
    case Marker::triangle_down:
      closed({0, 1.2, 1.1, -0.8, -1.1, -0.8});
      break;
    case Marker::plus:
      closed({-arm, -1.2, arm,  -1.2, arm,  -arm, 1.2,  -arm, 1.2,  arm,  arm,  arm,
              arm,  1.2,  -arm, 1.2,  -arm, arm,  -1.2, arm,  -1.2, -arm, -arm, -arm});
      break;
    case Marker::cross: {
      constexpr double a = 0.5;
      closed({0,
              -a,
              c - a / 2 + 0.1,
              -1.15,
              1.15,
              -c + a / 2 - 0.1,
              a,
              0,
              1.15,
              c - a / 2 + 0.1,
              c - a / 2 + 0.1,
              1.15,
              0,
              a,
              -c + a / 2 - 0.1,
              1.15,
              -1.15,
              c - a / 2 + 0.1,
              -a,
              0,
              -1.15,
              -c + a / 2 - 0.1,
              -c + a / 2 - 0.1,
              -1.15});
      break;
    }
  }
}

void Svg::text(double x, double y, std::string_view text, const TextStyle& style) {
  if (!all_finite(x, y)) return;
  std::string more;
  if (style.anchor != Anchor::start)
    more += style.anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (style.size != 13) more += fmt::format(" font-size=\"{}\"", shortest(style.size));
  if (style.colour != "#222") more += fmt::format(" fill=\"{}\"", style.colour);
  if (style.halo) more += " stroke=\"#fff\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
  if (style.bold) more += " font-weight=\"600\"";
  if (style.degrees != 0)
    more += fmt::format(" transform=\"rotate({} {} {})\"", shortest(style.degrees), shortest(x), shortest(y));
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", shortest(x), shortest(y), more, escape_xml(text));
}

void Svg::begin_group(double opacity) { body_ += fmt::format("<g opacity=\"{}\">\n", shortest(opacity)); }
void Svg::begin_crisp_group() { body_ += "<g shape-rendering=\"crispEdges\">\n"; }
void Svg::end_group() { body_ += "</g>\n"; }

// A nested picture clips by itself; a clip path would need a name that is unique in the page.
void Svg::begin_clip(const Box& box) {
  const std::string x = shortest(box.x), y = shortest(box.y), w = shortest(box.width), h = shortest(box.height);
  body_ +=
      fmt::format("<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">\n", x, y, w, h);
}
void Svg::end_clip() { body_ += "</svg>\n"; }

std::string Svg::wrapped(const std::string& more) const {
  return fmt::format(
      "<svg{} viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" aria-labelledby=\"{}-title\" "
      "font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\" font-size=\"13\" "
      "fill=\"#222\">\n<title id=\"{}-title\">{}</title>\n{}</svg>\n",
      more, shortest(width_), shortest(height_), shortest(width_), shortest(height_), name_, name_,
      escape_xml(description_), body_);
}

std::string Svg::element() const { return wrapped(""); }
std::string Svg::file() const {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + wrapped(" xmlns=\"http://www.w3.org/2000/svg\"");
}

}  // namespace wgp::report
