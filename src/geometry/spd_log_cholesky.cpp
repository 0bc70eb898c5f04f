// SPD(n) with the log-Cholesky metric (Lin 2019): with P = L L', phi = the lower triangle of L, row by row, its
// diagonal replaced by logarithms, is an isometry onto R^(n(n+1)/2). Depends on the order of the variables.
#include <cmath>
#include <numbers>

#include "geometry/cholesky_differential.h"
#include "geometry/factories.h"
#include "geometry/flat_chart.h"
#include "geometry/spd_common.h"

namespace wgp {
namespace {

Vector lower_triangle(ConstMatrixRef L) {
  const Index n = L.rows();
  Vector coords(vech_size(n));
  for (Index i = 0, e = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j, ++e) coords[e] = L(i, j);
  return coords;
}

class LogCholeskyDifferential final : public ChartDifferential {
 public:
  LogCholeskyDifferential(ConstVectorRef p, Index n) : n_(n), cholesky_(as_matrix(p, n)) {}

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(vech_size(n_), ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) {
      const auto V = as_matrix(ambient.col(i), n_);
      Matrix dL = cholesky_.factor_tangent((V + V.transpose()) / 2);
      dL.diagonal().array() /= cholesky_.factor().diagonal().array();
      coords.col(i) = lower_triangle(dL);
    }
    return coords;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(n_ * n_, coords.cols());
    for (Index k = 0; k < coords.cols(); ++k) {
      Matrix dL = Matrix::Zero(n_, n_);
      for (Index i = 0, e = 0; i < n_; ++i)
        for (Index j = 0; j <= i; ++j, ++e) dL(i, j) = coords(e, k);
      dL.diagonal().array() *= cholesky_.factor().diagonal().array();
      ambient.col(k) = as_column(cholesky_.point_tangent(dL));
    }
    return ambient;
  }

  double near_radius() const override { return cholesky_.near_radius(); }
  bool small_difference(ConstVectorRef q, VectorRef difference) const override {
    Matrix X;
    if (!cholesky_.small_difference(as_matrix(q, n_), X)) return false;
    Matrix increment = cholesky_.factor() * X;
    increment.diagonal() = X.diagonal().array().log1p();
    difference = lower_triangle(increment);
    return true;
  }

 private:
  Index n_;
  CholeskyDifferential cholesky_;
};

class LogCholeskyChart final : public GlobalChart {
 public:
  explicit LogCholeskyChart(Index n) : n_(n) {}
  Index dim() const override { return vech_size(n_); }

  FailedColumns to_coords(ConstMatrixRef points, MatrixRef coords) const override {
    FailedColumns failed;
    Matrix L;
    for (Index k = 0; k < points.cols(); ++k) {
      if (!cholesky_factor(as_matrix(points.col(k), n_), L)) {
        coords.col(k).setConstant(std::numeric_limits<double>::quiet_NaN());
        failed.push_back(k);
        continue;
      }
      L.diagonal() = L.diagonal().array().log();
      coords.col(k) = lower_triangle(L);
    }
    return failed;
  }

  FailedColumns to_points(ConstMatrixRef coords, ConstVectorRef offset, MatrixRef points) const override {
    FailedColumns failed;
    Matrix L = Matrix::Zero(n_, n_);
    for (Index k = 0; k < coords.cols(); ++k) {
      for (Index i = 0, e = 0; i < n_; ++i)
        for (Index j = 0; j <= i; ++j, ++e)
          L(i, j) = i == j ? std::exp(offset[e] + coords(e, k)) : offset[e] + coords(e, k);
      points.col(k) = as_column(outer_square(L));
      if (!points.col(k).allFinite() || !(L.diagonal().minCoeff() > 0)) failed.push_back(k);
    }
    return failed;
  }

  std::unique_ptr<const ChartDifferential> differential(ConstVectorRef p) const override {
    return std::make_unique<LogCholeskyDifferential>(p, n_);
  }

 private:
  Index n_;
};

class SpdLogCholesky final : public SpdManifold {
 public:
  explicit SpdLogCholesky(Index n) : SpdManifold(n, "/log-cholesky"), chart_(std::make_shared<LogCholeskyChart>(n)) {}

  double injectivity_radius() const override { return infinity; }
  double mean_ball_radius() const override { return infinity; }
  bool is_flat() const override { return true; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return flat_tangent_space(project(p), chart_);
  }

  // The Jacobian of L -> P is 2^n prod L_ii^(n - i + 1), that of the logarithms prod L_ii, of the sqrt 2 in vech
  // 2^(n(n-1)/4).
  std::optional<double> log_volume_density(ConstVectorRef p) const override {
    Matrix L;
    if (!cholesky_factor(as_matrix(p, size()), L)) return std::nullopt;
    const double n = static_cast<double>(size());
    double sum = (n + n * (n - 1) / 4) * std::numbers::ln2;
    for (Index i = 0; i < size(); ++i) sum += static_cast<double>(size() - i + 1) * std::log(L(i, i));
    return -sum;
  }

  // L -> S (L + B) S with signs S: a translation, and reflections below the diagonal. Congruence by S alone is P -> S P
  // S; no other congruence is an isometry.
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    Matrix B = Matrix::Zero(size(), size());
    Vector signs(size());
    for (Index i = 0; i < size(); ++i) {
      signs[i] = random.uniform() < 0.5 ? -1 : 1;
      for (Index j = 0; j <= i; ++j) B(i, j) = random.normal();
    }
    return [B, signs](ConstVectorRef x) {
      Matrix L;
      cholesky_factor(as_matrix(x, B.rows()), L);
      const Vector diagonal = L.diagonal().array() * B.diagonal().array().exp();
      L += B;
      L.diagonal() = diagonal;
      return as_column(outer_square(signs.asDiagonal() * L));
    };
  }

 private:
  std::shared_ptr<const LogCholeskyChart> chart_;
};

}  // namespace

ManifoldPtr make_spd_log_cholesky(Index n) { return std::make_shared<SpdLogCholesky>(n); }

}  // namespace wgp
