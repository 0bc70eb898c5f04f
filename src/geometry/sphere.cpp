// The unit sphere S^n in R^(n+1). Curvature 1, injectivity radius pi; the cut locus of p is -p.
#include <cmath>

#include "core/constants.h"
#include "core/format.h"

#include "geometry/factories.h"
#include "linalg/householder.h"
#include "linalg/products.h"
#include "linalg/stable_norm.h"
#include "wgp/exact_points.h"

namespace wgp {
namespace {

constexpr double indistinct = 1e-15;  // angles that the digits of unit vectors cannot tell from 0

// F g(Lambda) F^T x = g(theta^2) x + (g(0) - g(theta^2)) <u, x> u: eigenvalue 0 along v, theta^2 across.
class SphereJacobi final : public SymmetricJacobiFields {
 public:
  explicit SphereJacobi(ConstVectorRef v) : theta_(v.norm()), u_(theta_ > 0 ? Vector(v / theta_) : Vector(v)) {}

  Matrix apply(ScalarFunction g, ConstMatrixRef x) const override {
    const double across = g(theta_ * theta_), along = g(0);
    return across * x + (along - across) * u_ * (u_.transpose() * x);
  }
  double log_det() const override { return static_cast<double>(u_.size() - 1) * jacobi_log_abs_S(theta_ * theta_); }
  Vector log_det_gradient() const override {
    return static_cast<double>(u_.size() - 1) * cot_minus_inverse(theta_) * u_;
  }

 private:
  double theta_;
  Vector u_;
};

class SphereTangentSpace final : public TangentSpace {
 public:
  explicit SphereTangentSpace(ConstVectorRef p) : p_(p / p.norm()), reflector_(p_) {}

  const Vector& base() const override { return p_; }
  Index dim() const override { return p_.size() - 1; }
  double injectivity_radius() const override { return pi; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    // In blocks, so that the intermediate angles stay in the cache.
    constexpr Index block = 512;
    Vector angles(std::min(block, points.cols())), sines(angles.size());
    for (Index first = 0; first < points.cols(); first += block) {
      const Index count = std::min(block, points.cols() - first);
      const SphereExtremes found = log_block(points.middleCols(first, count), coords.middleCols(first, count),
                                             angles.head(count), sines.head(count));
      report.margin.segment(first, count) = (pi - angles.head(count).array()).max(0);
      if (found.largest_angle < (1 - near_cut_share) * pi && found.smallest_sine > 0) continue;
      for (Index k = 0; k < count; ++k) {
        const Index i = first + k;
        report.set_margin(i, pi - angles[k], pi);
        if (pi - angles[k] <= indistinct) {  // the antipode up to rounding: what is left of the direction is noise
          report.status[static_cast<std::size_t>(i)] = LogStatus::cut_locus;
          report.margin[i] = 0;
          reflector_.to_coords(antipode_rule(), coords.col(i));
        } else if (sines[k] == 0) {
          coords.col(i).setZero();
        }
      }
    }
    return report;
  }

  LogSums log_sums(ConstMatrixRef points, ConstVectorRef weights) const override {
    if (!small()) return TangentSpace::log_sums(points, weights);
    LogSums sums;
    SphereSums found;
    simd().sphere.log_sums(batch_base(), columns(points), weights.data(), found);
    sums.weighted = Eigen::Map<const Vector>(found.weighted, dim());
    sums.squares = found.squares;
    sums.longest = found.longest;
    // Points at the antipode need the rule for the cut locus, and near it they are counted.
    return pi - sums.longest < near_cut_share * pi ? TangentSpace::log_sums(points, weights) : sums;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    if (small()) {
      simd().sphere.exp(batch_base(), columns(coords), columns(points));
      return {};
    }
    for (Index i = 0; i < coords.cols(); ++i) {
      auto point = points.col(i);
      const double theta = coords.col(i).norm();
      reflector_.to_ambient(coords.col(i), point);
      point = std::cos(theta) * p_ + (theta > 0 ? std::sin(theta) / theta : 1.0) * point;
      point /= point.norm();
    }
    return {};
  }

  Vector distance(ConstMatrixRef points) const override {
    Vector result(points.cols());
    if (small())
      simd().sphere.distance(batch_base(), columns(points), result.data());
    else
      for (Index i = 0; i < points.cols(); ++i) result[i] = distance_to(points.col(i));
    return result;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(p_.size(), coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) reflector_.to_ambient(coords.col(i), ambient.col(i));
    return ambient;
  }

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim(), ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) reflector_.to_coords(ambient.col(i), coords.col(i));
    return coords;
  }

