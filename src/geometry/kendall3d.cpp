// Kendall's shape space of k landmarks in R^3: configurations up to translation, scale and rotation (not reflection).
//
// A point is represented by a centred configuration Z (3 x k) of unit norm, stored x1 y1 z1 x2 y2 z2 ...; the shape
// space is the quotient of the sphere of such Z by SO(3). Tangent vectors at Z are horizontal: centred V with V Z'
// symmetric and <V, Z> = 0. Collinear shapes are singular (a rotation about their line does nothing), the curvature is
// unbounded near them, and geodesics that run into them end: they are refused.
// References: Kendall, Barden, Carne and Le, Shape and Shape Theory (1999); Le (1991); Nava-Yazdani et al. (2020).
#include <algorithm>
#include <cmath>

#include "core/constants.h"
#include "core/format.h"
#include "linalg/decompositions.h"

#include "geometry/central_difference.h"
#include "geometry/deferred_jacobi.h"
#include "geometry/factories.h"
#include "geometry/ode.h"
#include "linalg/householder.h"
#include "linalg/rotation3.h"
#include "linalg/stable_norm.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Configuration = Eigen::Matrix3Xd;

constexpr double transport_tolerance = 1e-13;
constexpr double collinear_below = 1e-7;  // second singular value of Z; beyond it half of the digits are lost

Configuration configuration(ConstVectorRef x) { return Eigen::Map<const Configuration>(x.data(), 3, x.size() / 3); }

// Moves the centroid to 0 and scales to unit norm; twice, as one pass leaves eps times a large offset.
Configuration normalised(ConstVectorRef x) {
  Configuration Z = configuration(x);
  for (int pass = 0; pass < 2; ++pass) {
    Z.colwise() -= Vector3d(Z.rowwise().mean());
    Z /= stable_norm(Z.reshaped());
  }
  return Z;
}

Vector3d principal_extents(const Configuration& Z) { return jacobi_svd(Z * Z.transpose()).s.cwiseSqrt(); }

// Frame of the horizontal space: the last 3k - 7 columns of the orthogonal factor of [translations, Z, rotations of Z].
class HorizontalFrame3d {
 public:
  explicit HorizontalFrame3d(const Configuration& Z) : qr_(normal_vectors(Z)) {}

  Matrix to_ambient(ConstMatrixRef coords) const {
    Matrix ambient = Matrix::Zero(coords.rows() + normals, coords.cols());
    ambient.bottomRows(coords.rows()) = coords;
    return qr_.times(ambient);
  }
  Matrix to_coords(ConstMatrixRef ambient) const {
    const Matrix rotated = qr_.transpose_times(ambient);
    return rotated.bottomRows(ambient.rows() - normals);
  }

 private:
  static constexpr Index normals = 7;

  static Matrix normal_vectors(const Configuration& Z) {
    Matrix columns(Z.size(), normals);
    for (Index axis = 0; axis < 3; ++axis) {
      const Vector3d unit = Vector3d::Unit(axis);
      columns.col(axis) = unit.replicate(Z.cols(), 1);
      columns.col(4 + axis) = (hat(unit) * Z).reshaped();
    }
    columns.col(3) = Z.reshaped();
    return columns;
  }

  Qr qr_;
};

// The skew A with A S + S A = K - K', as its axis: hat(a) S + S hat(a) = hat((tr S - S) a).
Matrix3d inertia_inverse(const Matrix3d& S) { return (S.trace() * Matrix3d::Identity() - S).inverse(); }
Vector3d axis_of(const Matrix3d& inverse, const Matrix3d& K) { return 2 * inverse * vee(K); }

// Rotations R = U diag(signs) W' that make Z (R Q)' symmetric, where U Sigma W' = Z Q': these are the critical points
// of the distance, the first one its minimum. sums(s) = trace of Z (R Q)'.
struct Alignment {
  Matrix3d U, W;
  Vector3d s;          // Sigma
  double orientation;  // of U W'

  Alignment(const Configuration& Z, const Configuration& Q) : Alignment(jacobi_svd(Z * Q.transpose())) {}
  explicit Alignment(const Svd& svd)
      : U(svd.U), W(svd.V), s(svd.s), orientation(U.determinant() * W.determinant() < 0 ? -1 : 1) {}

