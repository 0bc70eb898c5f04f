// Corr(n) with the off-log metric (Archakov and Hansen 2021, Thanwerdas 2022): phi = sqrt 2 times the entries of log C
// below the diagonal, row by row, is an isometry onto R^(n(n-1)/2), and does not depend on the order of the variables.
#include <cmath>
#include <numbers>

#include "geometry/correlation_common.h"
#include "geometry/factories.h"
#include "geometry/log_differential.h"
#include "geometry/spd_common.h"
#include "linalg/decompositions.h"

namespace wgp {
namespace {

constexpr double sqrt2 = std::numbers::sqrt2;

class OffLogDifferential final : public ChartDifferential {
 public:
  OffLogDifferential(ConstVectorRef p, Index n)
      : n_(n), differential_(as_matrix(p, n)), diagonal_solver_(differential_.diagonal_jacobian()) {}

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(n_ * (n_ - 1) / 2, ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i)
      coords.col(i) = sqrt2 * strict_lower(differential_.log_tangent(hollow_part(as_matrix(ambient.col(i), n_))));
    return coords;
  }

  // V = D exp[H + diag x], with x such that the diagonal of V vanishes.
  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(n_ * n_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) {
      Matrix A = symmetric_hollow(coords.col(i) / sqrt2, n_);
      A.diagonal() = -diagonal_solver_.solve(differential_.exp_tangent(A).diagonal());
      ambient.col(i) = as_column(hollow_part(differential_.exp_tangent(A)));
    }
    return ambient;
  }

  double near_radius() const override { return differential_.near_radius(); }
  bool small_difference(ConstVectorRef q, VectorRef difference) const override {
    Matrix A;
    if (!differential_.small_difference(as_matrix(q, n_), A)) return false;
    difference = sqrt2 * strict_lower(A);
    return true;
  }

 private:
  Index n_;
  LogDifferential differential_;
  Cholesky diagonal_solver_;
};

// The correlation matrix exp(H + diag x). The map x -> x - log diag exp(H + diag x) is a contraction; once the
// logarithms are below 0.1, Newton's method on diag exp(H + diag x) = 1 ends in a few steps.
bool unit_diagonal_exponential(const Matrix& H, Matrix& C) {
  // A correlation of tanh 20 is 1 to working precision: what is far beyond has no digits left to be found.
  if (!(H.cwiseAbs().maxCoeff() < 1e3)) return false;
  const Index n = H.rows();
  Vector x = Vector::Zero(n);
  double previous = infinity;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    Matrix A = H;
    A.diagonal() += x;
    const SymmetricEigen eigen = symmetric_eigen(A);
    if (!eigen.ok) return false;
    const double top = eigen.values.maxCoeff();  // taken out, so that large H do not overflow
    C = outer_square(eigen.vectors * ((eigen.values.array() - top) / 2).exp().matrix().asDiagonal());
    const Vector logs = C.diagonal().array().log() + top;
    const double residual = logs.cwiseAbs().maxCoeff();
    const bool newton = residual < 0.1;
    // A Newton step from below 1e-8 squares the residual: nothing but rounding is left.
    if (residual < 1e-15 || (residual < 1e-12 && previous < 1e-8)) {
      C = correlations(C);
      return true;
    }
    previous = residual;
    if (newton) {
      x -= Cholesky(diagonal_jacobian(eigen)).solve(logs.array().expm1().matrix());
    } else {
      x -= logs;
    }
  }
  return false;
}

class OffLogChart final : public GlobalChart {
 public:
  explicit OffLogChart(Index n) : n_(n) {}
  Index dim() const override { return n_ * (n_ - 1) / 2; }

  FailedColumns to_coords(ConstMatrixRef points, MatrixRef coords) const override {
    FailedColumns failed;
    constexpr Index block = 512;
    Matrix logs(vech_size(n_), std::min(block, points.cols()));
    for (Index first = 0; first < points.cols(); first += block) {
      const Index count = std::min(block, points.cols() - first);
      for (const Index i : spd_log(n_, points.middleCols(first, count), logs.leftCols(count)))
        failed.push_back(first + i);
      // Row i of the strict lower triangle starts at i (i - 1) / 2, of the full one at i (i + 1) / 2.
      for (Index i = 1; i < n_; ++i)
        coords.block(i * (i - 1) / 2, first, i, count) = logs.block(i * (i + 1) / 2, 0, i, count);
    }
    return failed;
  }

  FailedColumns to_points(ConstMatrixRef coords, ConstVectorRef offset, MatrixRef points) const override {
    FailedColumns failed;
    Matrix C, L;
    for (Index i = 0; i < coords.cols(); ++i) {
      const bool found = unit_diagonal_exponential(symmetric_hollow((offset + coords.col(i)) / sqrt2, n_), C);
      if (found) points.col(i) = as_column(C);
      if (found && cholesky_factor(C, L)) continue;
      failed.push_back(i);
      points.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    return failed;
  }

  std::unique_ptr<const ChartDifferential> differential(ConstVectorRef p) const override {
    return std::make_unique<OffLogDifferential>(p, n_);
  }

 private:
  Index n_;
};

class CorrelationOffLog final : public CorrelationManifold {
 public:
  explicit CorrelationOffLog(Index n) : CorrelationManifold(n, "", std::make_shared<OffLogChart>(n)) {}

  // C -> S Pi C Pi' S, signs S and a permutation Pi
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    std::vector<Index> order(static_cast<std::size_t>(size()));
    Vector signs(size());
    for (Index i = 0; i < size(); ++i) {
      const Index j = random.below(i + 1);
      order[static_cast<std::size_t>(i)] = order[static_cast<std::size_t>(j)];
      order[static_cast<std::size_t>(j)] = i;
      signs[i] = random.uniform() < 0.5 ? -1 : 1;
    }
    return [order, signs](ConstVectorRef x) {
      const Matrix C = as_matrix(x, signs.size());
      return as_column(signs.asDiagonal() * C(order, order) * signs.asDiagonal());
    };
  }
};

}  // namespace

ManifoldPtr make_correlation_off_log(Index n) { return std::make_shared<CorrelationOffLog>(n); }

}  // namespace wgp
