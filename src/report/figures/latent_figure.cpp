#include "report/figures/latent_figure.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>

#include "report/figures/latent_order.h"
#include "report/figures/latent_slice.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

constexpr Index nodes_at_once = 1024;

// Centres of equal cells over the range.
Vector cell_centres(const Range& range, Index cells) {
  const double half = (range.high - range.low) / (2 * static_cast<double>(cells));
  return Vector::LinSpaced(cells, range.low + half, range.high - half);
}

std::string title_of(const LatentData& data) { return data.given ? "Input space" : "Latent space"; }

double point_radius(Index points) { return points <= 150 ? 4.5 : points <= 500 ? 3.6 : points <= 2000 ? 2.8 : 2; }

// Cells of one shade in a row are one rectangle: a tenth of the text, and no seams.
void draw_shading(Svg& svg, const Plot& plot, const LatentData& data, const Range& range) {
  constexpr int shades = 32;  // equal steps of grey, which is by the square root
  const Index rows = data.sd.rows(), columns = data.sd.cols();
  const double width = plot.box().width / static_cast<double>(columns);
  const double height = plot.box().height / static_cast<double>(rows);
  const auto shade = [&](Index r, Index c) {
    return static_cast<int>(std::lround(shades * std::sqrt((data.sd(r, c) - range.low) / (range.high - range.low))));
  };
  std::vector<std::vector<Box>> boxes(shades + 1);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns;) {
      const Index begin = c;
      while (c < columns && shade(r, c) == shade(r, begin)) ++c;
      const double top = plot.box().bottom() - static_cast<double>(r + 1) * height;
      boxes[static_cast<std::size_t>(std::clamp(shade(r, begin), 0, shades))].push_back(
          {plot.box().x + static_cast<double>(begin) * width, top, static_cast<double>(c - begin) * width, height});
    }
  svg.begin_crisp_group();
  for (int k = 0; k <= shades; ++k)
    svg.rects(boxes[static_cast<std::size_t>(k)], filled(shade_colour(std::pow(static_cast<double>(k) / shades, 2))));
  svg.end_group();
}

// Of more points than this the marks alone are a cloud already.
constexpr Index most_with_spread = 600;
constexpr const char* spread_colour = "#5f7f9e";
bool shows_spread(const LatentData& data) { return data.X_sd.size() > 0 && data.X.cols() <= most_with_spread; }

// Lines between points that jump about would only hide them.
constexpr double most_for_path = 0.5;
bool has_path(const LatentData& data) { return data.step_share && *data.step_share < most_for_path; }

std::string colour_words(const LatentData& data) {
  const Colouring& colouring = data.colouring;
  switch (colouring.kind) {
    case Colouring::Kind::groups:
      return fmt::format(" Colour and shape: {}.", colouring.name);
    case Colouring::Kind::numbers:
      return fmt::format(" Colour: {}{}.{}", colouring.name,
                         has_path(data) ? "; the thin line joins the points in that order" : "",
                         data.step_share ? fmt::format(" Points next to each other in {} are {:.2f} of the mean "
                                                       "distance of all pairs apart.",
                                                       colouring.name, *data.step_share)
                                         : "");
    case Colouring::Kind::none:
      break;
  }
  return "";
}

// Cut where an angle jumps from one end of its axis to the other.
void draw_path(Svg& svg, const Plot& plot, const LatentData& data) {
  const double half = data.x_axis.scale == Axis::Scale::angle ? 3.14 : infinity;
  const double half_y = data.y_axis.scale == Axis::Scale::angle ? 3.14 : infinity;
  for (Index i = 0; i + 1 < data.X.cols(); ++i)
    if (std::abs(data.X(0, i + 1) - data.X(0, i)) < half && std::abs(data.X(1, i + 1) - data.X(1, i)) < half_y)
      svg.segment(plot.x(data.X(0, i)), plot.y(data.X(1, i)), plot.x(data.X(0, i + 1)), plot.y(data.X(1, i + 1)),
                  stroked("#4a4f55", 0.8));
}

