// Rotations of R^3: rotation vectors, matrices and unit quaternions (w, x, y, z).
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "wgp/types.h"

namespace wgp {

inline Eigen::Matrix3d hat(const Eigen::Vector3d& w) {
  Eigen::Matrix3d result;
  result << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return result;
}

// Inverse of hat, of the skew part.
inline Eigen::Vector3d vee(const Eigen::Matrix3d& A) {
  return {(A(2, 1) - A(1, 2)) / 2, (A(0, 2) - A(2, 0)) / 2, (A(1, 0) - A(0, 1)) / 2};
}

// Rodrigues: I + sin(t)/t hat(w) + (1 - cos t)/t^2 hat(w)^2, t = |w|; 1 - cos t = 2 sin(t/2)^2 does not cancel.
inline Eigen::Matrix3d rodrigues(const Eigen::Vector3d& w) {
  const double t = w.norm();
  const double half = t > 0 ? std::sin(t / 2) / t : 0.5;
  const Eigen::Matrix3d Omega = hat(w);
  return Eigen::Matrix3d::Identity() + (t > 0 ? std::sin(t) / t : 1.0) * Omega + 2 * half * half * Omega * Omega;
}

// The quaternion with w >= 0 of a rotation A given as A - I, which keeps the digits of rotations near the identity.
// Shepperd: divide by the largest of the four components.
Eigen::Vector4d quaternion_of(const Eigen::Matrix3d& A_minus_I);

Eigen::Matrix3d rotation_of(const Eigen::Vector4d& quaternion);  // of a unit quaternion

// Product of quaternions.
Eigen::Vector4d multiply(const Eigen::Vector4d& a, const Eigen::Vector4d& b);

}  // namespace wgp
