// Rotations SO(n) with the bi-invariant metric <R X, R Y> = tr(X'Y) / 2, so that on SO(3) the distance is the angle.
//
// Coordinates of R Omega are the entries of Omega below the diagonal, row by row; for SO(3) the rotation vector. With
// the rotation planes of Omega (linalg/rotation_planes.h) everything is explicit: Exp turns each plane by its angle,
// and the Jacobi operator -[[., Omega], Omega] / 4 has the eigenvalues (angle_a +- angle_b)^2 / 4. Injectivity radius
// pi.
#include "core/constants.h"
#include "core/format.h"
#include "linalg/decompositions.h"

#include <cmath>

#include "geometry/factories.h"
#include "geometry/preimage_lattice.h"
#include "geometry/so.h"
#include "linalg/householder.h"
#include "linalg/polar.h"
#include "linalg/rotation_planes.h"
#include "linalg/row_major.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

Matrix to_skew(ConstVectorRef coords, Index n) {
  Matrix Omega = Matrix::Zero(n, n);
  for (Index i = 1, k = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j, ++k) {
      Omega(i, j) = coords[k];
      Omega(j, i) = -coords[k];
    }
  return Omega;
}

// Of the skew part.
Vector from_skew(ConstMatrixRef Omega) {
  const Index n = Omega.rows();
  Vector coords(n * (n - 1) / 2);
  for (Index i = 1, k = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j, ++k) coords[k] = (Omega(i, j) - Omega(j, i)) / 2;
  return coords;
}

// log|det dExp| at the angles tau = theta + 2 pi k of n x n rotation planes.
double log_det_of_planes(ConstVectorRef theta, ConstVectorRef tau, Index n) {
  double sum = 0;
  for (Index a = 0; a < theta.size(); ++a) {
    for (Index b = 0; b < a; ++b)
      sum += log_abs_shifted_S((theta[a] - theta[b]) / 2, (tau[a] - tau[b]) / 2) +
             log_abs_shifted_S((theta[a] + theta[b]) / 2, (tau[a] + tau[b]) / 2);
    if (n % 2 == 1) sum += log_abs_shifted_S(theta[a] / 2, tau[a] / 2);
  }
  return 2 * sum;
}

// In the basis W of the planes, the 2 x 2 block M of planes a and b splits into a part that commutes with the quarter
// turn, eigenvalue (angle_a - angle_b)^2 / 4, and one that anticommutes, eigenvalue (angle_a + angle_b)^2 / 4. The axis
// of odd n is half a plane of angle 0: eigenvalue angle_a^2 / 4.
class SoJacobi final : public SymmetricJacobiFields {
 public:
  SoJacobi(ConstVectorRef v, Index n) : n_(n), planes_(planes_of_skew(to_skew(v, n))) {}

  Matrix apply(ScalarFunction g, ConstMatrixRef x) const override {
    const Vector& angle = planes_.angle;
    const Index count = angle.size();
    Matrix minus(count, count), plus(count, count);
    Vector axis(count);
    for (Index a = 0; a < count; ++a) {
      axis[a] = g(angle[a] * angle[a] / 4);
      for (Index b = 0; b <= a; ++b) {
        const double difference = angle[a] - angle[b], sum = angle[a] + angle[b];
        minus(a, b) = minus(b, a) = g(difference * difference / 4);
        plus(a, b) = plus(b, a) = g(sum * sum / 4);
      }
    }
    Matrix result(x.rows(), x.cols());
    for (Index k = 0; k < x.cols(); ++k) {
      Matrix M = planes_.W.transpose() * to_skew(x.col(k), n_) * planes_.W;
      for (Index a = 0; a < count; ++a)
        for (Index b = 0; b < count; ++b) {
          auto block = M.block<2, 2>(2 * a, 2 * b);
          const double p = minus(a, b) * (block(0, 0) + block(1, 1)) / 2;
          const double q = minus(a, b) * (block(0, 1) - block(1, 0)) / 2;
          const double r = plus(a, b) * (block(0, 0) - block(1, 1)) / 2;
          const double s = plus(a, b) * (block(0, 1) + block(1, 0)) / 2;
          block << p + r, q + s, s - q, p - r;
        }
      if (n_ % 2 == 1)
        for (Index i = 0; i + 1 < n_; ++i) {
          M(i, n_ - 1) *= axis[i / 2];
          M(n_ - 1, i) *= axis[i / 2];
        }
      result.col(k) = from_skew(planes_.W * M * planes_.W.transpose());
    }
    return result;
  }

