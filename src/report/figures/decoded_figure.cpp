#include "report/figures/decoded_figure.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>

#include "report/figures/latent_slice.h"
#include "report/pictures/point_picture.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

constexpr Index strip_points = 12, strip_columns = 6, grid_side = 7;
constexpr double faintest = 0.22;

// 1 where the model is surest; a quarter where its standard deviation is sixteen times that.
Vector opacities(const Vector& sd) {
  const double least = sd.minCoeff();
  if (!(least > 0)) return Vector::Ones(sd.size());
  return (least / sd.array()).sqrt().max(faintest);
}

void draw_cell(Svg& svg, const PointPicture& picture, const Box& box, ConstVectorRef point, double opacity) {
  const Box inner{box.x + 4, box.y + 4, box.width - 8, box.height - 8};
  if (opacity < 0.995) svg.begin_group(opacity);
  picture.draw(svg, inner, point);
  if (opacity < 0.995) svg.end_group();
}

constexpr const char* fainter = " Fainter pictures are less certain.";

Figure strip(const DecodedData& data) {
  const PointPicturePtr picture = picture_of(*data.manifold, data.points, data.channels);
  const double side = std::max(picture->cell(), 118.0), height = side + 26;
  const Index count = data.first.size(), rows = (count + strip_columns - 1) / strip_columns;
  Svg svg("decoded", strip_columns * side + 8, static_cast<double>(rows) * height + 30, "Decoded points");
  const Vector opacity = opacities(data.sd);
  const double step = (data.x_axis.range.high - data.x_axis.range.low) / 100;
  for (Index i = 0; i < count; ++i) {
    const Box box{4 + static_cast<double>(i % strip_columns) * side,
                  4 + static_cast<double>(i / strip_columns) * height, side, side};
    svg.rect({box.x + 2, box.y + 2, box.width - 4, box.height - 4}, stroked("#e4e7ea"));
    draw_cell(svg, *picture, box, data.points.col(i), opacity[i]);
    svg.text(box.x + side / 2, box.bottom() + 14, tick_label(data.first[i], step),
             {.size = 12, .anchor = Anchor::middle});
  }
  svg.text(4 + strip_columns * side / 2, static_cast<double>(rows) * height + 22, data.x_axis.label,
           {.anchor = Anchor::middle});
  return {"Decoded points",
          fmt::format("What the model predicts along its coordinate, at the value below each picture. {}{}",
                      picture->words(), opacity.minCoeff() < 0.995 ? fainter : ""),
          svg};
}

Figure grid(const DecodedData& data) {
  const PointPicturePtr picture = picture_of(*data.manifold, data.points, data.channels);
  const Index columns = data.first.size(), rows = data.second.size();
  const double side = picture->cell();
  const Box box{76, 12, static_cast<double>(columns) * side, static_cast<double>(rows) * side};
  Svg svg("decoded", box.right() + 20, box.bottom() + 52, "Decoded points");
  const Plot plot(svg, box, data.x_axis, data.y_axis);
  const Vector opacity = opacities(data.sd);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      const Index i = r * columns + c;
      draw_cell(svg, *picture, {plot.x(data.first[c]) - side / 2, plot.y(data.second[r]) - side / 2, side, side},
                data.points.col(i), opacity[i]);
    }
  plot.frame();
  return {
      "Decoded points",
      fmt::format("What the model predicts over the space of its coordinates, each picture at its coordinates. {}{}",
                  picture->words(), opacity.minCoeff() < 0.995 ? fainter : ""),
      svg};
}

}  // namespace

DecodedData decoded_data(const Model& model) {
  DecodedData data;
  data.manifold = model.parts().manifold;
  data.x_axis = latent_axis(model, 0);
  const auto nodes = [](const Range& range, Index count) {
    const double half = (range.high - range.low) / (2 * static_cast<double>(count));
    return Vector(Vector::LinSpaced(count, range.low + half, range.high - half));
  };
  if (model.latent_dim() == 1) {
    data.first = nodes(data.x_axis.range, strip_points);
  } else {
    // Pictures that need much room are fewer.
    const double cell = picture_of(*data.manifold, model.mean_points(model.parts().X.leftCols(1)))->cell();
    const Index side = cell > 100 ? 5 : grid_side;
    data.y_axis = latent_axis(model, 1);
    data.first = nodes(data.x_axis.range, side);
    data.second = nodes(data.y_axis.range, side);
  }
  const Prediction prediction = model.predict(latent_slice(model, data.first, data.second));
  data.points = prediction.points;
  data.sd = (prediction.variance.array().max(0) + prediction.noise).sqrt();
  return data;
}

Figure decoded_figure(const DecodedData& data) { return data.second.size() == 0 ? strip(data) : grid(data); }

}  // namespace wgp::report
