// The sphere with the training points and what the model makes of its latent space: a curve with its tube, or a mesh.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "report/camera.h"
#include "report/decoded_figure.h"
#include "report/latent_slice.h"
#include "report/palette.h"

namespace wgp::report {
namespace {

constexpr Index curve_steps = 400, mesh_lines = 9, mesh_steps = 96;
constexpr double most_times = 4;  // the mesh ends where the model is so many times less sure than at its points
constexpr int graticule_degrees = 15;
constexpr double legend_height = 320;

// Everything is drawn twice: first what lies behind, then, over a veil, what lies in front.
enum class Side { far, near };

class Ball {
 public:
  Ball(Svg& svg, double x, double y, double radius, const Camera& camera)
      : svg_(svg), x_(x), y_(y), radius_(radius), camera_(camera) {}

  Matrix seen(ConstMatrixRef points) const {
    Matrix at = camera_.seen(points);
    at.row(0) = (radius_ * at.row(0)).array() + x_;
    at.row(1) = (-radius_ * at.row(1)).array() + y_;
    return at;
  }

  void disc_of_view(const Paint& paint) const { svg_.circle(x_, y_, radius_, paint); }

  // Cut where it passes the outline.
  void line(ConstMatrixRef points, Side side, const Paint& paint) const {
    const Matrix at = seen(points);
    const auto here = [&](Index i) { return (at(2, i) + at(2, i + 1) >= 0) == (side == Side::near); };
    for (Index i = 0; i + 1 < at.cols(); ++i) {
      if (!here(i)) continue;
      const Index begin = i;
      while (i + 1 < at.cols() && here(i)) ++i;
      svg_.polyline(at.block(0, begin, 2, i - begin + 1), paint);
    }
  }

  void disc(const Eigen::Vector3d& centre, double angle, Side side, const Paint& paint) const {
    const Eigen::Vector3d p = centre.normalized();
    if (((camera_.axes() * p).z() >= 0) != (side == Side::near)) return;
    const Camera about(p);  // any frame with p as its third axis
    constexpr Index corners = 18;
    Matrix ring(3, corners);
    for (Index k = 0; k < corners; ++k) {
      const double t = 2 * std::numbers::pi * static_cast<double>(k) / corners;
      ring.col(k) = std::cos(angle) * p + std::sin(angle) * (std::cos(t) * about.axes().row(0).transpose() +
                                                             std::sin(t) * about.axes().row(1).transpose());
    }
    svg_.polygon(seen(ring).topRows(2), paint);
  }

  // Discs about the points, and strips between them; in one opaque colour they flow together.
  void tube(ConstMatrixRef points, const Vector& radii, Side side, const Paint& paint) const {
    for (Index i = 0; i < points.cols(); ++i) {
      const double angle = std::min(radii[i], std::numbers::pi / 2);
      disc(points.col(i), angle, side, paint);
      if (i + 1 == points.cols()) break;
      const Eigen::Vector3d from = points.col(i), to = points.col(i + 1);
      const Eigen::Vector3d across = from.cross(to).normalized();
      Matrix corners(3, 4);
      corners << std::cos(angle) * from + std::sin(angle) * across, std::cos(angle) * to + std::sin(angle) * across,
          std::cos(angle) * to - std::sin(angle) * across, std::cos(angle) * from - std::sin(angle) * across;
      const Matrix at = seen(corners);
      if ((at.row(2).mean() >= 0) == (side == Side::near)) svg_.polygon(at.topRows(2), paint);
    }
  }

  void graticule(Side side) const {
    constexpr double degree = std::numbers::pi / 180;
    constexpr int steps = 72;
    const auto at = [](double latitude, double longitude) {
      return Eigen::Vector3d(std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
                             std::sin(latitude));
    };
    const Paint thin = stroked("#bcc5ce", 0.6);
    Matrix points(3, steps + 1);
    for (int longitude = 0; longitude < 360; longitude += graticule_degrees) {
      for (int i = 0; i <= steps; ++i) points.col(i) = at((i * 180.0 / steps - 90) * degree, longitude * degree);
      line(points, side, thin);
    }
    for (int latitude = -75; latitude <= 75; latitude += graticule_degrees) {
      for (int i = 0; i <= steps; ++i) points.col(i) = at(latitude * degree, i * 360.0 / steps * degree);
      line(points, side, thin);
    }
  }