  double log_det() const override { return log_det_of_planes(planes_.angle, planes_.angle, n_); }

  // d/d angle_a of the sum above; the planes' generators are orthonormal.
  Vector log_det_gradient() const override {
    const Vector& angle = planes_.angle;
    Vector slope = Vector::Zero(angle.size());
    for (Index a = 0; a < angle.size(); ++a) {
      for (Index b = 0; b < angle.size(); ++b)
        if (b != a)
          slope[a] += cot_minus_inverse((angle[a] - angle[b]) / 2) + cot_minus_inverse((angle[a] + angle[b]) / 2);
      if (n_ % 2 == 1) slope[a] += cot_minus_inverse(angle[a] / 2);
    }
    return from_skew(planes_.skew(slope));
  }

 private:
  Index n_;
  RotationPlanes planes_;
};

class SoTangentSpace final : public TangentSpace {
 public:
  SoTangentSpace(ConstVectorRef p, Index n) : n_(n), R_(orthonormalise(as_matrix(p, n, n))), p_(n * n) {
    as_mutable_matrix(p_, n, n) = R_;
  }

  const Vector& base() const override { return p_; }
  Index dim() const override { return n_ * (n_ - 1) / 2; }
  double injectivity_radius() const override { return pi; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      const RotationLog found = planes_to(points.col(i));
      coords.col(i) = from_skew(found.planes.skew());
      report.set_margin(i, found.margin, pi);
      if (found.half_turn) report.status[static_cast<std::size_t>(i)] = LogStatus::cut_locus;
    }
    return report;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    for (Index i = 0; i < coords.cols(); ++i)
      as_mutable_matrix(points.col(i), n_, n_) =
          orthonormalise(R_ + R_ * planes_at(coords.col(i)).rotation_minus_identity());
    return {};
  }

  Vector distance(ConstMatrixRef points) const override {
    Vector result(points.cols());
    for (Index i = 0; i < points.cols(); ++i) result[i] = planes_to(points.col(i)).planes.angle.norm();
    return result;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(n_ * n_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i)
      as_mutable_matrix(ambient.col(i), n_, n_) = R_ * to_skew(coords.col(i), n_);
    return ambient;
  }

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim(), ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i)
      coords.col(i) = from_skew(R_.transpose() * as_matrix(ambient.col(i), n_, n_));
    return coords;
  }

  // R Xi moves to R exp(Omega / 2) Xi exp(Omega / 2).
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const Matrix half = Matrix::Identity(n_, n_) + planes_at(v).rotation_minus_identity(0.5), left = R_ * half;
    Matrix ambient(n_ * n_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i)
      as_mutable_matrix(ambient.col(i), n_, n_) = left * to_skew(coords.col(i), n_) * half;
    return ambient;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    return std::make_unique<SoJacobi>(v, n_);
  }

  // -[[X, Y], Z] / 4
  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    const Matrix X = to_skew(x, n_), Y = to_skew(y, n_), Z = to_skew(z, n_);
    const Matrix bracket = X * Y - Y * X;
    return from_skew((Z * bracket - bracket * Z) / 4);
  }

  // The same planes, each turned further by whole turns. A continuum where two planes of equal angle, which have no
  // preferred mixture, turn by different amounts, or where a plane of angle 0 may be mixed with the axis of odd n.
  Preimages preimages(ConstVectorRef q, double radius) const override {
    const RotationPlanes planes = planes_to(q).planes;
    const Vector& theta = planes.angle;
    double continuum = continuum_of_equal_angles(theta, 2 * pi);
    if (n_ % 2 == 1 && theta.minCoeff() < equal_angles)
      continuum = std::min(continuum, std::hypot(theta.norm(), 2 * pi));
    Preimages found;
    found.countable = continuum > std::max(radius, theta.norm());
    const PreimageLattice lattice = preimage_lattice(theta, 2 * pi, found.countable ? radius : 0);
    found.complete = found.countable && lattice.complete;
    found.coords.resize(dim(), lattice.tau.cols());
    found.log_abs_det.resize(lattice.tau.cols());
    for (Index k = 0; k < lattice.tau.cols(); ++k) {
      found.coords.col(k) = from_skew(planes.skew(lattice.tau.col(k)));
      found.log_abs_det[k] = log_det_of_planes(theta, lattice.tau.col(k), n_);
    }
    return found;
  }

 private:
  RotationPlanes planes_at(ConstVectorRef coords) const { return planes_of_skew(to_skew(coords, n_)); }
  // Of R'Q, from R'(Q - R): no digits are lost between near points.
  RotationLog planes_to(ConstVectorRef q) const {
    return planes_of_rotation(R_.transpose() * (as_matrix(q, n_, n_) - R_));
  }

  Index n_;
  Matrix R_;
  Vector p_;
};

