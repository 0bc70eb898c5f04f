#include "linalg/rotation3.h"

namespace wgp {

Eigen::Vector4d quaternion_of(const Eigen::Matrix3d& B) {
  // 4 w^2 = 1 + tr A, 4 x^2 = 1 + A_11 - A_22 - A_33, ...
  const Eigen::Vector4d squares(4 + B.trace(), B(0, 0) - B(1, 1) - B(2, 2), B(1, 1) - B(2, 2) - B(0, 0),
                                B(2, 2) - B(0, 0) - B(1, 1));
  const Eigen::Vector3d skew(B(2, 1) - B(1, 2), B(0, 2) - B(2, 0), B(1, 0) - B(0, 1));  // 4 w (x, y, z)
  Index largest = 0;
  squares.maxCoeff(&largest);
  const double root = std::sqrt(squares[largest]);  // twice the largest component
  Eigen::Vector4d q;
  if (largest == 0) {
    q << root / 2, skew / (2 * root);
  } else {
    const Index i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = skew[i] / (2 * root);
    q[1 + i] = root / 2;
    q[1 + j] = (B(i, j) + B(j, i)) / (2 * root);
    q[1 + k] = (B(i, k) + B(k, i)) / (2 * root);
  }
  return q[0] < 0 ? Eigen::Vector4d(-q) : q;
}

Eigen::Matrix3d rotation_of(const Eigen::Vector4d& q) {
  const Eigen::Matrix3d V = hat(q.tail<3>());
  return Eigen::Matrix3d::Identity() + 2 * q[0] * V + 2 * V * V;
}

Eigen::Vector4d multiply(const Eigen::Vector4d& a, const Eigen::Vector4d& b) {
  const Eigen::Vector3d u = a.tail<3>(), v = b.tail<3>();
  Eigen::Vector4d product;
  product << a[0] * b[0] - u.dot(v), a[0] * v + b[0] * u + u.cross(v);
  return product;
}

}  // namespace wgp
