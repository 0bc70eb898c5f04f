// Covariances of two and three variables as ellipses and ellipsoids: {x : x' A^-1 x = 1}, half-axes sqrt(eigenvalue).
#include "core/format.h"
#include "linalg/decompositions.h"

#include <cmath>
#include <numbers>

#include "linalg/row_major.h"
#include "report/pictures/point_picture.h"
#include "report/svg/camera.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

// Beyond this ratio of sizes the small ones would be dots: each is then drawn at its own scale.
constexpr double largest_ratio = 7;

Spectrum decomposed(ConstVectorRef point, Index n) {
  const Matrix A = as_matrix(point, n, n);
  return symmetric_spectrum((A + A.transpose()) / 2);
}

class EllipsePicture : public PointPicture {
 public:
  EllipsePicture(Index n, ConstMatrixRef points) : n_(n) {
    double least = infinity;
    for (Index i = 0; i < points.cols(); ++i) {
      const double radius = std::sqrt(std::max(decomposed(points.col(i), n).values[n - 1], 0.0));
      largest_ = std::max(largest_, radius);
      least = std::min(least, radius);
    }
    one_scale_ = largest_ <= largest_ratio * least;
  }

  void draw(Svg& svg, const Box& box, ConstVectorRef point) const override {
    const Spectrum spectrum = decomposed(point, n_);
    if (!spectrum.ok) return;
    // Predictions of models of the ambient space need not be positive definite: their ellipse is dashed.
    const bool valid = spectrum.values[0] > 0;
    const Vector radii = spectrum.values.cwiseMax(0).cwiseSqrt();
    const double own = std::max(radii[n_ - 1], 1e-300);
    const double scale = 0.46 * std::min(box.width, box.height) / (one_scale_ ? largest_ : own);
    const double x = box.x + box.width / 2, y = box.y + box.height / 2;

    Matrix view = Matrix::Identity(2, n_);
    if (n_ == 3) view = camera_.axes().topRows(2);
    const Matrix axes = scale * view * spectrum.vectors * radii.asDiagonal();  // 2 x n
    const Spectrum outline = symmetric_spectrum(axes * axes.transpose());
    const Vector half = outline.values.cwiseMax(0).cwiseSqrt();
    const Vector major = outline.vectors.col(1);
    const double degrees = -std::atan2(major[1], major[0]) * 180 / std::numbers::pi;
    // Darker where the tensor is more anisotropic, by the share of the smaller axes in the largest.
    const double anisotropy = 1 - (radii.sum() - radii[n_ - 1]) / (static_cast<double>(n_ - 1) * own);
    svg.ellipse(x, y, half[1], half[0], degrees,
                {.fill = fill(anisotropy), .stroke = "#134a72", .width = 1.2, .dashes = valid ? "" : "3 2"});
    for (Index k = 0; k < n_; ++k)
      svg.segment(x - axes(0, k), y + axes(1, k), x + axes(0, k), y - axes(1, k),
                  stroked(k == n_ - 1 ? accent : "#134a72", k == n_ - 1 ? 1.8 : 0.9));
  }

  std::string words() const override {
    return fmt::format(
        "{} with the square roots of the eigenvalues as half-axes, {}; the longest axis is the thick line, and the "
        "fill darkens with anisotropy.",
        n_ == 2 ? "Ellipses" : "Ellipsoids, seen obliquely,",
        one_scale_ ? "all at one scale" : "each scaled to its cell because their sizes differ too much");
  }
  double cell() const override { return 72; }

 private:
  static std::string fill(double anisotropy) {
    const double t = std::clamp(anisotropy, 0.0, 1.0);
    const auto mix = [&](double light, double dark) {
      return static_cast<int>(std::lround(light + t * (dark - light)));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(240, 110), mix(245, 160), mix(250, 205));
  }

  Index n_;
  double largest_ = 1e-300;
  bool one_scale_ = true;
  Camera camera_{Eigen::Vector3d(1, -1.3, 0.8)};
};

}  // namespace

PointPicturePtr ellipse_picture(Index n, ConstMatrixRef points) { return std::make_unique<EllipsePicture>(n, points); }

}  // namespace wgp::report
