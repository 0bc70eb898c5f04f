// Hyperbolic space H^n as the hyperboloid <x, x>_L = -1, x_0 > 0, with <x, y>_L = -x_0 y_0 + x.y. Curvature -1, no cut
// locus. The spatial part determines a point; x_0 = sqrt(1 + |x|^2) is recomputed after every operation.
#include <cmath>

#include "core/format.h"

#include "geometry/factories.h"
#include "linalg/householder.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

// x_0 grows like e^distance: beyond this distance from the origin the coordinates hold no digits of the position.
constexpr double largest_distance = 30;

double time_part(ConstVectorRef spatial) { return std::hypot(1.0, spatial.norm()); }

// F g(Lambda) F^T x = g(-theta^2) x + (g(0) - g(-theta^2)) <u, x> u
class HyperbolicJacobi final : public SymmetricJacobiFields {
 public:
  explicit HyperbolicJacobi(ConstVectorRef v) : theta_(v.norm()), u_(theta_ > 0 ? Vector(v / theta_) : Vector(v)) {}

  Matrix apply(ScalarFunction g, ConstMatrixRef x) const override {
    const double across = g(-theta_ * theta_), along = g(0);
    return across * x + (along - across) * u_ * (u_.transpose() * x);
  }
  double log_det() const override { return static_cast<double>(u_.size() - 1) * jacobi_log_abs_S(-theta_ * theta_); }
  Vector log_det_gradient() const override {
    return static_cast<double>(u_.size() - 1) * coth_minus_inverse(theta_) * u_;
  }

 private:
  double theta_;
  Vector u_;
};

class HyperbolicTangentSpace final : public TangentSpace {
 public:
  explicit HyperbolicTangentSpace(ConstVectorRef p) : p_(p), spatial_(p.tail(p.size() - 1)) {
    p_[0] = time_part(spatial_);
  }

  const Vector& base() const override { return p_; }
  Index dim() const override { return spatial_.size(); }
  double injectivity_radius() const override { return infinity; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    Vector difference(p_.size());
    for (Index i = 0; i < points.cols(); ++i) {
      const double m2 = chord_squared(points.col(i), difference);
      const double theta = 2 * std::asinh(std::sqrt(m2) / 2);
      const double sinh_squared = m2 * (1 + m2 / 4);
      coords.col(i) = sinh_log(difference, m2, sinh_squared);
      const double length = coords.col(i).norm();
      if (length > 0) coords.col(i) *= theta / length;
      if (!(p_[0] < std::cosh(largest_distance)) || !(points(0, i) < std::cosh(largest_distance)))
        report.status[static_cast<std::size_t>(i)] = LogStatus::outside_domain;
    }
    return report;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    ExpReport report;
    const Index n = dim();
    for (Index i = 0; i < coords.cols(); ++i) {
      const double theta = coords.col(i).norm();
      auto point = points.col(i);
      const double sinch = theta > 0 ? std::sinh(theta) / theta : 1.0;
      point.tail(n) = std::cosh(theta) * spatial_ + sinch * boost(coords.col(i)).tail(n);
      point[0] = time_part(point.tail(n));
      if (!(point[0] < std::cosh(largest_distance))) report.outside_domain.push_back(i);
    }
    return report;
  }