  Matrix3d rotation(int choice) const {
    Vector3d signs(1, 1, orientation);
    if (choice > 0) {  // turn by pi about one of the principal axes
      signs = -signs;
      signs[3 - choice] = -signs[3 - choice];
    }
    return U * signs.asDiagonal() * W.transpose();
  }
  // Zero where the best rotation is not unique; changes by at most sqrt 2 per unit of distance.
  double margin() const { return s[1] + orientation * s[2]; }
  // Whether the four rotations are isolated.
  bool isolated() const { return std::min(s[0] - s[1], s[1] - s[2]) > 1e-12 && s[1] + s[2] > 1e-12; }
};

class Kendall3dTangentSpace final : public TangentSpace {
 public:
  explicit Kendall3dTangentSpace(ConstVectorRef p) : Z_(normalised(p)), base_(Z_.reshaped()), frame_(Z_) {}

  const Vector& base() const override { return base_; }
  Index dim() const override { return base_.size() - 7; }

  // Along a horizontal unit U the alignment of cos(t) Z + sin(t) U stays unique as long as the two smallest eigenvalues
  // of cos(t) Z Z' + sin(t) Z U' have a positive sum. Z U' has trace 0 and norm at most s_1, so its part of the sum is
  // at least -sqrt(2/3) s_1, with s the singular values of Z: the sum is positive for tan t < (s_2^2 + s_3^2) /
  // (sqrt(2/3) s_1).
  double injectivity_radius() const override {
    const Vector3d s = principal_extents(Z_);
    return std::atan2(s[1] * s[1] + s[2] * s[2], std::sqrt(2.0 / 3) * s[0]);
  }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      const Configuration Q = normalised(points.col(i));
      const Alignment alignment(Z_, Q);
      report.set_margin(i, alignment.margin(), 1);
      // Several best rotations: the decomposition has chosen one.
      if (alignment.margin() < 1e-15) report.status[static_cast<std::size_t>(i)] = LogStatus::cut_locus;
      coords.col(i) = horizontal_log(alignment.rotation(0) * Q);
    }
    return report;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    ExpReport report;
    const Matrix ambient = to_ambient(coords);
    for (Index i = 0; i < coords.cols(); ++i) {
      const double theta = coords.col(i).norm();
      const Configuration end = normalised(std::cos(theta) * base_ + sine_quotient(theta) * ambient.col(i));
      if (principal_extents(end)[1] < collinear_below) report.outside_domain.push_back(i);
      points.col(i) = end.reshaped();
    }
    return report;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override { return frame_.to_ambient(coords); }
  Matrix to_coords(ConstMatrixRef ambient) const override { return frame_.to_coords(ambient); }

  // The lift Y of a parallel field moves vertically and normally to the sphere only:
  //   Y' = A g - <Y, g'> g,   A S + S A = g' Y' - Y g'',   S = g g'   (g the geodesic, g' its velocity)
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const double theta = v.norm();
    Matrix moved = to_ambient(coords);
    const double size = moved.size() > 0 ? moved.cwiseAbs().maxCoeff() : 0;
    if (theta == 0 || size == 0) return moved;
    const Configuration U = configuration(to_ambient(v / theta));
    const auto field = [&](ConstVectorRef state, double t, VectorRef derivative) {
      const double c = std::cos(theta * t), s = std::sin(theta * t);
      const Configuration g = c * Z_ + s * U, velocity = theta * (c * U - s * Z_);
      const Matrix3d inverse = inertia_inverse(g * g.transpose());
      if (!inverse.allFinite()) return false;
      for (Index offset = 0; offset < state.size(); offset += base_.size()) {
        const Eigen::Map<const Configuration> Y(state.data() + offset, 3, Z_.cols());
        const Matrix3d K = velocity * Y.transpose();
        Eigen::Map<Configuration>(derivative.data() + offset, 3, Z_.cols()) =
            (hat(axis_of(inverse, K)) - K.trace() * Matrix3d::Identity()) * g;
      }
      return true;
    };
    Vector state = moved.reshaped() / size;
    if (!integrate(field, state, transport_tolerance)) state.setConstant(std::nan(""));
    return size * state.reshaped(moved.rows(), moved.cols());
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    const auto matrices = [space = *this, v = Vector(v)] { return space.jacobi_matrices(v); };
    const auto log_det = [space = *this, v = Vector(v)] { return space.log_det(v); };
    const auto gradient = [space = *this, v = Vector(v)] {
      // Shapes near the singular ones see the curvature change on the scale of their injectivity radius.
      const double step = 1e-2 * std::min(1.0, space.injectivity_radius());
      return central_gradient([&](const Vector& x) { return space.log_det(x); }, v, step);
    };
    return deferred_jacobi_fields(matrices, log_det, gradient);
  }

  Preimages preimages(ConstVectorRef q, double radius) const override;

 private:
  static double sine_quotient(double theta) { return theta > 0 ? std::sin(theta) / theta : 1; }

  // Log on the sphere of a configuration that is aligned to Z. Zero for Z and -Z.
  Vector horizontal_log(const Configuration& aligned) const {
    Vector v = frame_.to_coords((aligned - Z_).reshaped());
    const double sine = v.norm();
    if (sine > 0) v *= 2 * std::atan2((aligned - Z_).norm(), (aligned + Z_).norm()) / sine;
    return v;
  }

  // Differential of cos|V| Z + sin|V| / |V| V in (Z, V), one direction per column; the unit vector u = V / |V|.
  Matrix sphere_differential(ConstVectorRef v, ConstMatrixRef dZ, ConstMatrixRef dV) const {
    const double theta = v.norm(), c = std::cos(theta), s = sine_quotient(theta);
    Matrix result = c * dZ + s * dV;
    if (theta == 0) return result;
    const Vector u = to_ambient(v / theta);
    return result + ((c - s) * u - std::sin(theta) * base_) * (u.transpose() * dV);
  }

  // J0: the horizontal part of the sphere's differential. J1: the same with Z moving along x, and with V following as
  // dV = A Z - <V, x> Z, A S + S A = x V' - V x', S = Z Z', which keeps it horizontal and parallel.
  JacobiMatrices jacobi_matrices(ConstVectorRef v) const {
    const Matrix identity = Matrix::Identity(dim(), dim());
    const Matrix E = to_ambient(identity), transported = transport(v, identity);
    const Vector V = to_ambient(v);
    const Matrix3d inverse = inertia_inverse(Z_ * Z_.transpose());
    Matrix dV(E.rows(), dim());
    for (Index i = 0; i < dim(); ++i) {
      const Matrix3d K = configuration(E.col(i)) * configuration(V).transpose();
      dV.col(i) = ((hat(axis_of(inverse, K)) - K.trace() * Matrix3d::Identity()) * Z_).reshaped();
    }
    return {transported.transpose() * sphere_differential(v, Matrix::Zero(E.rows(), dim()), E),
            transported.transpose() * sphere_differential(v, E, dV)};
  }

  // Any orthonormal frame at the end will do: the transported one would cost an integration.
  double log_det(ConstVectorRef v) const {
    const Matrix E = to_ambient(Matrix::Identity(dim(), dim()));
    const double theta = v.norm();
    const Vector end = std::cos(theta) * base_ + sine_quotient(theta) * to_ambient(v);
    const Matrix moved = sphere_differential(v, Matrix::Zero(E.rows(), dim()), E);
    return Lu(HorizontalFrame3d(configuration(end)).to_coords(moved)).log_abs_determinant();
  }

  Configuration Z_;
  Vector base_;
  HorizontalFrame3d frame_;
};

