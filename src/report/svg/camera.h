// Space seen from far away: orthographic projection.
#pragma once

#include "wgp/types.h"

namespace wgp::report {

class Camera {
 public:
  // towards_viewer must not be zero; `up` is drawn upwards unless it is the direction of view.
  explicit Camera(const Eigen::Vector3d& towards_viewer, const Eigen::Vector3d& up = Eigen::Vector3d::UnitZ());

  // Rows: right, up, towards the viewer.
  const Eigen::Matrix3d& axes() const { return axes_; }
  Matrix seen(ConstMatrixRef points) const { return axes_ * points; }

 private:
  Eigen::Matrix3d axes_;
};

}  // namespace wgp::report
