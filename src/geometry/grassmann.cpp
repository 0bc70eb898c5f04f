// The Grassmann manifold of p-dimensional subspaces of R^n: a point is an n x p matrix Y with orthonormal columns, and
// matrices with the same span are the same point. Metric tr(D'D) on horizontal vectors (Y'D = 0).
//
// Coordinates of D are the (n-p) x p matrix X with D = Y_c X, Y_c the complement of Y from Householder reflections.
// With the singular value decomposition X = U diag(theta) V' the geodesic turns Y v_i towards Y_c u_i by theta_i, the
// principal angles. Injectivity radius pi / 2.
#include "core/constants.h"
#include "core/format.h"
#include "linalg/decompositions.h"

#include <cmath>

#include "geometry/factories.h"
#include "geometry/preimage_lattice.h"
#include "linalg/householder.h"
#include "linalg/polar.h"
#include "linalg/row_major.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

Vector flatten(ConstMatrixRef A) {
  Vector column(A.size());
  as_mutable_matrix(column, A.rows(), A.cols()) = A;
  return column;
}

// X = U diag(theta) V', thin. Orthonormal U and V also where theta = 0.
struct PrincipalVectors {
  Matrix U, V;
  Vector theta;
};
PrincipalVectors principal_vectors(ConstMatrixRef X) {
  Svd svd = jacobi_svd(X);
  return {std::move(svd.U), std::move(svd.V), std::move(svd.s)};
}

// log|det dExp| at the angles tau = theta + pi k. unpaired = |n - 2p|: directions that have no partner.
double log_det_of_angles(ConstVectorRef theta, ConstVectorRef tau, Index unpaired) {
  double sum = 0;
  for (Index i = 0; i < theta.size(); ++i) {
    for (Index j = 0; j < i; ++j)
      sum += log_abs_shifted_S(theta[i] - theta[j], tau[i] - tau[j]) +
             log_abs_shifted_S(theta[i] + theta[j], tau[i] + tau[j]);
    if (unpaired > 0) sum += static_cast<double>(unpaired) * log_abs_shifted_S(theta[i], tau[i]);
  }
  return sum;
}

// The Jacobi operator W V'V + V V'W - 2 V W'V acts on M = U' W V by entries: (theta_i - theta_j)^2 on the symmetric
// part of M, (theta_i + theta_j)^2 on the skew part; theta_i^2 on what lies outside the span of U or of V.
class GrassmannJacobi final : public SymmetricJacobiFields {
 public:
  GrassmannJacobi(ConstVectorRef v, Index rows, Index cols)
      : rows_(rows), cols_(cols), at_(principal_vectors(as_matrix(v, rows, cols))) {}

  Matrix apply(ScalarFunction g, ConstMatrixRef x) const override {
    const Vector& theta = at_.theta;
    const Index count = theta.size();
    Matrix symmetric(count, count), skew(count, count);
    Vector single(count);
    for (Index i = 0; i < count; ++i) {
      single[i] = g(theta[i] * theta[i]);
      for (Index j = 0; j <= i; ++j) {
        const double difference = theta[i] - theta[j], sum = theta[i] + theta[j];
        symmetric(i, j) = symmetric(j, i) = g(difference * difference);
        skew(i, j) = skew(j, i) = g(sum * sum);
      }
    }
    Matrix result(x.rows(), x.cols());
    for (Index k = 0; k < x.cols(); ++k) {
      const Matrix W = as_matrix(x.col(k), rows_, cols_);
      const Matrix M = at_.U.transpose() * W * at_.V;
      const Matrix N = (symmetric.cwiseProduct(M + M.transpose()) + skew.cwiseProduct(M - M.transpose())) / 2;
      Matrix image = at_.U * N * at_.V.transpose();
      // At most one of the two is not empty.
      if (rows_ > count) image += (W * at_.V - at_.U * M) * single.asDiagonal() * at_.V.transpose();
      if (cols_ > count) image += at_.U * single.asDiagonal() * (at_.U.transpose() * W - M * at_.V.transpose());
      as_mutable_matrix(result.col(k), rows_, cols_) = image;
    }
    return result;
  }