class SpecialOrthogonal final : public Manifold, public RowLayout {
 public:
  explicit SpecialOrthogonal(Index n) : n_(n) {}

  std::string spec() const override { return fmt::format("so:{}", n_); }
  Index dim() const override { return n_ * (n_ - 1) / 2; }
  Index ambient_dim() const override { return n_ * n_; }
  double injectivity_radius() const override { return pi; }
  double mean_ball_radius() const override { return pi / 2; }
  bool is_compact() const override { return true; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    if (n_ == 3) return so3_tangent_space(p);
    return std::make_unique<SoTangentSpace>(p, n_);
  }

  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
    const Matrix R = as_matrix(x, n_, n_);
    const double error = orthonormality_defect(R);
    if (!(error <= tolerance)) return fmt::format("not orthogonal: |R'R - I| = {:.3g}", error);
    if (determinant(R) < 0) return "determinant -1: a reflection, not a rotation";
    return std::nullopt;
  }

  Vector project(ConstVectorRef x) const override {
    const PolarFactor nearest = rotation_factor(as_matrix(x, n_, n_));
    if (!(nearest.sharpness > 1e-12))
      throw Error("the matrix is singular or a reflection, so that several rotations are equally near to it");
    return stored(nearest.Q);
  }

  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    const Vector sum = points * weights;
    const PolarFactor nearest = rotation_factor(as_matrix(sum, n_, n_));
    if (!(nearest.sharpness > 1e-6)) return std::nullopt;
    return stored(nearest.Q);
  }

  Vector random_point(Random& random) const override { return stored(random_rotation(random)); }

  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Matrix left = random_rotation(random), right = random_rotation(random);
    const Index n = n_;
    return [left, right, n](ConstVectorRef x) { return stored(left * as_matrix(x, n, n) * right); };
  }

  RowForms row_forms() const override {
    RowForms forms = {std::make_shared<RowForm>("matrix", n_ * n_)};
    if (n_ == 3) forms.push_back(std::make_shared<QuaternionForm>());
    return forms;
  }

  std::vector<std::string> ambient_names() const override {
    std::vector<std::string> names;
    for (Index i = 1; i <= n_; ++i)
      for (Index j = 1; j <= n_; ++j) names.push_back(fmt::format("r{}{}{}", i, n_ < 10 ? "" : "_", j));
    return names;
  }

 private:
  static Vector stored(ConstMatrixRef R) {
    Vector column(R.size());
    as_mutable_matrix(column, R.rows(), R.cols()) = R;
    return column;
  }

  Matrix random_rotation(Random& random) const {
    Matrix Q = random_orthogonal(random, n_);
    if (determinant(Q) < 0) Q.col(0) *= -1;
    return Q;
  }

  Index n_;
};

}  // namespace

ManifoldPtr make_so(Index n) {
  if (n < 2) throw Error(fmt::format("so:{} does not exist: rotations need at least two dimensions, so:2", n));
  return std::make_shared<SpecialOrthogonal>(n);
}

}  // namespace wgp
