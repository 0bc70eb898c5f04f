// A latent line with its tube, or a latent grid, decoded: what the figures of whole manifolds draw.
#include "core/format.h"

#include <algorithm>

#include "report/figures/decoded_figure.h"
#include "report/figures/latent_slice.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

constexpr Index curve_steps = 400, mesh_lines = 9, mesh_steps = 96;
constexpr double most_times = 4;  // the mesh ends where the model is so many times less sure than at its points

}  // namespace

DecodedLines decoded_lines(const Model& model, const Colouring& colouring) {
  DecodedLines data;
  const Model::Parts& parts = model.parts();
  data.points = parts.has_points() ? parts.P : model.mean_points(parts.X);
  data.drawn_every = parts.has_points() ? drawn_every(parts.P.cols()) : 0;
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

Paint line_paint(const DecodedLines& data) { return data.is_curve() ? stroked(accent, 3) : stroked("#4a4f55", 0.9); }

double draw_meaning(Svg& svg, const DecodedLines& data, double left, double down) {
  const auto entry = [&](const std::string& text) {
    svg.text(left + 38, down + 4, text);
    down += 26;
  };
  if (data.drawn_every > 0) {
    draw_point(svg, data.colouring, 0, left + 15, down, 4);
    entry("training points");
  }
  svg.segment(left, down, left + 30, down, line_paint(data));
  entry(data.is_curve() ? "prediction" : "latent grid, decoded");
  if (data.is_curve()) {
    svg.rect({left, down - 8, 30, 16}, filled(tube_colour));
    entry("95 % of new points");
  }
  return down;
}

std::string words_of(const DecodedLines& data, const std::string& onto) {
  const std::string drawn = data.drawn_every > 0 ? drawn_words(data.points.cols()) : "";
  if (data.is_curve())
    return "The line is what the model predicts along its coordinate, and the tube holds 95 % of new points." + drawn;
  return fmt::format(
      "The mesh is a grid of the first two latent coordinates as the model maps it onto {}, as far as its "
      "uncertainty is about that at its points.{}",
      onto, drawn);
}

}  // namespace wgp::report