Figure plane(const LatentData& data) {
  const Range range = Range::of(data.sd.reshaped(), 0);
  const Box box{74, 16, 540, 440};
  const double legend = legend_width(data.colouring, box.height), shading = box.right() + 26;
  Svg svg("latent", shading + 120 + legend, 512, title_of(data));
  const Plot plot(svg, box, data.x_axis, data.y_axis);
  draw_shading(svg, plot, data, range);
  if (has_path(data)) draw_path(svg, plot, data);
  if (shows_spread(data)) {
    svg.begin_clip(box);
    for (Index i = 0; i < data.X.cols(); i += drawn_every(data.X.cols()))
      svg.ellipse(plot.x(data.X(0, i)), plot.y(data.X(1, i)), std::abs(plot.x(data.X_sd(0, i)) - plot.x(0)),
                  std::abs(plot.y(data.X_sd(1, i)) - plot.y(0)), 0, stroked(spread_colour, 0.9));
    svg.end_clip();
  }
  for (Index i = 0; i < data.X.cols(); i += drawn_every(data.X.cols()))
    draw_point(svg, data.colouring, i, plot.x(data.X(0, i)), plot.y(data.X(1, i)), point_radius(data.X.cols()));
  plot.frame();
  draw_ramp(svg, {shading, box.y, 16, box.height}, range.low, range.high, "predictive sd", shade_colour);
  draw_legend(svg, data.colouring, shading + 114, box.y, box.height);
  const std::string rest = data.X.rows() > 2
                               ? fmt::format(" The shading is for the other {} at the middle of the points.",
                                             data.X.rows() == 3 ? "coordinate" : "coordinates")
                               : "";
  return {title_of(data),
          fmt::format("Each mark is a training point at its {}. The shading is the standard deviation of the model's "
                      "prediction in one tangent direction, without the noise that predictions add (sd {:.3g}): white "
                      "where the model is certain, grey where it is not.{}{}{}{}",
                      data.X.rows() > 2 ? fmt::format("first two of {} coordinates", data.X.rows()) : "coordinates",
                      data.noise_sd,
                      shows_spread(data) ? " The ellipses are standard deviations of the points' own coordinates." : "",
                      colour_words(data), rest, drawn_words(data.X.cols())),
          svg};
}

// The lower panel of one coordinate: the row number against it, or the number or the group of each point.
struct Heights {
  Vector values;
  Axis axis;
};

Heights heights_of(const LatentData& data) {
  const Index n = data.X.cols();
  const Colouring& colouring = data.colouring;
  Heights heights;
  switch (colouring.kind) {
    case Colouring::Kind::numbers:
      heights.values = colouring.numbers;
      heights.axis = {Range::of(heights.values), colouring.name};
      break;
    case Colouring::Kind::groups:
      heights.values.resize(n);
      for (Index i = 0; i < n; ++i)
        heights.values[i] = -static_cast<double>(colouring.group_of[static_cast<std::size_t>(i)]);
      heights.axis = {{-static_cast<double>(colouring.groups.size()) + 0.3, 0.7}, colouring.name};
      heights.axis.ticks = Axis::Ticks::hidden;
      break;
    case Colouring::Kind::none:
      heights.values = Vector::LinSpaced(n, 1, static_cast<double>(n));
      heights.axis = {Range::of(heights.values, 0.03), "row"};
      break;
  }
  return heights;
}

