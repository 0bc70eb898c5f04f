// SPD(n) with the log-Euclidean metric (Arsigny et al. 2006): phi = vech_sqrt2(log P) is an isometry onto R^(n(n+1)/2).
#include "geometry/factories.h"
#include "geometry/flat_chart.h"
#include "geometry/log_differential.h"
#include "geometry/spd_common.h"
#include "linalg/householder.h"

namespace wgp {
namespace {

class LogEuclideanDifferential final : public ChartDifferential {
 public:
  LogEuclideanDifferential(ConstVectorRef p, Index n) : n_(n), differential_(as_matrix(p, n)) {}

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(vech_size(n_), ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) {
      const auto V = as_matrix(ambient.col(i), n_);
      coords.col(i) = vech_sqrt2(differential_.log_tangent((V + V.transpose()) / 2));
    }
    return coords;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(n_ * n_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) {
      const Matrix V = differential_.exp_tangent(unvech_sqrt2(coords.col(i), n_));
      ambient.col(i) = as_column((V + V.transpose()) / 2);
    }
    return ambient;
  }

  double near_radius() const override { return differential_.near_radius(); }
  bool small_difference(ConstVectorRef q, VectorRef difference) const override {
    Matrix A;
    if (!differential_.small_difference(as_matrix(q, n_), A)) return false;
    difference = vech_sqrt2(A);
    return true;
  }

 private:
  Index n_;
  LogDifferential differential_;
};

class LogEuclideanChart final : public GlobalChart {
 public:
  explicit LogEuclideanChart(Index n) : n_(n) {}
  Index dim() const override { return vech_size(n_); }
  FailedColumns to_coords(ConstMatrixRef points, MatrixRef coords) const override {
    return spd_log(n_, points, coords);
  }
  FailedColumns to_points(ConstMatrixRef coords, ConstVectorRef offset, MatrixRef points) const override {
    return symmetric_exp(n_, coords, offset, points);
  }
  std::unique_ptr<const ChartDifferential> differential(ConstVectorRef p) const override {
    return std::make_unique<LogEuclideanDifferential>(p, n_);
  }

 private:
  Index n_;
};

class SpdLogEuclidean final : public SpdManifold {
 public:
  explicit SpdLogEuclidean(Index n) : SpdManifold(n, ""), chart_(std::make_shared<LogEuclideanChart>(n)) {}

  double injectivity_radius() const override { return infinity; }
  double mean_ball_radius() const override { return infinity; }
  bool is_flat() const override { return true; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return flat_tangent_space(project(p), chart_);
  }

  std::optional<double> log_volume_density(ConstVectorRef p) const override {
    return -LogDifferential(as_matrix(p, size())).log_det();
  }

  // P -> Q P^-1 Q': inversion is an isometry, and so is every orthogonal congruence.
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Matrix Q = random_orthogonal(random, size());
    return [Q](ConstVectorRef x) {
      const SymmetricEigen eigen = spd_eigen(as_matrix(x, Q.rows()));
      return as_column(outer_square(Q * eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal()));
    };
  }

 private:
  std::shared_ptr<const LogEuclideanChart> chart_;
};

}  // namespace

ManifoldPtr make_spd_log_euclidean(Index n) { return std::make_shared<SpdLogEuclidean>(n); }

}  // namespace wgp
