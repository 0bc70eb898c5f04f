#include "report/svg/camera.h"

#include <Eigen/Geometry>
#include <cmath>

namespace wgp::report {

Camera::Camera(const Eigen::Vector3d& towards_viewer, const Eigen::Vector3d& up) {
  const Eigen::Vector3d view = towards_viewer.normalized();
  Eigen::Vector3d right = up.cross(view);
  if (right.norm() < 0.05 * up.norm())
    right = (std::abs(view.x()) < 0.5 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY()).cross(view);
  right.normalize();
  axes_ << right.transpose(), view.cross(right).transpose(), view.transpose();
}

}  // namespace wgp::report