Figure line(const LatentData& data) {
  const Box above{74, 16, 560, 170}, below{74, 204, 560, 230};
  const double legend = legend_width(data.colouring, below.height);
  Svg svg("latent", above.right() + 30 + legend, 490, title_of(data));
  const Vector sd = data.sd.row(0).transpose();
  Axis hidden = data.x_axis;
  hidden.label.clear();
  hidden.ticks = Axis::Ticks::hidden;
  const double top = std::max(sd.maxCoeff(), data.noise_sd) * 1.12;
  const Plot curve(svg, above, hidden, {{0, top > 0 ? top : 1}, "predictive sd"});
  curve.grid();
  Matrix area(2, sd.size() + 2);
  for (Index i = 0; i < sd.size(); ++i) area.col(i) << curve.x(data.first[i]), curve.y(sd[i]);
  area.col(sd.size()) << curve.x(data.first[sd.size() - 1]), curve.y(0);
  area.col(sd.size() + 1) << curve.x(data.first[0]), curve.y(0);
  svg.polygon(area, filled("#d5d9de"));
  svg.polyline(area.leftCols(sd.size()), stroked(ink, 1.6));
  svg.segment(above.x, curve.y(data.noise_sd), above.right(), curve.y(data.noise_sd), stroked(accent, 1.4, "6 4"));
  svg.text(above.right() - 6, curve.y(data.noise_sd) - 5, "noise of data",
           {.size = 12, .anchor = Anchor::end, .colour = "#a84300", .halo = true});
  curve.frame();

  const Heights heights = heights_of(data);
  const Plot points(svg, below, data.x_axis, heights.axis);
  points.grid();
  if (shows_spread(data)) {
    svg.begin_clip(below);
    for (Index i = 0; i < data.X.cols(); i += drawn_every(data.X.cols()))
      svg.segment(points.x(data.X(0, i) - data.X_sd(0, i)), points.y(heights.values[i]),
                  points.x(data.X(0, i) + data.X_sd(0, i)), points.y(heights.values[i]), stroked(spread_colour, 0.9));
    svg.end_clip();
  }
  for (Index i = 0; i < data.X.cols(); i += drawn_every(data.X.cols()))
    draw_point(svg, data.colouring, i, points.x(data.X(0, i)), points.y(heights.values[i]),
               point_radius(data.X.cols()));
  points.frame();
  draw_legend(svg, data.colouring, below.right() + 24, below.y, below.height);
  const std::string down = data.colouring.kind == Colouring::Kind::none ? "the row it has in the table"
                                                                        : fmt::format("its {}", data.colouring.name);
  return {title_of(data),
          fmt::format("Above: standard deviation of the model's prediction in one tangent direction along the {}, "
                      "without the noise of data, whose own is the dashed line. Below: each training point at its "
                      "coordinate{}, against {}.{}",
                      data.given                                ? "input"
                      : data.x_axis.scale == Axis::Scale::angle ? "closed latent line"
                                                                : "latent line",
                      shows_spread(data) ? " with its standard deviation" : "", down, drawn_words(data.X.cols())),
          svg};
}

}  // namespace

LatentData latent_data(const Model& model, const Colouring& colouring) {
  LatentData data;
  const Index q = model.latent_dim();
  data.X = model.parts().latent.wrapped(model.parts().X);
  data.X_sd = model.parts().X_sd;
  data.colouring = colouring;
  data.given = model.parts().kind == ModelKind::regression;
  data.noise_sd = std::sqrt(model.law().noise_variance());
  data.x_axis = latent_axis(model, 0);
  if (const auto order = latent_order(model, colouring)) data.step_share = order->step_share;
  if (q == 1) {
    data.first = Vector::LinSpaced(241, data.x_axis.range.low, data.x_axis.range.high);
  } else {
    data.y_axis = latent_axis(model, 1);
    data.first = cell_centres(data.x_axis.range, 90);
    data.second = cell_centres(data.y_axis.range, 80);
  }
  const Matrix at = latent_slice(model, data.first, data.second);
  // In blocks: N kernel values for each node.
  Vector sd(at.cols());
  for (Index begin = 0; begin < at.cols(); begin += nodes_at_once) {
    const Index count = std::min(nodes_at_once, at.cols() - begin);
    sd.segment(begin, count) = model.predict(at.middleCols(begin, count)).variance.cwiseMax(0).cwiseSqrt();
  }
  data.sd = sd.reshaped(data.first.size(), q == 1 ? 1 : data.second.size()).transpose();
  return data;
}

Figure latent_figure(const LatentData& data) { return data.X.rows() == 1 ? line(data) : plane(data); }

}  // namespace wgp::report
