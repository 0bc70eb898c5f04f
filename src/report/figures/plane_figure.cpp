// The training points and the model's curve with its tube, or its mesh, on a manifold that can be laid out flat.
#include "core/format.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "report/figures/decoded_figure.h"
#include "report/svg/plot.h"

namespace wgp::report {
namespace {

using std::numbers::pi;

// A manifold laid out flat.
class Layout {
 public:
  virtual ~Layout() = default;
  virtual Matrix flat(ConstMatrixRef points) const = 0;  // 2 x n
  // Of all points within a distance of one: a circle in each of these layouts.
  struct Disc {
    Eigen::Vector2d centre;
    double radius;
  };
  virtual Disc disc(ConstVectorRef point, double radius) const { return {flat(point).col(0), radius}; }
  virtual double longest_step() const { return infinity; }  // lines are cut where they go round an edge
  virtual std::string x_label() const = 0;
  virtual std::string y_label() const = 0;
  virtual std::string words() const = 0;
  virtual std::string onto() const { return "the plane"; }
};

class PlaneLayout final : public Layout {
 public:
  Matrix flat(ConstMatrixRef points) const override { return points; }
  std::string x_label() const override { return "x1"; }
  std::string y_label() const override { return "x2"; }
  std::string words() const override { return "The plane, with the same scale along both axes."; }
};

// Seen along the direction in which the points spread least.
class SpaceLayout final : public Layout {
 public:
  explicit SpaceLayout(ConstMatrixRef points) : mean_(points.rowwise().mean()) {
    const Matrix apart = points.colwise() - mean_;
    const Eigen::SelfAdjointEigenSolver<Matrix> spread(apart * apart.transpose());
    axes_ = spread.eigenvectors().rightCols(2).rowwise().reverse().transpose();
    for (Index j = 0; j < 2; ++j) {
      Index largest = 0;
      axes_.row(j).cwiseAbs().maxCoeff(&largest);
      if (axes_(j, largest) < 0) axes_.row(j) *= -1;
    }
  }
  Matrix flat(ConstMatrixRef points) const override { return axes_ * (points.colwise() - mean_); }
  std::string x_label() const override { return label(0); }
  std::string y_label() const override { return label(1); }
  std::string words() const override {
    return "The points as they are seen along the direction in which they spread least, with the same scale along "
           "both axes, measured from their mean.";
  }
  std::string onto() const override { return "space"; }

 private:
  std::string label(Index j) const {
    std::string text;
    for (Index i = 0; i < axes_.cols(); ++i)
      text += fmt::format("{}{:.2f} x{}",
                          axes_(j, i) < 0 ? " \u2212 "
                          : i > 0         ? " + "
                                          : "",
                          std::abs(axes_(j, i)), i + 1);
    return text;
  }
  Vector mean_;
  Matrix axes_;  // 2 x d
};

// The Poincare disc, in which circles stay circles.
class HyperbolicLayout final : public Layout {
 public:
  Matrix flat(ConstMatrixRef points) const override {
    return points.bottomRows(2).array().rowwise() / (1 + points.row(0).array());
  }
  Disc disc(ConstVectorRef point, double radius) const override {
    const Eigen::Vector2d at = flat(point).col(0);
    const double from_middle = std::asinh(point.tail(2).norm());
    const double far = std::tanh((from_middle + radius) / 2), near = std::tanh((from_middle - radius) / 2);
    const Eigen::Vector2d outwards = at.norm() > 0 ? Eigen::Vector2d(at.normalized()) : Eigen::Vector2d(1, 0);
    return {(far + near) / 2 * outwards, (far - near) / 2};
  }
  std::string x_label() const override { return "first coordinate of the disc"; }
  std::string y_label() const override { return "second coordinate of the disc"; }
  std::string words() const override {
    return "The Poincare disc: the whole hyperbolic plane lies within the unit circle, and lengths near its edge are "
           "longer than they look.";
  }
  std::string onto() const override { return "the hyperbolic plane"; }
};

class TorusLayout final : public Layout {
 public:
  Matrix flat(ConstMatrixRef points) const override {
    return points.unaryExpr([](double angle) { return std::remainder(angle, 2 * pi); });
  }
  double longest_step() const override { return pi; }
  std::string x_label() const override { return "angle 1 (radians)"; }
  std::string y_label() const override { return "angle 2 (radians)"; }
  std::string words() const override { return "Both angles; opposite edges are the same places."; }
  std::string onto() const override { return "the torus"; }
};

std::unique_ptr<const Layout> layout_of(const Manifold& manifold, ConstMatrixRef points) {
  const std::string spec = manifold.spec();
  if (spec == "euclidean:2") return std::make_unique<PlaneLayout>();
  if (spec == "euclidean:3") return std::make_unique<SpaceLayout>(points);
  if (spec == "hyperbolic:2") return std::make_unique<HyperbolicLayout>();
  if (spec == "torus:2") return std::make_unique<TorusLayout>();
  return nullptr;
}

// A square that holds all, so that circles look like circles.
struct Square {
  Range x, y;
};
Square square_about(const Layout& layout, const DecodedLines& data) {
  const Matrix points = layout.flat(data.points);
  Eigen::Vector2d low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  for (const Matrix& line : data.lines) {
    const Matrix at = layout.flat(line);
    low = low.cwiseMin(at.rowwise().minCoeff());
    high = high.cwiseMax(at.rowwise().maxCoeff());
  }
  if (data.is_curve())
    for (Index i = 0; i < data.radii.size(); ++i) {
      const Layout::Disc disc = layout.disc(data.lines[0].col(i), data.radii[i]);
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
  return layout_of(manifold, Matrix::Zero(manifold.ambient_dim(), 1)) != nullptr;
}

Figure plane_figure(const Manifold& manifold, const DecodedLines& data) {
  const auto layout = layout_of(manifold, data.points);
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
      const Layout::Disc disc = layout->disc(data.lines[0].col(i), data.radii[i]);
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
