// SPD(n) with the affine-invariant metric g_P(V, W) = tr(P^-1 V P^-1 W): a symmetric space of non-positive curvature.
//
// With P = L L', a tangent vector V has the whitened form A = L^-1 V L^-T and the coordinates vech_sqrt2(A);
//   Exp_P: L e^A L',   Log_P Q: A = log(L^-1 Q L^-T),   transport: B -> L e^(A/2) B e^(A/2) L'.
#include "geometry/factories.h"
#include "geometry/spd_common.h"
#include "linalg/householder.h"
#include "linalg/small_symmetric.h"

namespace wgp {
namespace {

// In the eigenbasis of A = U diag(a) U' the Jacobi operator multiplies entry (i, j) by -(a_i - a_j)^2 / 4.
class AffineInvariantJacobi final : public SymmetricJacobiFields {
 public:
  explicit AffineInvariantJacobi(ConstMatrixRef A) : n_(A.rows()), eigen_(symmetric_eigen(A)) {}

  Matrix apply(ScalarFunction g, ConstMatrixRef x) const override {
    Matrix factors(n_, n_);
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j <= i; ++j) factors(i, j) = factors(j, i) = g(lambda(i, j));
    const Matrix& U = eigen_.vectors;
    Matrix result(x.rows(), x.cols());
    for (Index k = 0; k < x.cols(); ++k) {
      const Matrix B = U.transpose() * unvech_sqrt2(x.col(k), n_) * U;
      result.col(k) = vech_sqrt2(U * factors.cwiseProduct(B) * U.transpose());
    }
    return result;
  }

  double log_det() const override {
    double sum = 0;
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < i; ++j) sum += jacobi_log_abs_S(lambda(i, j));
    return sum;
  }

  // U diag(g) U', g_i = 1/2 sum_j ch((a_i - a_j) / 2)
  Vector log_det_gradient() const override {
    Vector g = Vector::Zero(n_);
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j)
        if (i != j) g[i] += coth_minus_inverse((eigen_.values[i] - eigen_.values[j]) / 2) / 2;
    return vech_sqrt2(eigen_.vectors * g.asDiagonal() * eigen_.vectors.transpose());
  }

 private:
  double lambda(Index i, Index j) const {
    const double half = (eigen_.values[i] - eigen_.values[j]) / 2;
    return -half * half;
  }

  Index n_;
  SymmetricEigen eigen_;
};

class AffineInvariantTangentSpace final : public TangentSpace {
 public:
  AffineInvariantTangentSpace(Vector p, Index n) : n_(n), p_(std::move(p)) { cholesky_factor(as_matrix(p_, n), L_); }

  const Vector& base() const override { return p_; }
  Index dim() const override { return vech_size(n_); }
  double injectivity_radius() const override { return infinity; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    for (const Index i : whitened_log(L_, points, coords))
      report.status[static_cast<std::size_t>(i)] = LogStatus::outside_domain;
    for (Index i = 0; i < points.cols(); ++i)
      if (coords.col(i).squaredNorm() < near * near) coords.col(i) = near_log(points.col(i));
    return report;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override { return {whitened_exp(L_, coords, points)}; }

  Vector distance(ConstMatrixRef points) const override {
    Vector result(points.cols());
    whitened_log_norm(L_, points, result);
    for (Index i = 0; i < points.cols(); ++i)
      if (result[i] < near) result[i] = near_log(points.col(i)).norm();
    return result;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override { return congruence(L_, coords); }

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim(), ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) coords.col(i) = vech_sqrt2(whiten(as_matrix(ambient.col(i), n_)));
    return coords;
  }

  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    return congruence(L_ * symmetric_exp(unvech_sqrt2(v, n_) / 2), coords);
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    return std::make_unique<AffineInvariantJacobi>(unvech_sqrt2(v, n_));
  }

  // R(X, Y)Z = -[[X, Y], Z] / 4
  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    const Matrix X = unvech_sqrt2(x, n_), Y = unvech_sqrt2(y, n_), Z = unvech_sqrt2(z, n_);
    const Matrix commutator = X * Y - Y * X;
    return vech_sqrt2((Z * commutator - commutator * Z) / 4);
  }

 private:
  // Below this length log w of eigenvalues w near 1 has lost digits, and log1p of those of L^-1 (Q - P) L^-T has not.
  static constexpr double near = 1e-3;

  Vector near_log(ConstVectorRef q) const {
    const Vector change = q - p_;
    return vech_sqrt2(
        apply_function(symmetric_eigen(whiten(as_matrix(change, n_))), [](double e) { return std::log1p(e); }));
  }

  // L^-1 V L^-T of the symmetric part
  Matrix whiten(ConstMatrixRef V) const {
    const auto L = L_.triangularView<Eigen::Lower>();
    const Matrix half = L.solve((V + V.transpose()) / 2);
    const Matrix whitened = L.solve(half.transpose());
    return (whitened + whitened.transpose()) / 2;
  }

  // H B H', symmetric, for each column vech_sqrt2(B)
  Matrix congruence(ConstMatrixRef H, ConstMatrixRef coords) const {
    Matrix ambient(n_ * n_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) {
      const Matrix V = H * unvech_sqrt2(coords.col(i), n_) * H.transpose();
      ambient.col(i) = as_column((V + V.transpose()) / 2);
    }
    return ambient;
  }

  Index n_;
  Vector p_;
  Matrix L_;
};

class SpdAffineInvariant final : public SpdManifold {
 public:
  explicit SpdAffineInvariant(Index n) : SpdManifold(n, "/affine-invariant") {}

  double injectivity_radius() const override { return infinity; }
  double mean_ball_radius() const override { return infinity; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<AffineInvariantTangentSpace>(project(p), size());
  }

  // The log-Euclidean mean, which has the same determinant as the true one; a thousand points are enough for a start.
  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    const Index stride = (points.cols() + 999) / 1000, count = (points.cols() + stride - 1) / stride;
    Matrix some(points.rows(), count), logs(dim(), count);
    Vector some_weights(count);
    for (Index i = 0; i < count; ++i) {
      some.col(i) = points.col(i * stride);
      some_weights[i] = weights[i * stride];
    }
    if (!(some_weights.sum() > 0) || !spd_log(size(), some, logs).empty()) return std::nullopt;
    Matrix mean(points.rows(), 1);
    if (!symmetric_exp(size(), logs * some_weights / some_weights.sum(), Vector::Zero(dim()), mean).empty())
      return std::nullopt;
    return Vector(mean);
  }

  std::optional<double> log_volume_density(ConstVectorRef p) const override {
    Matrix L;
    if (!cholesky_factor(as_matrix(p, size()), L)) return std::nullopt;
    return -static_cast<double>(size() + 1) * L.diagonal().array().log().sum();
  }

  // P -> G P G', G invertible with singular values exp(N(0, 1/4))
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Vector values = (random.normals(size()) / 2).array().exp();
    const Matrix left = random_orthogonal(random, size()), right = random_orthogonal(random, size());
    const Matrix G = left * values.asDiagonal() * right;
    return [G](ConstVectorRef x) {
      Matrix L;
      cholesky_factor(as_matrix(x, G.rows()), L);
      return as_column(outer_square(G * L));
    };
  }
};

}  // namespace

ManifoldPtr make_spd_affine_invariant(Index n) { return std::make_shared<SpdAffineInvariant>(n); }

}  // namespace wgp
