// SO(3) in fixed-size arithmetic, and its quaternions. Coordinates are rotation vectors omega: R hat(omega) is the
// tangent vector, |omega| the angle of Exp. The cut locus of R are the half turns R exp(pi hat(u)); it is not
// conjugate.
#include "core/constants.h"
#include "core/format.h"

#include <cmath>

#include "geometry/preimage_lattice.h"
#include "geometry/so.h"
#include "linalg/polar.h"
#include "linalg/products.h"
#include "linalg/rotation3.h"
#include "simd/kernels.h"

namespace wgp {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Matrix3r = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

template <class Column>
Eigen::Map<const Matrix3r> as_rotation(const Column& column) {
  return Eigen::Map<const Matrix3r>(column.data());
}
template <class Column>
void store(const Matrix3d& value, Column&& column) {
  Eigen::Map<Matrix3r>(column.data()) = value;
}

// The first component that is not rounding is positive: the rule for axes of half turns and signs of quaternions.
bool first_component_negative(ConstVectorRef x) {
  const double rounding = 1e-10 * x.norm();
  for (const double component : x)
    if (std::abs(component) > rounding) return component < 0;
  return false;
}

// F g(Lambda) F' x = g(theta^2 / 4) x + (g(0) - g(theta^2 / 4)) <u, x> u
class So3Jacobi final : public SymmetricJacobiFields {
 public:
  explicit So3Jacobi(const Vector3d& v) : theta_(v.norm()), u_(theta_ > 0 ? Vector3d(v / theta_) : v) {}

  Matrix apply(ScalarFunction g, ConstMatrixRef x) const override {
    const double across = g(theta_ * theta_ / 4), along = g(0);
    return across * x + (along - across) * u_ * (u_.transpose() * x);
  }
  double log_det() const override { return 2 * jacobi_log_abs_S(theta_ * theta_ / 4); }
  Vector log_det_gradient() const override { return cot_minus_inverse(theta_ / 2) * u_; }

 private:
  double theta_;
  Vector3d u_;
};

class So3TangentSpace final : public TangentSpace {
 public:
  explicit So3TangentSpace(ConstVectorRef p) : p_(9) {
    const Matrix3d given = as_rotation(p);
    R_ = newton_schulz(newton_schulz(given));
    store(R_, p_);
  }

  const Vector& base() const override { return p_; }
  Index dim() const override { return 3; }
  double injectivity_radius() const override { return pi; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    Vector cosines(points.cols()), margins(points.cols());
    simd().rotations.log(p_.data(), columns(points), columns(coords), cosines.data(), margins.data());
    for (Index i = 0; i < points.cols(); ++i) {
      report.set_margin(i, margins[i], pi);
      if (!(cosines[i] <= 4 * epsilon)) continue;
      report.status[static_cast<std::size_t>(i)] = LogStatus::cut_locus;
      if (first_component_negative(coords.col(i))) coords.col(i) *= -1;
    }
    return report;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    for (Index i = 0; i < coords.cols(); ++i) store(end_point(coords.col(i)), points.col(i));
    return {};
  }

  Vector distance(ConstMatrixRef points) const override {
    Vector angles(points.cols());
    simd().rotations.distance(p_.data(), columns(points), angles.data());
    return angles;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override { return left_translate(R_, coords); }

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(3, ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) coords.col(i) = vee(R_.transpose() * as_rotation(ambient.col(i)));
    return coords;
  }

  // Left-trivialised, xi moves to exp(-hat(omega) / 2) xi.
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const Vector3d omega = v;
    return left_translate(end_point(omega), rodrigues(-omega / 2) * coords);
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override { return std::make_unique<So3Jacobi>(v); }

  // -[[X, Y], Z] / 4; brackets are cross products.
  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    const Vector3d a = x, b = y, c = z;
    return Vector(-a.cross(b).cross(c) / 4);
  }

  // (theta + 2 pi k) u; for q = p whole spheres of radius 2 pi k.
  Preimages preimages(ConstVectorRef q, double radius) const override {
    Preimages found;
    found.coords.resize(3, 1);
    log(q, found.coords);
    const Vector3d v = found.coords.col(0);
    const double theta = v.norm();
    if (theta < equal_angles) {
      found.countable = found.complete = radius < 2 * pi;
      found.log_abs_det = Vector::Constant(1, So3Jacobi(v).log_det());
      return found;
    }
    const PreimageLattice lattice = preimage_lattice(Vector::Constant(1, theta), 2 * pi, radius);
    found.complete = lattice.complete;
    found.coords = v / theta * lattice.tau;
    found.log_abs_det.resize(lattice.tau.cols());
    for (Index k = 0; k < lattice.tau.cols(); ++k)
      found.log_abs_det[k] = 2 * log_abs_shifted_S(theta / 2, lattice.tau(0, k) / 2);
    return found;
  }

 private:
  Matrix3d end_point(const Vector3d& omega) const { return newton_schulz(R_ * rodrigues(omega)); }

  static Matrix left_translate(const Matrix3d& Q, ConstMatrixRef coords) {
    Matrix ambient(9, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) store(Q * hat(coords.col(i)), ambient.col(i));
    return ambient;
  }

  Vector p_;
  Matrix3d R_;
};

}  // namespace

std::unique_ptr<const TangentSpace> so3_tangent_space(ConstVectorRef p) { return std::make_unique<So3TangentSpace>(p); }

Vector QuaternionForm::to_point(ConstVectorRef row) const {
  const double norm = row.norm();
  if (!(std::abs(norm - 1) <= 1e-3)) {
    throw Error(norm == 0 ? "a zero quaternion is no rotation"
                          : fmt::format("quaternion of norm {:.6g}: a rotation has a unit quaternion w x y z", norm));
  }
  Vector point(9);
  store(rotation_of(row / norm), point);
  return point;
}

Vector QuaternionForm::from_point(ConstVectorRef point) const {
  const Vector q = quaternion_of(as_rotation(point) - Matrix3d::Identity()).normalized();
  return q[0] <= 4 * epsilon && first_component_negative(q) ? Vector(-q) : q;
}

Vector QuaternionForm::to_tangent(ConstVectorRef base_row, ConstVectorRef row) const {
  const Vector4d q = base_row.normalized(), conjugate(q[0], -q[1], -q[2], -q[3]);
  Vector ambient(9);
  store(rotation_of(q) * hat(2 * multiply(conjugate, row).tail<3>()), ambient);
  return ambient;
}

Vector QuaternionForm::from_tangent(ConstVectorRef base_row, ConstVectorRef ambient) const {
  const Vector4d q = base_row.normalized();
  Vector4d half = Vector4d::Zero();
  half.tail<3>() = vee(rotation_of(q).transpose() * as_rotation(ambient)) / 2;
  return multiply(q, half);
}

}  // namespace wgp
