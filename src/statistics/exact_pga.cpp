// Exact principal geodesic analysis: phi(U) = mean_i min_x 1/2 d(Exp(U x), p_i)^2 over the subspaces U of T_mean.
//
//   gradient in xi = U x:  g_i = -J0' E'^T Log_{Exp(xi)}(p_i),   J0 = dExp(xi)
// At the inner minimum U'g_i = 0, so that grad phi = mean_i g_i x_i' is already tangent to the Grassmannian. Inner
// problem: Gauss-Newton in q dimensions per point; outer: conjugate gradients (Polak-Ribiere), preconditioned by the
// second moment of the scores, which makes the first step of the flat case a step of orthogonal iteration.
#include <algorithm>
#include <cmath>

#include "linalg/decompositions.h"
#include "statistics/pga_common.h"

namespace wgp {
namespace {

struct Residual {
  double value = 0;  // 1/2 d^2
  Vector gradient;   // in xi
  std::unique_ptr<const JacobiFields> jacobi;
};

// 1/2 d(Exp(xi), p)^2 and its gradient. Log at the end point is carried back along the geodesic to the mean, which
// gives its coordinates in the transported frame without forming that frame.
Residual residual_at(const Manifold& manifold, const TangentSpace& base, ConstVectorRef xi, ConstVectorRef p) {
  Residual result;
  const auto end = manifold.at(exp_point(base, xi));
  const Vector gap = log_coords(*end, p);
  result.value = gap.squaredNorm() / 2;
  result.jacobi = base.jacobi(xi);
  const Vector backwards = -end->to_coords(base.transport(xi, xi));
  const Vector carried = base.to_coords(end->transport(backwards, gap));
  result.gradient = -result.jacobi->dexp_adjoint(carried);
  return result;
}

struct Fit {
  Matrix scores, gradients;  // q x N, d x N
  double value = 0;          // phi
};

class Submanifold {
 public:
  Submanifold(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef mean)
      : manifold_(manifold), points_(points), base_(manifold.at(mean)) {}

  const TangentSpace& base() const { return *base_; }

  // Projects every point on Exp(U .), starting from the given scores.
  Fit project(const Matrix& U, Matrix scores) const {
    Fit fit{std::move(scores), Matrix(U.rows(), points_.cols()), 0};
    for (Index i = 0; i < points_.cols(); ++i) {
      Vector x = fit.scores.col(i);
      const Residual residual = project_point(U, points_.col(i), x);
      fit.scores.col(i) = x;
      fit.gradients.col(i) = residual.gradient;
      fit.value += residual.value;
    }
    fit.value /= static_cast<double>(points_.cols());
    return fit;
  }

 private:
  // Levenberg-Marquardt on (J0 U)'(J0 U): the part of the Hessian that does not vanish with the residual.
  Residual project_point(const Matrix& U, ConstVectorRef p, Vector& x) const {
    Residual now = residual_at(manifold_, *base_, U * x, p);
    double damping = 0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      const Vector slope = U.transpose() * now.gradient;
      if (slope.norm() <= 1e-10 * std::sqrt(now.value) + 1e-300) break;
      const Matrix JU = now.jacobi->dexp(U);
      Matrix normal = JU.transpose() * JU;
      normal.diagonal().array() += damping + 1e-12;
      const Vector step = Cholesky(normal).solve(slope);
      Residual trial = residual_at(manifold_, *base_, U * (x - step), p);
      const double expected = slope.dot(step);
      if (trial.value <= now.value - 1e-4 * expected + 1e-15 * now.value) {
        const bool done = expected <= 1e-15 * now.value;
        x -= step;
        now = std::move(trial);
        damping = damping > 1e-3 ? damping / 4 : 0;
        if (done) break;
      } else {
        damping = std::max(0.1, 4 * damping);
        if (damping > 1e8) break;
      }
    }
    return now;
  }

