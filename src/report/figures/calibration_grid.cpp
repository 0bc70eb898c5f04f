#include "report/figures/calibration_grid.h"

#include <algorithm>
#include <cmath>

#include "report/figures/calibration_figure.h"
#include "report/svg/distribution_panel.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

constexpr double panel_side = 172, panel_across = 208, panel_down = 226, grid_left = 92, grid_top = 84;

void draw_curve(Svg& svg, const Plot& plot, Index d, Index q, const Paint& paint) {
  constexpr Index steps = 100;
  Matrix line(2, steps + 1);
  for (Index k = 0; k <= steps; ++k) {
    const double u = static_cast<double>(k) / steps;
    line.col(k) << plot.x(u), plot.y(encoded_share(u, d, q));
  }
  svg.polyline(line, paint);
}

const Paint bar_paint = filled("#cfd6dd");
const Paint own_paint = stroked(accent, 2.2);
const Paint null_paint = stroked(ink, 1.4, "2 3");
const Paint reference_paint = stroked(second_accent, 1.6, "7 4");
const Paint diagonal_paint = stroked("#8a939c", 1);

void draw_curve_legend(Svg& svg, double x, double y) {
  const auto entry = [&](const Paint& paint, const std::string& text) {
    svg.segment(x, y, x + 30, y, paint);
    svg.text(x + 37, y + 4, text, {.size = 12});
    x += 37 + text_width(text, 12) + 20;
  };
  svg.rect({x, y - 7, 30, 14}, bar_paint);
  svg.text(x + 37, y + 4, "frequency", {.size = 12});
  x += 37 + text_width("frequency", 12) + 20;
  entry(own_paint, "cumulated");
  entry(null_paint, "null: the model's own draws");
  entry(reference_paint, "perfect, after encoding");
  entry(diagonal_paint, "diagonal");
}

}  // namespace

Figure calibration_grid(const std::vector<CalibrationPanel>& panels, int columns) {
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  Svg svg("calibration", std::max(grid_left + columns * panel_across, 880.0), grid_top + rows * panel_down + 26,
          "Calibration of the models");
  draw_curve_legend(svg, grid_left - 40, 14);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const CalibrationPanel& panel = panels[i];
    const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
    const Box box{grid_left + column * panel_across, grid_top + row * panel_down, panel_side, panel_side};
    const Plot plot(svg, box, {{0, 1}, row + 1 == rows ? "share of draws nearer" : ""},
                    {{0, 1}, column == 0 ? "share of test points" : ""});
    plot.grid();
    const std::vector<double>& fractions = panel.calibration.fractions;
    // Bars beside curves that go to 1: twice the uniform height fills the frame, or the fullest bar does.
    draw_share_bars(svg, plot, fractions, std::max(highest_share(fractions), 2.0 / share_bars), bar_paint);
    svg.segment(plot.x(0), plot.y(0), plot.x(1), plot.y(1), diagonal_paint);
    draw_curve(svg, plot, panel.d, panel.q, reference_paint);
    draw_share_steps(svg, plot, panel.calibration.null_fractions, null_paint);
    draw_share_steps(svg, plot, fractions, own_paint);
    plot.frame();
    if (row == 0) svg.text(box.x + panel_side / 2, box.y - 30, panel.set, {.anchor = Anchor::middle, .bold = true});
    svg.text(box.x + panel_side / 2, box.y - 8, panel.model, {.size = 12.5, .anchor = Anchor::middle});
  }
  return {"Calibration",
          "For each test point, 50 draws from the model's prediction at its latent: the share of draws that lie nearer "
          "to the mean prediction than the point does. Bars: how often each share occurs (the highest bar fills the "
          "frame); orange: cumulated. A curve above its null is underconfident, one below it overconfident. The "
          "diagonal is not the reference: encoding absorbs some of every residual, so that even a perfect model in "
          "flat space shows the blue curve, and this model's own draws, encoded again, the dotted one.",
          svg};
}

}  // namespace wgp::report
