// The sphere with the training points and what the model makes of its latent space: a curve with its tube, or a mesh.
#include "core/format.h"

#include <algorithm>

#include "report/figures/decoded_figure.h"
#include "report/svg/globe.h"

namespace wgp::report {
namespace {

constexpr double legend_height = 320;

void draw_side(Svg& svg, const Globe& globe, const DecodedLines& data, Side side) {
  globe.graticule(side);
  const bool curve = data.is_curve();
  if (curve) globe.tube(data.lines[0], data.radii, side, filled(tube_colour));
  const auto draw_lines = [&] {
    for (const Matrix& line : data.lines) {
      if (curve) globe.line(line, side, stroked("#ffffff", 5));
      globe.line(line, side, line_paint(data));
    }
  };
  // Few points would vanish under a line that passes through them; many would hide it.
  const bool line_on_top = curve && data.points.cols() > 150;
  if (!line_on_top) draw_lines();
  const Matrix at = globe.seen(data.points);
  const double radius = data.points.cols() > 500 ? 2.4 : 3.2;
  for (Index i = 0; data.drawn_every > 0 && i < at.cols(); i += data.drawn_every)
    if ((at(2, i) >= 0) == (side == Side::near)) draw_point(svg, data.colouring, i, at(0, i), at(1, i), radius);
  if (line_on_top) draw_lines();
}

void draw_globe(Svg& svg, const Globe& globe, const DecodedLines& data) {
  globe.disc_of_view(filled("#ffffff"));
  draw_side(svg, globe, data, Side::far);
  globe.disc_of_view({.fill = "#f4f7fa", .stroke = "#5b646d", .opacity = 0.8});
  draw_side(svg, globe, data, Side::near);
}

View view_of(const Camera& camera, const DecodedLines& data) {
  std::vector<Matrix> all = data.lines;
  all.push_back(data.points);
  return view_of(camera, all, data.is_curve() ? data.radii.maxCoeff() : 0);
}

}  // namespace

bool has_sphere_figure(const Manifold& manifold) { return manifold.spec() == "sphere:2"; }

Figure sphere_figure(const DecodedLines& data) {
  // From above the middle of the data, a little aside so that the sphere looks round.
  const Eigen::Vector3d middle = middle_of(data.points);
  const Camera straight(middle);
  const Camera aside(middle.normalized() + 0.25 * straight.axes().row(0).transpose() -
                     0.25 * straight.axes().row(1).transpose());
  const Camera& camera = view_of(straight, data).is_close_up() ? straight : aside;
  const View view = view_of(camera, data);
  const bool close_up = view.is_close_up();
  constexpr double half = 230, margin = 16;  // of the picture's side
  const double legend = legend_width(data.colouring, legend_height);
  Svg svg("decoded", 2 * (half + margin) + std::max(190.0, legend + 20), 2 * (half + margin), "The sphere");
  const Box frame{margin, margin, 2 * half, 2 * half};
  const double centre = half + margin;
  if (close_up) {
    const double radius = half / view.half;
    svg.begin_clip(frame);
    draw_globe(svg, Globe(svg, centre - radius * view.x, centre + radius * view.y, radius, camera), data);
    svg.end_clip();
    svg.rect(frame, stroked("#5b646d"));
  } else {
    draw_globe(svg, Globe(svg, centre, centre, half, camera), data);
  }

  const double left = 2 * (half + margin) + 8;
  const double down = draw_meaning(svg, data, left, margin + 12);
  draw_legend(svg, data.colouring, left, down + 16, close_up ? legend_height - 90 : legend_height);
  if (close_up) {
    const double small = 52;
    draw_globe(svg, left + small, frame.bottom() - small, small, camera, view);
  }
  return {"The model on the sphere",
          fmt::format("The sphere seen from above the middle of the data, with meridians and parallels {} degrees "
                      "apart; {}. {}",
                      graticule_degrees,
                      close_up ? "a close-up, as the small globe shows" : "what lies on the far side shows faintly",
                      words_of(data, "the sphere")),
          svg};
}

}  // namespace wgp::report