  Vector distance(ConstMatrixRef points) const override {
    Vector result(points.cols()), difference(p_.size());
    for (Index i = 0; i < points.cols(); ++i)
      result[i] = 2 * std::asinh(std::sqrt(chord_squared(points.col(i), difference)) / 2);
    return result;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(p_.size(), coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) ambient.col(i) = boost(coords.col(i));
    return ambient;
  }
  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim(), ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) {
      // Remove the part along p first: w + <p, w>_L p.
      const double along = spatial_.dot(ambient.col(i).tail(dim())) - p_[0] * ambient(0, i);
      coords.col(i) = boost_inverse(ambient.col(i) + along * p_);
    }
    return coords;
  }

  // w + <u, w> ((cosh theta - 1) u + sinh theta p)
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const double theta = v.norm();
    Matrix moved = to_ambient(coords);
    if (theta == 0) return moved;
    const Vector unit_coords = v / theta;
    const double half_sinh = std::sinh(theta / 2);
    const Vector direction = 2 * half_sinh * half_sinh * boost(unit_coords) + std::sinh(theta) * p_;
    moved += direction * (unit_coords.transpose() * coords);
    return moved;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    return std::make_unique<HyperbolicJacobi>(v);
  }

  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    return Vector(x.dot(z) * y - y.dot(z) * x);
  }

 private:
  // The frame is the Lorentz boost of the origin's: e_j = (x_j, e_j + x x_j / (1 + x_0)).
  Vector boost(ConstVectorRef coords) const {
    Vector ambient(p_.size());
    ambient[0] = spatial_.dot(coords);
    ambient.tail(dim()) = coords + spatial_ * (ambient[0] / (1 + p_[0]));
    return ambient;
  }
  // Inverse of boost on tangent vectors: w - x w_0 / (1 + x_0).
  Vector boost_inverse(ConstVectorRef ambient) const {
    return ambient.tail(dim()) - spatial_ * (ambient[0] / (1 + p_[0]));
  }

  // Coordinates of sinh(theta) / theta Log = q - p - m^2/2 p (never q + <p, q> p): Delta - x (Delta_0 + m^2/2) / (1 +
  // p_0). Far from the origin the part along x cancels down to 1/p_0 of its terms; its length sinh(theta) is known
  // accurately, so that part is better taken from what the part across leaves of it.
  Vector sinh_log(ConstVectorRef difference, double m2, double sinh_squared) const {
    const Index n = dim();
    const double radius = spatial_.norm();
    const double factor = (difference[0] + m2 / 2) / (1 + p_[0]);
    Vector coords = difference.tail(n) - factor * spatial_;
    if (radius < 1) return coords;
    const Vector outward = spatial_ / radius;
    const double along = difference.tail(n).dot(outward) - factor * radius;
    const Vector across = difference.tail(n) - difference.tail(n).dot(outward) * outward;
    const double left = sinh_squared - across.squaredNorm();
    if (left > 0 && p_[0] * along * along > sinh_squared)
      return across + std::copysign(std::sqrt(left), along) * outward;
    return coords;
  }

  // m^2 = <q-p, q-p>_L and the difference q - p, both to full relative accuracy: Delta_0 = Delta.s / s_0 with s = p +
  // q, and with Delta split along and across s, m^2 = (|across|^2 + 4 rho) / (1 - rho), rho = (along / s_0)^2.
  double chord_squared(ConstVectorRef q, Vector& difference) const {
    const Index n = dim();
    const auto q_spatial = q.tail(n);
    const double q0 = time_part(q_spatial), s0 = p_[0] + q0;
    const Vector sum = spatial_ + q_spatial;
    difference.tail(n) = q_spatial - spatial_;
    difference[0] = difference.tail(n).dot(sum) / s0;
    const double sum_norm = sum.norm();
    double along = 0, across = difference.tail(n).squaredNorm();
    if (sum_norm > 0) {
      along = difference.tail(n).dot(sum) / sum_norm;
      across = (difference.tail(n) - (along / sum_norm) * sum).squaredNorm();
    }
    const double rho = (along / s0) * (along / s0);
    if (rho < 0.5) return (across + 4 * rho) / (1 - rho);
    return std::max(0.0, 2 * (p_[0] * q0 - spatial_.dot(q_spatial) - 1));
  }

  Vector p_, spatial_;
};

class Hyperbolic final : public Manifold, public RowLayout {
 public:
  explicit Hyperbolic(Index n) : n_(n) {}

  std::string spec() const override { return fmt::format("hyperbolic:{}", n_); }
  Index dim() const override { return n_; }
  Index ambient_dim() const override { return n_ + 1; }
  double injectivity_radius() const override { return infinity; }
  double mean_ball_radius() const override { return infinity; }
  std::optional<int> unit_curvature() const override { return -1; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<HyperbolicTangentSpace>(p);
  }

  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
    if (!(x[0] > 0)) return fmt::format("first coordinate {:.9g}, not positive", x[0]);
    const double expected = time_part(x.tail(n_));
    if (std::abs(x[0] - expected) > tolerance * expected)
      return fmt::format("not on the hyperboloid: first coordinate {:.9g}, sqrt(1 + |x|^2) is {:.9g}", x[0], expected);
    if (x[0] > std::cosh(largest_distance))
      return fmt::format("farther than {} from the origin, where the coordinates hold no digits of the position",
                         largest_distance);
    return std::nullopt;
  }
  Vector project(ConstVectorRef x) const override {
    Vector point = x;
    point[0] = time_part(x.tail(n_));
    return point;
  }
  Vector random_point(Random& random) const override {
    Vector point(n_ + 1);
    point.tail(n_) = random.normals(n_);
    return project(point);
  }
  // A rotation after a boost that moves the origin to a random point.
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Matrix Q = random_orthogonal(random, n_);
    const Vector centre = random_point(random);
    return [Q, centre](ConstVectorRef x) {
      const Index n = x.size() - 1;
      const Vector spatial = centre.tail(n);
      const double inner = spatial.dot(x.tail(n));
      Vector moved(x.size());
      const Vector boosted = x.tail(n) + spatial * (inner / (1 + centre[0]) + x[0]);
      moved.tail(n) = Q * boosted;
      moved[0] = time_part(moved.tail(n));
      return moved;
    };
  }
  std::vector<std::string> ambient_names() const override {
    std::vector<std::string> names;
    for (Index i = 0; i <= n_; ++i) names.push_back(fmt::format("x{}", i));
    return names;
  }

 private:
  Index n_;
};

}  // namespace

ManifoldPtr make_hyperbolic(Index n) {
  if (n < 1) throw Error(fmt::format("hyperbolic:{} does not exist: the dimension must be at least 1", n));
  return std::make_shared<Hyperbolic>(n);
}

}  // namespace wgp