// Every v with Exp(v) = q lifts to an arc of a great circle from Z to R Q, horizontal for the four rotations above; the
// circle closes after 2 pi.
Preimages Kendall3dTangentSpace::preimages(ConstVectorRef q, double radius) const {
  Preimages found = TangentSpace::preimages(q, radius);
  const Configuration Q = normalised(q);
  const Alignment alignment(Z_, Q);
  found.complete = found.countable = alignment.isolated();
  if (!found.countable) return found;
  std::vector<Vector> all;
  for (int choice = 0; choice < 4; ++choice) {
    const Configuration end = alignment.rotation(choice) * Q;
    const Vector v = horizontal_log(end);
    const double theta = v.norm();
    if (frame_.to_coords((end - Z_).reshaped()).norm() < 1e-12) {  // all great circles meet in Z, and in -Z
      if (radius >= (Z_.cwiseProduct(end).sum() > 0 ? 2 * pi : pi)) found.countable = found.complete = false;
      continue;
    }
    if (choice > 0 && theta <= radius) all.push_back(v);
    for (int turn = 1; 2 * pi * turn - theta <= radius; ++turn) {
      all.push_back(v * (1 - 2 * pi * turn / theta));
      if (2 * pi * turn + theta <= radius) all.push_back(v * (1 + 2 * pi * turn / theta));
    }
  }
  if (!found.countable) return found;
  std::stable_sort(all.begin(), all.end(), [](const Vector& a, const Vector& b) { return a.norm() < b.norm(); });
  const auto count = static_cast<Index>(all.size());
  found.coords.conservativeResize(Eigen::NoChange, 1 + count);
  found.log_abs_det.conservativeResize(1 + count);
  for (Index i = 0; i < count; ++i) {
    found.coords.col(1 + i) = all[static_cast<std::size_t>(i)];
    found.log_abs_det[1 + i] = log_det(found.coords.col(1 + i));
  }
  return found;
}

