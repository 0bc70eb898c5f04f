#include "report/figures/cone_figure.h"

#include "core/format.h"
#include "core/random_streams.h"
#include "linalg/decompositions.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <functional>
#include <numbers>

#include "report/svg/camera.h"
#include "report/svg/palette.h"
#include "report/svg/plot.h"
#include "wgp/manifold.h"
#include "wgp/random.h"
#include "wgp/statistics.h"

namespace wgp::report {
namespace {

constexpr Index example_count = 60, draw_count = 20000;

Eigen::Vector3d coordinates_of_row(ConstVectorRef row) {
  return cone_coordinates((Eigen::Matrix2d() << row[0], row[1], row[2], row[3]).finished());
}

// Anisotropic matrices of several sizes, near the edge of the cone: normal in the matrix logarithm.
Matrix example_matrices(const Manifold& spd) {
  Random random(5, stream::cone_draws);
  const Vector base = (Vector(4) << 1, 0, 0, 1).finished();
  Matrix V(3, example_count), P(4, example_count);
  const Eigen::Vector3d middle(0.55, 0.35, -0.35);
  for (Index i = 0; i < example_count; ++i) {
    const double size = 0.55 * random.normal();
    V.col(i) = middle + Eigen::Vector3d(0.55, 0.1, 0.5) * size +
               Eigen::Vector3d(0.22 * random.normal(), 0.26 * random.normal(), 0.18 * random.normal());
  }
  spd.at(base)->exp(V, P);
  return P;
}

// A fitted distribution: from standard normal vectors to the cone's coordinates.
struct Fitted {
  std::string name;
  std::function<Matrix(ConstMatrixRef)> map;
  double outside = 0;  // share of draws that are not positive definite
};

Matrix root_of_covariance(const Matrix& centred) {
  const Matrix covariance = centred * centred.transpose() / static_cast<double>(centred.cols() - 1);
  return Cholesky(covariance).L();
}

Fitted euclidean_fit(const Matrix& at) {
  const Vector mean = at.rowwise().mean();
  const Matrix root = root_of_covariance(at.colwise() - mean);
  return {"Euclidean normal", [=](ConstMatrixRef z) { return Matrix((root * z).colwise() + mean); }};
}

Fitted wrapped_fit(const ManifoldPtr& spd, const Matrix& points) {
  const Vector mean = frechet_mean(*spd, points).mean;
  Matrix V(3, points.cols());
  spd->at(mean)->log(points, V);
  const Matrix root = root_of_covariance(V);
  return {"Wrapped normal, log-Euclidean", [=](ConstMatrixRef z) {
            Matrix P(4, z.cols()), at(3, z.cols());
            spd->at(mean)->exp(root * z, P);
            for (Index i = 0; i < z.cols(); ++i) at.col(i) = coordinates_of_row(P.col(i));
            return at;
          }};
}

// Draws in space, up being the third coordinate.
class Stage {
 public:
  Stage(Svg& svg, const Box& box, double reach, const Camera& camera)
      : svg_(svg), box_(box), scale_(box.width / (2.12 * reach)), reach_(reach), camera_(camera) {}

  Matrix seen(ConstMatrixRef points) const {
    Matrix at = camera_.seen(points);
    at.row(0) = (scale_ * at.row(0)).array() + box_.x + box_.width / 2;
    at.row(1) = (-scale_ * at.row(1)).array() + box_.bottom() - 0.13 * box_.width;
    return at;
  }

  void cone() const {
    const Matrix rim = circle(reach_), at = seen(rim);
    // The outline of the body: the apex and the rim's leftmost and rightmost points.
    Index first = 0, last = 0;
    at.row(0).minCoeff(&first);
    at.row(0).maxCoeff(&last);
    Matrix body(2, 3);
    body << seen(Eigen::Vector3d::Zero()).topRows(2), at.col(first).head(2), at.col(last).head(2);
    svg_.polygon(body, filled("#f3f5f7"));
    svg_.polygon(at.topRows(2), {.fill = "#e6eaee", .stroke = "#9aa3ac", .width = 0.8});
    for (Index k = 0; k < rim.cols() - 1; k += 4) {
      Matrix line(3, 2);
      line << Eigen::Vector3d::Zero(), rim.col(k);
      svg_.polyline(seen(line).topRows(2), stroked("#c3cad1", 0.7));
    }
    for (int k = 1; k < 5; ++k) svg_.polyline(seen(circle(reach_ * k / 5)).topRows(2), stroked("#c3cad1", 0.7));
  }

  // In one colour within the cone and in another without.
  void line(ConstMatrixRef points, const Paint& inside, const Paint& outside) const {
    const Matrix at = seen(points);
    for (Index i = 0; i + 1 < points.cols();) {
      const bool in = is_in_cone(points.col(i)) && is_in_cone(points.col(i + 1));
      const Index begin = i;
      while (i + 1 < points.cols() && (is_in_cone(points.col(i)) && is_in_cone(points.col(i + 1))) == in) ++i;
      svg_.polyline(at.block(0, begin, 2, i - begin + 1), in ? inside : outside);
    }
  }

  void points(ConstMatrixRef points) const {
    const Matrix at = seen(points);
    for (Index i = 0; i < at.cols(); ++i)
      svg_.circle(at(0, i), at(1, i), 2.4, {.fill = "#000", .stroke = "#fff", .width = 0.5});
  }

 private:
  static Matrix circle(double height) {
    constexpr Index steps = 96;
    Matrix points(3, steps + 1);
    for (Index k = 0; k <= steps; ++k) {
      const double t = 2 * std::numbers::pi * static_cast<double>(k) / steps;
      points.col(k) << height * std::cos(t), height * std::sin(t), height;
    }
    return points;
  }