  const Manifold& manifold_;
  Eigen::Ref<const Matrix> points_;
  std::unique_ptr<const TangentSpace> base_;
};

Matrix orthonormal(const Matrix& A) {
  const Qr qr(A);
  Matrix Q = qr.times(Matrix::Identity(A.rows(), A.cols()));
  const Matrix R = qr.R();
  for (Index j = 0; j < Q.cols(); ++j)  // the factor nearest to A, so that small steps are small
    if (R(j, j) < 0) Q.col(j) *= -1;
  return Q;
}

Matrix horizontal(const Matrix& U, const Matrix& A) { return A - U * (U.transpose() * A); }

}  // namespace

Pga exact_pga(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef mean, Index components,
              const ExactPgaOptions& options) {
  Pga pga = tangent_pga(manifold, points, mean, components);
  if (manifold.is_flat() && manifold.injectivity_radius() == infinity) return pga;
  const double N = static_cast<double>(points.cols());
  const Submanifold submanifold(manifold, points, mean);

  Matrix U = pga.directions;
  Fit fit = submanifold.project(U, pga.scores);
  Matrix direction, last_gradient, last_scaled;
  int calm = 0;
  pga.converged = components == manifold.dim();
  while (!pga.converged && pga.iterations < options.max_iterations) {
    ++pga.iterations;
    const Matrix gradient = horizontal(U, fit.gradients * fit.scores.transpose() / N);
    Matrix moment = fit.scores * fit.scores.transpose() / N;
    moment.diagonal().array() += 1e-12 * moment.trace() + 1e-300;
    const Matrix scaled = Cholesky(moment).solve(gradient.transpose()).transpose();
    const double power = gradient.cwiseProduct(scaled).sum();
    if (!(power > options.tolerance * options.tolerance * fit.value)) {
      pga.converged = true;
      break;
    }
    Matrix search = -scaled;
    if (direction.size() > 0) {
      const double before = last_gradient.cwiseProduct(last_scaled).sum();
      const double beta = std::max(0.0, gradient.cwiseProduct(scaled - horizontal(U, last_scaled)).sum() / before);
      search += beta * horizontal(U, direction);
      if (gradient.cwiseProduct(search).sum() > -0.1 * power) search = -scaled;
    }
    const double slope = gradient.cwiseProduct(search).sum();
    // At first as in the flat case; a parabola through the two values and the slope where that is too long or short.
    double t = 1;
    Fit trial;
    Matrix next;
    bool lower = false;
    for (int attempt = 0; attempt < 20; ++attempt) {
      next = orthonormal(U + t * search);
      // The scores that keep U x in place as far as the new subspace can.
      trial = submanifold.project(next, (next.transpose() * U) * fit.scores);
      lower = trial.value <= fit.value + 1e-4 * t * slope;
      const double bend = trial.value - fit.value - t * slope;
      const double best = bend > 0 ? -slope * t * t / (2 * bend) : 4 * t;
      if (lower) {
        if (best > 1.5 * t && attempt == 0) {
          const Matrix farther = orthonormal(U + std::min(best, 10 * t) * search);
          Fit second = submanifold.project(farther, (farther.transpose() * U) * fit.scores);
          if (second.value < trial.value) {
            trial = std::move(second);
            next = farther;
          }
        }
        break;
      }
      t = std::clamp(best, 0.1 * t, 0.5 * t);
    }
    if (!lower) {
      if (direction.size() == 0) break;
      direction.resize(0, 0);  // once more along the gradient
      continue;
    }
    direction = search;
    last_gradient = gradient;
    last_scaled = scaled;
    calm = fit.value - trial.value <= options.tolerance * fit.value ? calm + 1 : 0;
    U = std::move(next);
    fit = std::move(trial);
    pga.converged = calm >= 2;
  }

  // The subspace is found; within it, uncorrelated scores in order of their variance.
  const Svd svd = jacobi_svd(fit.scores * fit.scores.transpose() / N);
  pga.eigenvalues = svd.s;
  pga.directions = U * svd.U;
  pga.scores = svd.U.transpose() * fit.scores;
  fix_signs(pga.directions, pga.scores);
  pga.residual = 2 * fit.value;
  Matrix projections(points.rows(), points.cols());
  submanifold.base().exp(pga.directions * pga.scores, projections);
  pga.projected_variance = submanifold.base().distance(projections).squaredNorm() / N;
  return pga;
}

}  // namespace wgp