class Kendall3d final : public Manifold, public RowLayout {
 public:
  explicit Kendall3d(Index landmarks) : k_(landmarks) {}

  std::string spec() const override { return fmt::format("kendall3d:{}", k_); }
  Index dim() const override { return 3 * k_ - 7; }
  Index ambient_dim() const override { return 3 * k_; }
  // Shapes near the collinear ones have arbitrarily small injectivity radii and arbitrarily large curvatures.
  double injectivity_radius() const override { return 0; }
  double mean_ball_radius() const override { return 0; }
  bool is_symmetric() const override { return false; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    if (const auto reason = defect(p, default_tolerance())) throw Error(*reason);
    return std::make_unique<Kendall3dTangentSpace>(p);
  }

  using Manifold::defect;
  std::optional<std::string> defect(ConstVectorRef x, double) const override {
    if (!x.allFinite()) return "a coordinate is not a finite number";
    const Configuration Y = configuration(x);
    const double spread = (Y.colwise() - Vector3d(Y.rowwise().mean())).norm();
    if (!(spread > 1e-12 * x.norm())) return "all landmarks coincide";
    const double extent = principal_extents(normalised(x))[1];
    if (extent < collinear_below)
      return fmt::format("the landmarks are collinear (width {:.2g} of the size): the shape space is singular there",
                         extent);
    return std::nullopt;
  }

  Vector project(ConstVectorRef x) const override {
    if (const auto reason = defect(x, default_tolerance())) throw Error(*reason);
    return normalised(x).reshaped();
  }

  // R x: rotations.
  Matrix aligned(ConstVectorRef from, ConstVectorRef to, ConstMatrixRef x) const override {
    const Matrix3d R = Alignment(configuration(to), configuration(from)).rotation(0);
    Matrix turned(x.rows(), x.cols());
    for (Index i = 0; i < x.cols(); ++i) turned.col(i) = (R * configuration(x.col(i))).reshaped();
    return turned;
  }

  Vector random_point(Random& random) const override { return project(random.normals(3 * k_)); }

  // An orthogonal map of the (k - 1)-dimensional space of centred configurations, then an arbitrary similarity.
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const HouseholderFrame centred(Vector::Constant(k_, 1 / std::sqrt(static_cast<double>(k_))));
    const Matrix mixing = random_orthogonal(random, k_ - 1);
    const Matrix3d rotation = rodrigues(random.normals(3));
    const double scale = std::exp(random.normal());
    const Vector3d shift = random.normals(3);
    return [=, k = k_](ConstVectorRef x) {
      Configuration Z = configuration(x);
      for (Index axis = 0; axis < 3; ++axis) {
        Vector coords(k - 1), row(k);
        centred.to_coords(Z.row(axis).transpose(), coords);
        centred.to_ambient(mixing * coords, row);
        Z.row(axis) = row.transpose();
      }
      const Configuration moved = (scale * rotation * Z).colwise() + shift;
      return Vector(moved.reshaped());
    };
  }

  std::vector<std::string> ambient_names() const override {
    std::vector<std::string> names;
    for (Index i = 1; i <= k_; ++i)
      for (const char axis : {'x', 'y', 'z'}) names.push_back(fmt::format("{}{}", axis, i));
    return names;
  }

 private:
  Index k_;
};

}  // namespace

ManifoldPtr make_kendall3d(Index landmarks) {
  if (landmarks == 3) throw Error("kendall3d:3 is not supported: three landmarks lie in a plane; use kendall:3");
  if (landmarks < 4) throw Error(fmt::format("kendall3d:{} does not exist: it needs at least 4 landmarks", landmarks));
  return std::make_shared<Kendall3d>(landmarks);
}

}  // namespace wgp