  Svg& svg_;
  Box box_;
  double scale_, reach_;
  const Camera& camera_;
};

// Meridians and parallels of the sphere of standard normal vectors that holds this share of them.
std::vector<Matrix> mesh(double share) {
  const double radius = std::sqrt(boost::math::quantile(boost::math::chi_squared(3), share));
  constexpr Index steps = 72;
  std::vector<Matrix> lines;
  for (int k = 0; k < 8; ++k) {
    Matrix line(3, steps + 1);
    for (Index i = 0; i <= steps; ++i) {
      const double latitude = 2 * std::numbers::pi * static_cast<double>(i) / steps,
                   longitude = k * std::numbers::pi / 8;
      line.col(i) << radius * std::cos(latitude) * std::cos(longitude),
          radius * std::cos(latitude) * std::sin(longitude), radius * std::sin(latitude);
    }
    lines.push_back(line);
  }
  for (int k = -2; k <= 2; ++k) {
    Matrix line(3, steps + 1);
    for (Index i = 0; i <= steps; ++i) {
      const double latitude = k * std::numbers::pi / 6,
                   longitude = 2 * std::numbers::pi * static_cast<double>(i) / steps;
      line.col(i) << radius * std::cos(latitude) * std::cos(longitude),
          radius * std::cos(latitude) * std::sin(longitude), radius * std::sin(latitude);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

Eigen::Vector3d cone_coordinates(const Eigen::Matrix2d& matrix) {
  const double root = std::numbers::sqrt2;
  return {(matrix(0, 0) - matrix(1, 1)) / root, root * matrix(0, 1), (matrix(0, 0) + matrix(1, 1)) / root};
}

bool is_in_cone(const Eigen::Vector3d& at) { return at.z() > at.head<2>().norm(); }

Figure cone_figure() {
  const ManifoldPtr spd = parse_manifold("spd:2");
  const Matrix P = example_matrices(*spd);
  Matrix at(3, P.cols());
  for (Index i = 0; i < P.cols(); ++i) at.col(i) = coordinates_of_row(P.col(i));
  std::vector<Fitted> fits = {euclidean_fit(at), wrapped_fit(spd, P)};
  Random random(5, stream::cone_points);
  const Matrix z = random.normals(3, draw_count);
  for (Fitted& fitted : fits) {
    const Matrix drawn = fitted.map(z);
    Index outside = 0;
    // By a hair's breadth of rounding, a matrix on the edge is still in.
    for (Index i = 0; i < draw_count; ++i) outside += drawn(2, i) * (1 + 1e-12) < drawn.col(i).head<2>().norm() ? 1 : 0;
    fitted.outside = static_cast<double>(outside) / static_cast<double>(draw_count);
  }

  constexpr double side = 400, height = 300, gap = 16, top = 60;
  Svg svg("cone", 2 * side + 3 * gap, top + height + 34,
          "Normal distributions in the cone of positive definite matrices");
  const Camera camera(Eigen::Vector3d(0.25, -1, 0.28));
  const double reach = 1.05 * at.row(2).maxCoeff();
  const Paint out = stroked(accent, 1.4), inner = stroked(group_colour(0), 1), outer = stroked(group_colour(5), 0.9);
  double x = gap;
  const auto entry = [&](const Paint& paint, const std::string& text) {
    svg.segment(x, 15, x + 28, 15, {.stroke = paint.stroke, .width = 2.4});
    svg.text(x + 35, 19, text, {.size = 12});
    x += 35 + text_width(text, 12) + 22;
  };
  svg.circle(x + 8, 15, 3, filled("#000"));
  svg.text(x + 18, 19, "data", {.size = 12});
  x += 66;
  entry(inner, "region of 50 %");
  entry(outer, "region of 95 %");
  entry(out, "what of them is not positive definite");
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const Box box{gap + static_cast<double>(i) * (side + gap), top, side, height};
    const Stage stage(svg, box, reach, camera);
    svg.begin_clip(box);
    stage.cone();
    for (const Matrix& line : mesh(0.95)) stage.line(fits[i].map(line), outer, out);
    for (const Matrix& line : mesh(0.5)) stage.line(fits[i].map(line), inner, out);
    stage.points(at);
    svg.end_clip();
    svg.rect(box, stroked("#d9dee3"));
    svg.text(box.x + 10, box.bottom() - 26, "up: (a + c)/√2", {.size = 12, .colour = "#5b646d"});
    svg.text(box.x + 10, box.bottom() - 10, "right: (a − c)/√2", {.size = 12, .colour = "#5b646d"});
    svg.text(box.x + side / 2, box.y - 10, fits[i].name, {.anchor = Anchor::middle, .bold = true});
    svg.text(box.x + side / 2, box.bottom() + 20,
             fits[i].outside > 0 ? fmt::format("{:.1f} % of its draws are not positive definite", 100 * fits[i].outside)
                                 : "all of its draws are positive definite",
             {.size = 12, .anchor = Anchor::middle});
  }
  return {
      "The cone of positive definite matrices",
      fmt::format("2 x 2 matrices [a b; b c] in the coordinates (a - c)/√2 (to the right), √2 b (to the back) and "
                  "(a + c)/√2 (up): the positive definite ones lie within the grey cone. {} matrices that are normal "
                  "in the matrix logarithm, and the two distributions fitted to them. Regions are drawn as nets.",
                  example_count),
      svg};
}

}  // namespace wgp::report
