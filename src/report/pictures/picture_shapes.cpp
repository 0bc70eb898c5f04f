// Shapes: planar outlines, and landmarks in space seen along the direction in which they are flattest.
#include "core/format.h"
#include "linalg/decompositions.h"

#include "report/pictures/point_picture.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

constexpr Index few_landmarks = 24;  // up to here each is marked

class OutlinePicture : public PointPicture {
 public:
  explicit OutlinePicture(ConstMatrixRef points) : landmarks_(points.rows() / 2) {
    reach_ = std::max(points.cwiseAbs().maxCoeff(), 1e-12);
  }

  void draw(Svg& svg, const Box& box, ConstVectorRef point) const override {
    const double scale = 0.46 * std::min(box.width, box.height) / reach_;
    Matrix corners(2, landmarks_);
    for (Index k = 0; k < landmarks_; ++k)
      corners.col(k) << box.x + box.width / 2 + scale * point[2 * k], box.y + box.height / 2 - scale * point[2 * k + 1];
    svg.polygon(corners, {.fill = "#d9e6f1", .stroke = "#134a72", .width = 1.3});
    if (landmarks_ <= few_landmarks)
      for (Index k = 0; k < landmarks_; ++k) svg.circle(corners(0, k), corners(1, k), k == 0 ? 2.6 : 1.8, filled(ink));
  }

  std::string words() const override {
    return fmt::format("Outlines through {} landmarks in their order, aligned to the mean shape, all at one scale.",
                       landmarks_);
  }

 private:
  Index landmarks_;
  double reach_;
};

class LandmarkPicture : public PointPicture {
 public:
  explicit LandmarkPicture(ConstMatrixRef points) : landmarks_(points.rows() / 3) {
    const Vector mean = points.rowwise().mean();
    const Matrix shape = mean.reshaped(3, landmarks_);
    axes_ = jacobi_svd(shape, SvdSize::full).U.transpose();
    for (Index i = 0; i < points.cols(); ++i)
      reach_ = std::max(reach_, (axes_ * points.col(i).reshaped(3, landmarks_)).topRows(2).cwiseAbs().maxCoeff());
  }

  void draw(Svg& svg, const Box& box, ConstVectorRef point) const override {
    const Matrix seen = axes_ * point.reshaped(3, landmarks_);
    const double scale = 0.44 * std::min(box.width, box.height) / reach_;
    Matrix at(2, landmarks_);
    at.row(0) = (scale * seen.row(0)).array() + box.x + box.width / 2;
    at.row(1) = (-scale * seen.row(1)).array() + box.y + box.height / 2;
    svg.polyline(at, stroked("#9db4c8", 1));
    for (Index k = 0; k < landmarks_; ++k)  // nearer ones are larger
      svg.circle(at(0, k), at(1, k), 2.4 + 1.2 * seen(2, k) / reach_,
                 {.fill = second_accent, .stroke = "#fff", .width = 0.5});
  }

  std::string words() const override {
    return fmt::format(
        "The {} landmarks, joined in their order and seen along the direction in which the mean shape is flattest; "
        "nearer ones are larger.",
        landmarks_);
  }

 private:
  Index landmarks_;
  Eigen::Matrix3d axes_;
  double reach_ = 1e-12;
};

}  // namespace

PointPicturePtr outline_picture(ConstMatrixRef points) { return std::make_unique<OutlinePicture>(points); }
PointPicturePtr landmark_picture(ConstMatrixRef points) { return std::make_unique<LandmarkPicture>(points); }

}  // namespace wgp::report
