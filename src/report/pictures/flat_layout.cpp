#include "report/pictures/flat_layout.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "core/format.h"

namespace wgp::report {
namespace {

using std::numbers::pi;

class PlaneLayout final : public FlatLayout {
 public:
  Matrix flat(ConstMatrixRef points) const override { return points; }
  std::string x_label() const override { return "x1"; }
  std::string y_label() const override { return "x2"; }
  std::string words() const override { return "The plane, with the same scale along both axes."; }
};

// Seen along the direction in which the points spread least.
class SpaceLayout final : public FlatLayout {
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
class HyperbolicLayout final : public FlatLayout {
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

class TorusLayout final : public FlatLayout {
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

}  // namespace

std::unique_ptr<const FlatLayout> flat_layout(const Manifold& manifold, ConstMatrixRef points) {
  const std::string spec = manifold.spec();
  if (spec == "euclidean:2") return std::make_unique<PlaneLayout>();
  if (spec == "euclidean:3") return std::make_unique<SpaceLayout>(points);
  if (spec == "hyperbolic:2") return std::make_unique<HyperbolicLayout>();
  if (spec == "torus:2") return std::make_unique<TorusLayout>();
  return nullptr;
}

}  // namespace wgp::report