 private:
  Svg& svg_;
  double x_, y_, radius_;
  const Camera& camera_;
};

void draw_side(Svg& svg, const Ball& ball, const SphereData& data, Side side) {
  ball.graticule(side);
  const bool curve = data.radii.size() > 0;
  if (curve) ball.tube(data.lines[0], data.radii, side, filled("#f5d3b6"));
  const auto draw_lines = [&] {
    for (const Matrix& line : data.lines) {
      if (curve) ball.line(line, side, stroked("#ffffff", 5));
      ball.line(line, side, stroked(curve ? accent : "#4a4f55", curve ? 3 : 0.9));
    }
  };
  // Few points would vanish under a line that passes through them; many would hide it.
  const bool line_on_top = curve && data.points.cols() > 150;
  if (!line_on_top) draw_lines();
  const Matrix at = ball.seen(data.points);
  const double radius = data.points.cols() > 500 ? 2.4 : 3.2;
  for (Index i = 0; i < at.cols(); ++i)
    if ((at(2, i) >= 0) == (side == Side::near)) draw_point(svg, data.colouring, i, at(0, i), at(1, i), radius);
  if (line_on_top) draw_lines();
}

void draw_ball(Svg& svg, const Ball& ball, const SphereData& data) {
  ball.disc_of_view(filled("#ffffff"));
  draw_side(svg, ball, data, Side::far);
  ball.disc_of_view({.fill = "#f4f7fa", .stroke = "#5b646d", .opacity = 0.8});
  draw_side(svg, ball, data, Side::near);
}

// The square that holds all points, lines and tubes as the camera sees them, in radii; the whole ball if some lie
// behind it, or if it would not be much smaller.
struct View {
  double x = 0, y = 0, half = 1;
  bool is_close_up() const { return half < 0.75; }
};

View view_of(const Camera& camera, const SphereData& data) {
  Eigen::Vector3d low = Eigen::Vector3d::Ones(), high = -low;
  const auto take = [&](ConstMatrixRef points) {
    const Matrix seen = camera.seen(points);
    low = low.cwiseMin(seen.rowwise().minCoeff());
    high = high.cwiseMax(seen.rowwise().maxCoeff());
  };
  take(data.points);
  for (const Matrix& line : data.lines) take(line);
  const double tube = data.radii.size() > 0 ? data.radii.maxCoeff() : 0;
  View view{(low.x() + high.x()) / 2, (low.y() + high.y()) / 2, 0.05};
  view.half = std::max(view.half, 1.12 * ((high - low).head<2>().maxCoeff() / 2 + tube));
  return low.z() < 0 || !view.is_close_up() ? View{} : view;
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
  Eigen::Vector3d middle = data.points.rowwise().mean();
  if (middle.norm() < 0.05) middle = Eigen::Vector3d(1, -1, 0.8);
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
    draw_ball(svg, Ball(svg, centre - radius * view.x, centre + radius * view.y, radius, camera), data);
    svg.end_clip();
    svg.rect(frame, stroked("#5b646d"));
  } else {
    draw_ball(svg, Ball(svg, centre, centre, half, camera), data);
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
    // Where on the sphere the close-up is.
    const double small = 52, y = frame.bottom() - small, x = left + small;
    const Ball globe(svg, x, y, small, camera);
    svg.circle(x, y, small, {.fill = "#f4f7fa", .stroke = "#5b646d"});
    globe.graticule(Side::near);
    svg.rect({x + small * (view.x - view.half), y - small * (view.y + view.half), 2 * small * view.half,
              2 * small * view.half},
             stroked(accent, 1.6));
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
