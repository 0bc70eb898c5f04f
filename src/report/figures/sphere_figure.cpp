// The sphere with the training points and what the model makes of its latent space: a curve with its tube, or a mesh.
#include "core/format.h"

#include <algorithm>

#include "report/figures/decoded_figure.h"
#include "report/figures/latent_slice.h"
#include "report/svg/globe.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

constexpr Index curve_steps = 400, mesh_lines = 9, mesh_steps = 96;
constexpr double most_times = 4;  // the mesh ends where the model is so many times less sure than at its points
constexpr double legend_height = 320;

void draw_side(Svg& svg, const Globe& globe, const SphereData& data, Side side) {
  globe.graticule(side);
  const bool curve = data.radii.size() > 0;
  if (curve) globe.tube(data.lines[0], data.radii, side, filled("#f5d3b6"));
  const auto draw_lines = [&] {
    for (const Matrix& line : data.lines) {
      if (curve) globe.line(line, side, stroked("#ffffff", 5));
      globe.line(line, side, stroked(curve ? accent : "#4a4f55", curve ? 3 : 0.9));
    }
  };
  // Few points would vanish under a line that passes through them; many would hide it.
  const bool line_on_top = curve && data.points.cols() > 150;
  if (!line_on_top) draw_lines();
  const Matrix at = globe.seen(data.points);
  const double radius = data.points.cols() > 500 ? 2.4 : 3.2;
  for (Index i = 0; i < at.cols(); ++i)
    if ((at(2, i) >= 0) == (side == Side::near)) draw_point(svg, data.colouring, i, at(0, i), at(1, i), radius);
  if (line_on_top) draw_lines();
}

void draw_globe(Svg& svg, const Globe& globe, const SphereData& data) {
  globe.disc_of_view(filled("#ffffff"));
  draw_side(svg, globe, data, Side::far);
  globe.disc_of_view({.fill = "#f4f7fa", .stroke = "#5b646d", .opacity = 0.8});
  draw_side(svg, globe, data, Side::near);
}

View view_of(const Camera& camera, const SphereData& data) {
  std::vector<Matrix> all = data.lines;
  all.push_back(data.points);
  return view_of(camera, all, data.radii.size() > 0 ? data.radii.maxCoeff() : 0);
}

}  // namespace

bool has_sphere_figure(const Model& model) { return model.manifold().spec() == "sphere:2"; }

SphereData sphere_data(const Model& model, const Colouring& colouring) {
  SphereData data;
  data.points = model.parts().P;
  data.colouring = colouring;
  // No farther than the points: beyond them the prediction falls back to the mean, and the tube grows without bound.
  const auto spread = [&](Index j, Index count) {
    const auto x = model.parts().X.row(j);
    const Range range = model.parts().latent.is_angle(j) ? latent_range(model, j) : Range{x.minCoeff(), x.maxCoeff()};
    return Vector(Vector::LinSpaced(count, range.low, range.high));
  };
  if (model.latent_dim() == 1) {
    const Matrix X = latent_slice(model, spread(0, curve_steps + 1), Vector());
    data.lines.push_back(model.mean_points(X));
    data.radii = model.confidence_radius(X, 0.95);
    return data;
  }
  const auto sd_of_data = [](const Prediction& prediction) {
    return Vector((prediction.variance.array().max(0) + prediction.noise).sqrt());
  };
  const double largest_sd = most_times * sd_of_data(model.predict(model.parts().X)).maxCoeff();
  const auto add = [&](const Matrix& X) {
    const Prediction prediction = model.predict(X);
    const Vector sd = sd_of_data(prediction);
    for (Index i = 0; i < sd.size(); ++i) {
      const Index begin = i;
      while (i < sd.size() && sd[i] <= largest_sd) ++i;
      if (i - begin > 1) data.lines.push_back(prediction.points.middleCols(begin, i - begin));
    }
  };
  for (const double t : spread(0, mesh_lines)) add(latent_slice(model, Vector::Constant(1, t), spread(1, mesh_steps)));
  for (const double t : spread(1, mesh_lines)) add(latent_slice(model, spread(0, mesh_steps), Vector::Constant(1, t)));
  return data;
}

Figure sphere_figure(const SphereData& data) {
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
  const bool curve = data.radii.size() > 0;
  double down = margin + 12;
  const auto entry = [&](const std::string& text) {
    svg.text(left + 38, down + 4, text);
    down += 26;
  };
  draw_point(svg, data.colouring, 0, left + 15, down, 4);
  entry("training points");
  svg.segment(left, down, left + 30, down, stroked(curve ? accent : "#4a4f55", curve ? 3 : 0.9));
  entry(curve ? "prediction" : "latent grid, decoded");
  if (curve) {
    svg.rect({left, down - 8, 30, 16}, filled("#f5d3b6"));
    entry("95 % of new points");
  }
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
                      curve ? "The line is what the model predicts along its coordinate, and the tube holds "
                              "95 % of new points."
                            : "The mesh is a grid of the first two latent coordinates as the model maps it onto the "
                              "sphere, as far as the model is about as sure as at its points."),
          svg};
}

}  // namespace wgp::report