  // w + <u, w> ((cos theta - 1) u - sin theta p)
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const double theta = v.norm();
    Matrix moved = to_ambient(coords);
    if (theta == 0) return moved;
    const Vector unit_coords = v / theta;
    const Vector u = to_ambient(unit_coords);
    const double half_sine = std::sin(theta / 2);
    const Vector direction = -2 * half_sine * half_sine * u - std::sin(theta) * p_;
    moved += direction * (unit_coords.transpose() * coords);
    return moved;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    return std::make_unique<SphereJacobi>(v);
  }

  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    return Vector(y.dot(z) * x - x.dot(z) * y);
  }

  // tau_k u with tau_k = theta + 2 pi k; a continuum for q = p (beyond v = 0) and q = -p, except on the circle.
  Preimages preimages(ConstVectorRef q, double radius) const override;

 private:
  bool small() const { return p_.size() <= largest_batch_ambient; }
  SphereBase batch_base() const { return {p_.data(), reflector_.w().data(), p_.size()}; }

  SphereExtremes log_block(ConstMatrixRef points, MatrixRef coords, VectorRef angles, VectorRef sines) const {
    if (small()) return simd().sphere.log(batch_base(), columns(points), columns(coords), angles.data(), sines.data());
    for (Index i = 0; i < points.cols(); ++i) log_one(points.col(i), coords.col(i), angles[i], sines[i]);
    return {angles.maxCoeff(), sines.minCoeff()};
  }

  void log_one(ConstVectorRef q, VectorRef coords, double& angle, double& sine) const {
    Vector u = q - p_.dot(q) * p_;
    u -=
        p_.dot(u) * p_;  // once more: the first projection leaves a normal part of size eps, which matters for q near p
    sine = u.norm();
    angle = distance_to(q);
    if (sine > 0) u *= angle / sine;
    reflector_.to_coords(u, coords);
  }

  // Accurate to the last digits from 0 to pi, where the arc cosine loses half of them.
  template <class Column>
  double distance_to(const Column& q) const {
    return 2 * std::atan2((p_ - q).norm(), (p_ + q).norm());
  }

  // Towards the coordinate axis that is farthest from p (lowest index on ties), with length pi.
  Vector antipode_rule() const {
    Index axis = 0;
    p_.cwiseAbs().minCoeff(&axis);
    Vector u = -p_[axis] * p_;
    u[axis] += 1;
    return u * (pi / u.norm());
  }

  Vector p_;
  HouseholderFrame reflector_;
};

Preimages SphereTangentSpace::preimages(ConstVectorRef q, double radius) const {
  Preimages found = TangentSpace::preimages(q, radius);
  const Vector v = found.coords.col(0);
  const double theta = v.norm();
  const bool circle = dim() == 1;
  if (theta == 0 || !found.countable) {
    found.countable = circle || radius < (theta == 0 ? 2 * pi : pi);
    if (!circle) return found;
  }
  const Vector u = theta > 0 ? Vector(v / theta) : Vector(Vector::Unit(dim(), 0));
  std::vector<double> lengths = {theta};
  for (int k = 1; 2 * pi * k - theta <= radius; ++k) {
    lengths.push_back(theta - 2 * pi * k);
    if (theta + 2 * pi * k <= radius) lengths.push_back(theta + 2 * pi * k);
  }
  found.complete = true;
  found.coords.resize(dim(), static_cast<Index>(lengths.size()));
  found.log_abs_det.resize(found.coords.cols());
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const double tau = lengths[k];
    found.coords.col(static_cast<Index>(k)) = tau * u;
    // |sin tau| = |sin theta|, and theta is the accurate one.
    found.log_abs_det[static_cast<Index>(k)] =
        static_cast<double>(dim() - 1) *
        (k == 0 ? jacobi_log_abs_S(theta * theta) : std::log(std::sin(theta) / std::abs(tau)));
  }
  return found;
}

// How many of the first columns have the length 1 up to rounding. size: of a column, where the compiler knows it.
template <int size>
Index leading_unit_vectors(ConstMatrixRef X) {
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  Index i = 0;
  for (; i < X.cols(); ++i) {
    const Eigen::Map<const Eigen::Matrix<double, size, 1>> x(X.data() + i * X.outerStride(), X.rows());
    if (!(std::abs(x.squaredNorm() - 1) <= rounding)) break;
  }
  return i;
}

class Sphere final : public Manifold, public ExactPoints {
 public:
  explicit Sphere(Index n) : n_(n) {}

  std::string spec() const override { return fmt::format("sphere:{}", n_); }
  Index dim() const override { return n_; }
  Index ambient_dim() const override { return n_ + 1; }
  double injectivity_radius() const override { return pi; }
  double mean_ball_radius() const override { return pi / 2; }
  bool is_compact() const override { return true; }
  std::optional<int> unit_curvature() const override { return 1; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<SphereTangentSpace>(p);
  }

  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
    const double norm = x.norm();
    if (norm == 0) return "a zero vector has no direction";
    if (std::abs(norm - 1) > tolerance) return fmt::format("norm {:.9g}, not 1", norm);
    return std::nullopt;
  }

  Vector project(ConstVectorRef x) const override {
    const double norm = stable_norm(x);
    if (!(norm >= 1e-150)) throw Error("a zero vector has no nearest point on the sphere");
    return x / norm;
  }
  Index leading_exact(ConstMatrixRef X) const override {
    switch (n_) {
      case 1:
        return leading_unit_vectors<2>(X);
      case 2:
        return leading_unit_vectors<3>(X);
      case 3:
        return leading_unit_vectors<4>(X);
      default:
        return leading_unit_vectors<Eigen::Dynamic>(X);
    }
  }

  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    const Vector sum = points * weights;
    if (sum.norm() < 1e-8) return std::nullopt;
    return Vector(sum / sum.norm());
  }

  Vector random_point(Random& random) const override { return project(random.normals(n_ + 1)); }

  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Matrix Q = random_orthogonal(random, n_ + 1);
    return [Q](ConstVectorRef x) { return Vector(Q * x); };
  }

 private:
  Index n_;
};

}  // namespace

ManifoldPtr make_sphere(Index n) {
  if (n < 1) throw Error(fmt::format("sphere:{} does not exist: the dimension must be at least 1", n));
  return std::make_shared<Sphere>(n);
}

}  // namespace wgp
