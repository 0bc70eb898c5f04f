#include "report/figures/femur_figure.h"

#include "core/format.h"
#include "core/random_streams.h"

#include <cmath>
#include <numbers>

#include "report/svg/globe.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

constexpr Index circle_steps = 1000, curve_draws = 20;

FemurPanel panel_of(const std::string& name, const Model& model, std::uint64_t seed) {
  FemurPanel panel;
  panel.model = name;
  Matrix X(1, circle_steps + 1);
  X.row(0) = Eigen::RowVectorXd::LinSpaced(circle_steps + 1, -std::numbers::pi, std::numbers::pi);
  panel.mean = model.mean_points(X);
  Random random(seed, stream::femur_draws);
  // Joint draws at the two ends of the circle are one value: the end is the beginning.
  const Matrix drawn =
      model.sample(X.leftCols(circle_steps), curve_draws, random, SampleOf::function, SampleHow::jointly);
  for (Index s = 0; s < curve_draws; ++s) {
    Matrix curve(3, circle_steps + 1);
    curve << drawn.middleCols(s * circle_steps, circle_steps), drawn.col(s * circle_steps);
    panel.samples.push_back(std::move(curve));
  }
  const Matrix scattered = model.sample(X.leftCols(circle_steps), curve_draws, random);
  panel.off_sphere = std::sqrt((scattered.colwise().norm().array() - 1).square().mean());
  return panel;
}

void draw_side(Svg& svg, const Globe& globe, const FemurData& data, const FemurPanel& panel, Side side) {
  globe.graticule(side);
  for (const Matrix& sample : panel.samples)
    globe.line(sample, side, {.stroke = "#56b4e9", .width = 0.8, .opacity = 0.4});
  const auto draw_points = [&](const Matrix& points, Marker marker, double radius, const Paint& paint) {
    const Matrix at = globe.seen(points);
    for (Index i = 0; i < at.cols(); ++i)
      if ((at(2, i) >= 0) == (side == Side::near)) svg.marker(marker, at(0, i), at(1, i), radius, paint);
  };
  draw_points(data.train, Marker::circle, 1.7, filled("#555b61"));
  globe.line(panel.mean, side, stroked("#ffffff", 3.6));
  globe.line(panel.mean, side, stroked("#000000", 1.8));
  draw_points(data.test, Marker::triangle, 3, {.fill = accent, .stroke = "#fff", .width = 0.5});
}

}  // namespace

FemurData femur_data(const Model& wgplvm, const Model& gplvm, ConstMatrixRef test, std::uint64_t seed) {
  FemurData data;
  data.train = wgplvm.parts().P;
  data.test = test;
  const Model projected = gplvm.with([](Model::Parts& parts) { parts.kind = ModelKind::gplvmproj; });
  data.panels = {panel_of("WGPLVM", wgplvm, seed), panel_of("GPLVM", gplvm, seed),
                 panel_of("GPLVMProj", projected, seed)};
  return data;
}

Figure femur_figure(const FemurData& data) {
  constexpr double half = 150, gap = 14, top = 56;
  const Camera camera(middle_of(data.train));
  std::vector<Matrix> all = {data.train, data.test};
  for (const FemurPanel& panel : data.panels) all.push_back(panel.mean);
  const View view = view_of(camera, all);
  const double width = 3 * 2 * half + 4 * gap;
  Svg svg("femur-models", width, top + 2 * half + 46, "Three models on the sphere");

  double x = gap;
  const auto entry = [&](const std::string& text, const auto& draw) {
    draw(x + 14, 15.0);
    svg.text(x + 34, 19, text, {.size = 12});
    x += 34 + text_width(text, 12) + 26;
  };
  entry("training points", [&](double at, double y) { svg.circle(at, y, 3, filled("#555b61")); });
  entry("test points", [&](double at, double y) {
    svg.marker(Marker::triangle, at, y, 5, {.fill = accent, .stroke = "#fff", .width = 0.5});
  });
  entry("mean prediction", [&](double at, double y) { svg.segment(at - 14, y, at + 14, y, stroked("#000000", 2.2)); });
  entry(fmt::format("{} draws of the curve", curve_draws),
        [&](double at, double y) { svg.segment(at - 14, y, at + 14, y, stroked("#56b4e9", 2)); });

  for (std::size_t i = 0; i < data.panels.size(); ++i) {
    const FemurPanel& panel = data.panels[i];
    const Box frame{gap + static_cast<double>(i) * (2 * half + gap), top, 2 * half, 2 * half};
    const double radius = half / view.half, centre = frame.x + half, middle = frame.y + half;
    const Globe globe(svg, centre - radius * view.x, middle + radius * view.y, radius, camera);
    svg.begin_clip(frame);
    globe.disc_of_view(filled("#ffffff"));
    draw_side(svg, globe, data, panel, Side::far);
    globe.disc_of_view({.fill = "#f4f7fa", .stroke = "#5b646d", .opacity = 0.8});
    draw_side(svg, globe, data, panel, Side::near);
    svg.end_clip();
    if (view.is_close_up()) svg.rect(frame, stroked("#5b646d"));
    svg.text(centre, frame.y - 8, panel.model, {.anchor = Anchor::middle, .bold = true});
    svg.text(centre, frame.bottom() + 18,
             panel.off_sphere < 1e-9 ? "all draws on the sphere"
                                     : fmt::format("draws are {:.2g} off the sphere (rms)", panel.off_sphere),
             {.size = 12, .anchor = Anchor::middle});
  }
  return {
      "Femur: three models on the sphere",
      fmt::format("The closed curve that each model predicts, from the training points of the first split, and draws "
                  "of the whole curve from its posterior (without the noise of data). Seen from above the middle of "
                  "the data{}; meridians and parallels are {} degrees apart.",
                  view.is_close_up() ? ", a close-up" : "", graticule_degrees),
      svg};
}

}  // namespace wgp::report