  double log_det() const override { return log_det_of_angles(at_.theta, at_.theta, unpaired()); }

  Vector log_det_gradient() const override {
    const Vector& theta = at_.theta;
    Vector slope(theta.size());
    for (Index i = 0; i < theta.size(); ++i) {
      slope[i] = static_cast<double>(unpaired()) * cot_minus_inverse(theta[i]);
      for (Index j = 0; j < theta.size(); ++j)
        if (j != i) slope[i] += cot_minus_inverse(theta[i] - theta[j]) + cot_minus_inverse(theta[i] + theta[j]);
    }
    return flatten(at_.U * slope.asDiagonal() * at_.V.transpose());
  }

 private:
  Index unpaired() const { return std::abs(rows_ - cols_); }

  Index rows_, cols_;
  PrincipalVectors at_;
};

class GrassmannTangentSpace final : public TangentSpace {
 public:
  GrassmannTangentSpace(ConstVectorRef p, Index n, Index columns)
      : n_(n), p_(columns), Y_(orthonormalise(as_matrix(p, n, columns))), base_(flatten(Y_)), reflectors_(Y_) {}

  const Vector& base() const override { return base_; }
  Index dim() const override { return (n_ - p_) * p_; }
  double injectivity_radius() const override { return pi / 2; }

  // Z'Y = Q diag(sigma) R' aligns the bases: Log = Y_c' Z Q diag(theta / sin theta) R'. theta / sin theta is a smooth
  // function of sigma = cos theta, so that close or equal angles do no harm.
  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    for (Index k = 0; k < points.cols(); ++k) {
      const Alignment found = align(points.col(k));
      Matrix B = found.B;
      for (Index i = 0; i < p_; ++i) {
        const double sine = B.col(i).norm();
        if (sine > 0) B.col(i) *= std::atan2(sine, found.sigma[i]) / sine;
      }
      report.set_margin(k, std::atan2(found.sigma[p_ - 1], found.B.col(p_ - 1).norm()), pi / 2);
      for (Index i = 0; i < p_; ++i) {
        if (!is_right_angle(found.sigma[i])) continue;
        report.status[static_cast<std::size_t>(k)] = LogStatus::cut_locus;
        if (first_entry_negative(B.col(i), found.R.col(i))) B.col(i) *= -1;
      }
      as_mutable_matrix(coords.col(k), n_ - p_, p_) = B * found.R.transpose();
    }
    return report;
  }

  // Y V cos(theta) V' + Y_c U sin(theta) V' (+ Y (I - V V') if p > n / 2)
  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    for (Index k = 0; k < coords.cols(); ++k)
      as_mutable_matrix(points.col(k), n_, p_) = end_point(principal_vectors(block(coords.col(k))));
    return {};
  }

  Vector distance(ConstMatrixRef points) const override {
    Vector result(points.cols());
    for (Index k = 0; k < points.cols(); ++k) {
      const Alignment found = align(points.col(k));
      double sum = 0;
      for (Index i = 0; i < p_; ++i) {
        const double theta = std::atan2(found.B.col(i).norm(), found.sigma[i]);
        sum += theta * theta;
      }
      result[k] = std::sqrt(sum);
    }
    return result;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(n_ * p_, coords.cols());
    for (Index k = 0; k < coords.cols(); ++k)
      as_mutable_matrix(ambient.col(k), n_, p_) = from_complement(block(coords.col(k)));
    return ambient;
  }

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim(), ambient.cols());
    for (Index k = 0; k < ambient.cols(); ++k)
      as_mutable_matrix(coords.col(k), n_ - p_, p_) = to_complement(as_matrix(ambient.col(k), n_, p_));
    return coords;
  }

  // W + (Y_c U (cos(theta) - 1) - Y V sin(theta)) U' W
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const PrincipalVectors at = principal_vectors(block(v));
    const Matrix change = from_complement(at.U * cosine_minus_one(at.theta).asDiagonal()) -
                          Y_ * at.V * at.theta.array().sin().matrix().asDiagonal();
    Matrix ambient = to_ambient(coords);
    for (Index k = 0; k < coords.cols(); ++k)
      as_mutable_matrix(ambient.col(k), n_, p_) += change * (at.U.transpose() * block(coords.col(k)));
    return ambient;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    return std::make_unique<GrassmannJacobi>(v, n_ - p_, p_);
  }

  // X Y'Z - Y X'Z + Z (Y'X - X'Y)
  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    const Matrix X = block(x), Y = block(y), Z = block(z);
    const Matrix inner = Y.transpose() * X;
    return flatten(X * (Y.transpose() * Z) - Y * (X.transpose() * Z) + Z * (inner - inner.transpose()));
  }

  // The same principal vectors, each angle turned further by multiples of pi. A continuum where two equal angles turn
  // by different amounts, or where an angle 0 leaves the directions that turn open.
  Preimages preimages(ConstVectorRef q, double radius) const override {
    Matrix coords(dim(), 1);
    log(q, coords);
    const PrincipalVectors at = principal_vectors(block(coords.col(0)));
    const Index unpaired = std::abs(n_ - 2 * p_);
    // Rounding may carry a right angle past the middle of the period.
    const Vector theta = at.theta.cwiseMin(pi / 2);
    double continuum = continuum_of_equal_angles(theta, pi);
    if (unpaired > 0 && theta.minCoeff() < equal_angles) continuum = std::min(continuum, std::hypot(theta.norm(), pi));
    Preimages found;
    found.countable = continuum > std::max(radius, theta.norm());
    const PreimageLattice lattice = preimage_lattice(theta, pi, found.countable ? radius : 0);
    found.complete = found.countable && lattice.complete;
    found.coords.resize(dim(), lattice.tau.cols());
    found.log_abs_det.resize(lattice.tau.cols());
    for (Index k = 0; k < lattice.tau.cols(); ++k) {
      found.coords.col(k) = flatten(at.U * lattice.tau.col(k).asDiagonal() * at.V.transpose());
      found.log_abs_det[k] = log_det_of_angles(theta, lattice.tau.col(k), unpaired);
    }
    return found;
  }

 private:
  struct Alignment {
    Matrix B;      // Y_c' Z Q: columns of length sin(theta)
    Vector sigma;  // cos(theta), decreasing
    Matrix R;
  };
  Alignment align(ConstVectorRef q) const {
    const Matrix Z = as_matrix(q, n_, p_);
    const Svd svd = jacobi_svd(Z.transpose() * Y_, SvdSize::full);
    // Y_c' Y = 0 up to rounding: taking Y off the aligned Z first keeps the rounding in proportion for near points.
    const Matrix difference = Z * svd.U - Y_ * svd.V;
    return {to_complement(difference), svd.s, svd.V};
  }

  bool is_right_angle(double sigma) const { return sigma <= 4 * static_cast<double>(p_) * epsilon; }

  // At a right angle +b and -b are equally near: take the one for which the first entry of b r' is positive.
  static bool first_entry_negative(ConstVectorRef b, ConstVectorRef r) {
    const double rounding = 1e-10 * b.norm();
    for (const double x : b)
      for (const double y : r)
        if (std::abs(x * y) > rounding) return x * y < 0;
    return false;
  }

  static Vector cosine_minus_one(ConstVectorRef theta) { return -2 * (theta / 2).array().sin().square(); }

  Matrix end_point(const PrincipalVectors& at) const {
    const Matrix moved = Y_ * at.V * cosine_minus_one(at.theta).asDiagonal() +
                         from_complement(at.U * at.theta.array().sin().matrix().asDiagonal());
    return orthonormalise(Y_ + moved * at.V.transpose());
  }

  template <class Column>
  Eigen::Map<const RowMajorMatrix> block(const Column& coords) const {
    return as_matrix(coords, n_ - p_, p_);
  }
  Matrix to_complement(ConstMatrixRef ambient) const {
    return reflectors_.transpose_times(ambient).bottomRows(n_ - p_);
  }
  Matrix from_complement(ConstMatrixRef X) const {
    Matrix ambient = Matrix::Zero(n_, X.cols());
    ambient.bottomRows(n_ - p_) = X;
    return reflectors_.times(ambient);
  }

  Index n_, p_;
  Matrix Y_;
  Vector base_;
  Qr reflectors_;
};

