// The training points and the model's curve with its tube, or its mesh, on a manifold that can be laid out flat.
#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "report/figures/decoded_figure.h"
#include "report/pictures/flat_layout.h"
#include "report/svg/plot.h"

namespace wgp::report {
namespace {

// A square that holds all, so that circles look like circles.
struct Square {
  Range x, y;
};
Square square_about(const FlatLayout& layout, const DecodedLines& data) {
  const Matrix points = layout.flat(data.points);
  Eigen::Vector2d low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  for (const Matrix& line : data.lines) {
    const Matrix at = layout.flat(line);
    low = low.cwiseMin(at.rowwise().minCoeff());
    high = high.cwiseMax(at.rowwise().maxCoeff());
  }
  if (data.is_curve())
    for (Index i = 0; i < data.radii.size(); ++i) {
      const FlatLayout::Disc disc = layout.disc(data.lines[0].col(i), data.radii[i]);
      low = low.cwiseMin((disc.centre.array() - disc.radius).matrix());
      high = high.cwiseMax((disc.centre.array() + disc.radius).matrix());
    }
  const Eigen::Vector2d middle = (low + high) / 2;
  const double size = middle.cwiseAbs().maxCoeff(), half = std::max(0.53 * (high - low).maxCoeff(), 1e-9 * size);
  if (!(half > 0) || !std::isfinite(half)) return {};
  return {{middle.x() - half, middle.x() + half}, {middle.y() - half, middle.y() + half}};
}

}  // namespace

bool has_plane_figure(const Manifold& manifold) {
  return flat_layout(manifold, Matrix::Zero(manifold.ambient_dim(), 1)) != nullptr;
}

Figure plane_figure(const Manifold& manifold, const DecodedLines& data) {
  const auto layout = flat_layout(manifold, data.points);
  const Square square = square_about(*layout, data);
  constexpr double side = 440;
  const Box box{74, 16, side, side};
  const double left = box.right() + 20, legend = legend_width(data.colouring, side - 90);
  Svg svg("decoded", left + std::max(190.0, legend + 20), 512, "The model among its points");
  const Plot plot(svg, box, {square.x, layout->x_label()}, {square.y, layout->y_label()});
  const double pixels = side / (square.x.high - square.x.low);
  const auto placed = [&](ConstMatrixRef flat) {
    Matrix at = flat;
    for (Index i = 0; i < at.cols(); ++i) at.col(i) << plot.x(flat(0, i)), plot.y(flat(1, i));
    return at;
  };
  const auto draw_line = [&](const Matrix& line, const Paint& paint) {
    const Matrix flat = layout->flat(line);
    for (Index begin = 0; begin + 1 < flat.cols();) {
      Index end = begin + 1;
      while (end < flat.cols() && (flat.col(end) - flat.col(end - 1)).cwiseAbs().maxCoeff() < layout->longest_step())
        ++end;
      if (end - begin > 1) svg.polyline(placed(flat.middleCols(begin, end - begin)), paint);
      begin = end;
    }
  };

  plot.grid();
  svg.begin_clip(box);
  if (data.is_curve())
    for (Index i = 0; i < data.radii.size(); ++i) {
      const FlatLayout::Disc disc = layout->disc(data.lines[0].col(i), data.radii[i]);
      svg.circle(plot.x(disc.centre.x()), plot.y(disc.centre.y()), pixels * disc.radius, filled(tube_colour));
      // Tubes that are thin beside the steps are no row of beads.
      if (i + 1 == data.radii.size()) break;
      draw_line(data.lines[0].middleCols(i, 2), stroked(tube_colour, 2 * pixels * disc.radius));
    }
  const auto draw_lines = [&] {
    for (const Matrix& line : data.lines) {
      if (data.is_curve()) draw_line(line, stroked("#ffffff", 5));
      draw_line(line, line_paint(data));
    }
  };
  // Few points would vanish under a line that passes through them; many would hide it.
  const bool line_on_top = data.is_curve() && data.points.cols() > 150;
  if (!line_on_top) draw_lines();
  const Matrix at = placed(layout->flat(data.points));
  for (Index i = 0; data.drawn_every > 0 && i < at.cols(); i += data.drawn_every)
    draw_point(svg, data.colouring, i, at(0, i), at(1, i), at.cols() > 500 ? 2.4 : 3.2);
  if (line_on_top) draw_lines();
  svg.end_clip();
  plot.frame();
  const double down = draw_meaning(svg, data, left, box.y + 12);
  draw_legend(svg, data.colouring, left, down + 16, side - 90);
  return {"The model among its points", layout->words() + " " + words_of(data, layout->onto()), svg};
}

}  // namespace wgp::report
