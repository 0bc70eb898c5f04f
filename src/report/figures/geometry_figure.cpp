#include "report/figures/geometry_figure.h"

#include "core/format.h"

#include <algorithm>

#include "lift/embedded_lift.h"
#include "report/svg/distribution_panel.h"
#include "report/svg/palette.h"
#include "wgp/statistics.h"

namespace wgp::report {
namespace {

std::vector<double> over_largest(Vector distances) {
  distances /= std::max(distances.maxCoeff(), 1e-300);
  std::sort(distances.begin(), distances.end());
  return {distances.begin(), distances.end()};
}

}  // namespace

GeometryPanel geometry_panel(std::string set, const Manifold& manifold, ConstMatrixRef points) {
  const FrechetMean mean = frechet_mean(manifold, points);
  // Coordinates in which the baselines work: shapes aligned to a reference, matrices with Frobenius distances.
  const Vector base = embedded_base(manifold, points);
  const ManifoldPtr unowned(ManifoldPtr(), &manifold);
  const Matrix embedded = embedded_lift(unowned, base, Predictions::as_they_are, 0)->lift(Matrix(), points).V;
  return {std::move(set), over_largest(manifold.at(mean.mean)->distance(points)),
          over_largest((embedded.colwise() - embedded.rowwise().mean()).colwise().norm().transpose())};
}

Figure geometry_figure(const std::vector<GeometryPanel>& panels) {
  constexpr double side = 168, across = 206, left = 70, top = 56;
  Svg svg("geometry", std::max(left + static_cast<double>(panels.size()) * across - 20, 400.0), top + side + 52,
          "Distances to the mean in both geometries");
  const Paint flat_bars{.fill = group_colour(1), .opacity = 0.45},
      curved_bars{.fill = group_colour(0), .opacity = 0.45};
  const Paint flat_line = stroked("#b36b00", 1.8, "6 3"), curved_line = stroked(group_colour(0), 2.2);
  double x = left;
  for (const auto& [bar, line, text] :
       {std::tuple{curved_bars, curved_line, "on the manifold"}, {flat_bars, flat_line, "Euclidean"}}) {
    svg.rect({x, 8, 30, 14}, bar);
    svg.segment(x, 15, x + 30, 15, line);
    svg.text(x + 37, 19, text, {.size = 12});
    x += 37 + text_width(text, 12) + 30;
  }
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const GeometryPanel& panel = panels[i];
    const Box box{left + static_cast<double>(i) * across, top, side, side};
    const Plot plot(svg, box, {{0, 1}, "distance to mean / largest"}, {{0, 1}, i == 0 ? "share of points" : ""});
    plot.grid();
    const double highest = std::max(highest_share(panel.riemannian), highest_share(panel.euclidean));
    draw_share_bars(svg, plot, panel.euclidean, highest, flat_bars);
    draw_share_bars(svg, plot, panel.riemannian, highest, curved_bars);
    draw_share_steps(svg, plot, panel.euclidean, flat_line);
    draw_share_steps(svg, plot, panel.riemannian, curved_line);
    plot.frame();
    svg.text(box.x + side / 2, box.y - 8, panel.set, {.size = 12.5, .anchor = Anchor::middle, .bold = true});
  }
  return {
      "The geometries compared",
      "Distances of the points to their mean, as a share of the largest one: on the manifold from the Frechet mean, "
      "and in the Euclidean space around it from the ordinary mean. Bars: how often (the highest fills the frame); "
      "lines: cumulated. Where the two agree the manifold changes little; where Euclidean distances crowd at zero "
      "a few points dominate that geometry.",
      svg};
}

}  // namespace wgp::report