class Grassmann final : public Manifold, public RowLayout {
 public:
  Grassmann(Index n, Index p) : n_(n), p_(p) {}

  std::string spec() const override { return fmt::format("grassmann:{}x{}", n_, p_); }
  Index dim() const override { return (n_ - p_) * p_; }
  Index ambient_dim() const override { return n_ * p_; }
  double injectivity_radius() const override { return pi / 2; }
  double mean_ball_radius() const override { return pi / 4; }
  bool is_compact() const override { return true; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<GrassmannTangentSpace>(p, n_, p_);
  }

  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
    const double error = orthonormality_defect(as_matrix(x, n_, p_));
    if (!(error <= tolerance)) return fmt::format("columns not orthonormal: |Y'Y - I| = {:.3g}", error);
    return std::nullopt;
  }

  Vector project(ConstVectorRef x) const override {
    const PolarFactor nearest = polar_factor(as_matrix(x, n_, p_));
    if (!(nearest.sharpness > 1e-12))
      throw Error(fmt::format("the {} columns are linearly dependent and span no {}-dimensional subspace", p_, p_));
    return flatten(nearest.Q);
  }

  // The leading eigenvectors of sum_i w_i Y_i Y_i'.
  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    Matrix sum = Matrix::Zero(n_, n_);
    for (Index i = 0; i < points.cols(); ++i) {
      const auto Y = as_matrix(points.col(i), n_, p_);
      sum.noalias() += weights[i] * Y * Y.transpose();
    }
    const Spectrum spectrum = symmetric_spectrum(sum);
    const Vector& values = spectrum.values;
    if (!(values[n_ - p_] - values[n_ - p_ - 1] > 1e-6 * values[n_ - 1])) return std::nullopt;
    return flatten(spectrum.vectors.rightCols(p_).rowwise().reverse());
  }

  // x O with the orthogonal O nearest to from' to: changes of basis.
  Matrix aligned(ConstVectorRef from, ConstVectorRef to, ConstMatrixRef x) const override {
    const Matrix O = polar_factor(as_matrix(from, n_, p_).transpose() * as_matrix(to, n_, p_)).Q;
    Matrix turned(x.rows(), x.cols());
    for (Index k = 0; k < x.cols(); ++k) as_mutable_matrix(turned.col(k), n_, p_) = as_matrix(x.col(k), n_, p_) * O;
    return turned;
  }

  Vector random_point(Random& random) const override { return project(random.normals(n_ * p_)); }

  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Matrix left = random_orthogonal(random, n_), basis_change = random_orthogonal(random, p_);
    const Index n = n_, p = p_;
    return [left, basis_change, n, p](ConstVectorRef x) { return flatten(left * as_matrix(x, n, p) * basis_change); };
  }

  RowForms row_forms() const override { return {std::make_shared<RowForm>("orthonormal basis", n_ * p_)}; }

  std::vector<std::string> ambient_names() const override {
    std::vector<std::string> names;
    for (Index i = 1; i <= n_; ++i)
      for (Index j = 1; j <= p_; ++j) names.push_back(fmt::format("y{}{}{}", i, n_ < 10 ? "" : "_", j));
    return names;
  }

 private:
  Index n_, p_;
};

}  // namespace

ManifoldPtr make_grassmann(Index n, Index p) {
  if (p < 1 || p >= n)
    throw Error(fmt::format("grassmann:{}x{} does not exist: subspaces of R^n of dimension p need 1 <= p < n", n, p));
  return std::make_shared<Grassmann>(n, p);
}

}  // namespace wgp
