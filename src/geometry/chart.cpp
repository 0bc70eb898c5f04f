#include "wgp/chart.h"
#include "linalg/decompositions.h"

#include <algorithm>
#include <cmath>

#include "core/format.h"

#include "geometry/central_difference.h"
#include "geometry/chart_flow.h"
#include "geometry/chart_path.h"
#include "geometry/deferred_jacobi.h"

namespace wgp {
namespace {

double log_abs_det(const Matrix& M) { return Lu(M).log_abs_determinant(); }

struct Shot {
  Vector v;
  double residual = infinity;  // |Exp(v) - y| / |y - x|
  int iterations = 0;
};

class ChartTangentSpace final : public TangentSpace {
 public:
  ChartTangentSpace(ConstVectorRef x, std::shared_ptr<const ChartFlowSolver> solver)
      : x_(x), solver_(std::move(solver)) {
    const Cholesky factor(solver_->metric()(x_, JetOrder::first).G);
    if (!factor.ok()) throw Error("the metric tensor is not positive definite at the base point");
    L_ = factor.L();
  }

  const Vector& base() const override { return x_; }
  Index dim() const override { return x_.size(); }
  double injectivity_radius() const override { return solver_->options().injectivity_radius; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      if (!solver_->in_domain(points.col(i))) {
        report.status[static_cast<std::size_t>(i)] = LogStatus::outside_domain;
        coords.col(i).setConstant(std::nan(""));
        continue;
      }
      const Shot shot = shoot(points.col(i) - x_);
      coords.col(i) = to_coords(shot.v);
      if (injectivity_radius() > 0)
        report.set_margin(i, injectivity_radius() - coords.col(i).norm(), injectivity_radius());
      if (!converged(shot)) report.status[static_cast<std::size_t>(i)] = LogStatus::not_converged;
      report.iterations = std::max(report.iterations, shot.iterations);
      report.residual = std::max(report.residual, shot.residual);
    }
    return report;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    ExpReport report;
    const Matrix ambient = to_ambient(coords);
    for (Index i = 0; i < coords.cols(); ++i) {
      const ChartFlow end = flow(ambient.col(i), FlowDerivative::none);
      if (!end.arrived) report.outside_domain.push_back(i);
      points.col(i) = x_ + end.displacement;
    }
    return report;
  }

  // The frame is E = L^-T with G = L L'.
  Matrix to_ambient(ConstMatrixRef coords) const override {
    return L_.transpose().triangularView<Eigen::Upper>().solve(coords);
  }
  Matrix to_coords(ConstMatrixRef ambient) const override { return L_.transpose() * ambient; }

  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    ChartFlow end = solver_->flow(x_, to_ambient(v), to_ambient(coords), FlowDerivative::none);
    if (!end.arrived) end.vectors.setConstant(std::nan(""));
    return end.vectors;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    const auto matrices = [space = *this, v = Vector(v)] { return space.jacobi_matrices(v); };
    const auto log_det = [space = *this, v = Vector(v)] { return space.log_det(v); };
    const auto gradient = [space = *this, v = Vector(v)] {
      return central_gradient([&](const Vector& x) { return space.log_det(x); }, v, 1e-2);
    };
    return deferred_jacobi_fields(matrices, log_det, gradient);
  }

 private:
  ChartFlow flow(ConstVectorRef v, FlowDerivative derivative) const {
    return solver_->flow(x_, v, Matrix(dim(), 0), derivative);
  }

  // With B = d Exp / dv, A = d Exp / dx in the chart: J0 = E'^-1 B E; moving x along w while v stays parallel changes v
  // by -Gamma(w, v), hence J1 = E'^-1 (A - B Gamma(., v)) E.
  JacobiMatrices jacobi_matrices(ConstVectorRef v) const {
    const Matrix E = to_ambient(Matrix::Identity(dim(), dim()));
    const Vector chart_v = E * v;
    const ChartFlow end = solver_->flow(x_, chart_v, E, FlowDerivative::variational);
    if (!end.arrived) {
      const Matrix unknown = Matrix::Constant(dim(), dim(), std::nan(""));
      return {unknown, unknown};
    }
    const Lu end_frame(end.vectors);
    return {end_frame.solve(end.by_v * E),
            end_frame.solve((end.by_base - end.by_v * solver_->christoffel(x_, chart_v)) * E)};
  }

  // log|det B| + (log|G(y)| - log|G(x)|) / 2
  double log_det(ConstVectorRef v) const {
    const ChartFlow end = flow(to_ambient(v), FlowDerivative::variational);
    if (!end.arrived) return std::nan("");
    const Matrix G = solver_->metric()(x_ + end.displacement, JetOrder::first).G;
    return log_abs_det(end.by_v) + log_abs_det(G) / 2 - L_.diagonal().array().log().sum();
  }

  bool converged(const Shot& shot) const { return shot.residual < 1e3 * solver_->options().relative_tolerance; }

  // Three times the length of the straight line, by the midpoint rule: no longer geodesic is of interest, and following
  // one would be costly. Infinite if the line leaves the domain.
  double search_radius(ConstVectorRef target) const {
    constexpr int pieces = 16;
    double length = 0;
    for (int i = 0; i < pieces; ++i) {
      const Vector point = x_ + (i + 0.5) / pieces * target;
      if (!solver_->in_domain(point)) return infinity;
      length += std::sqrt(target.dot(solver_->metric()(point, JetOrder::first).G * target)) / pieces;
    }
    return 3 * length;
  }

  // Damped Newton: v <- v + step B^-1 (y - Exp(v)).
  Shot newton(ConstVectorRef v, ConstVectorRef target) const {
    const ChartOptions& options = solver_->options();
    const double size = target.norm(), radius = search_radius(target);
    Shot shot;
    shot.v = v;
    ChartFlow end = flow(v, FlowDerivative::variational);
    // A start that leaves the domain is pulled back along its ray.
    for (int halving = 0; halving < 20 && !end.arrived; ++halving) {
      shot.v /= 2;
      end = flow(shot.v, FlowDerivative::variational);
    }
    if (!end.arrived) return shot;
    shot.residual = (target - end.displacement).norm() / size;
    while (shot.iterations < options.max_newton_steps && shot.residual > 1e-15) {
      ++shot.iterations;
      const Vector step = Lu(end.by_v).solve(target - end.displacement);
      bool improved = false;
      for (double length = 1; length > 1e-3 && !improved; length /= 2) {
        const Vector tried = shot.v + length * step;
        if (to_coords(tried).norm() > radius) continue;
        ChartFlow other = flow(tried, FlowDerivative::variational);
        const double residual = other.arrived ? (target - other.displacement).norm() / size : infinity;
        if (!(residual < (1 - 0.1 * length) * shot.residual)) {
          if (converged(shot)) return shot;  // at rounding level nothing improves
          continue;
        }
        shot.v = tried;
        shot.residual = residual;
        end = std::move(other);
        improved = true;
      }
      if (!improved) return shot;
    }
    return shot;
  }

  // Targets that move from x to y, each solution the start of the next.
  Shot continuation(ConstVectorRef target) const {
    Shot shot;
    shot.v = Vector::Zero(dim());
    int iterations = 0;
    double reached = 0, stride = 0.25;
    while (reached < 1 && stride > 1e-3) {
      const double next = std::min(1.0, reached + stride);
      const Vector start = reached > 0 ? Vector(shot.v * (next / reached)) : Vector(next * target);
      const Shot tried = newton(start, next * target);
      iterations += tried.iterations;
      if (converged(tried)) {
        shot = tried;
        reached = next;
        stride *= 1.5;
      } else {
        stride /= 2;
      }
    }
    shot.iterations = iterations;
    if (reached < 1) shot.residual = (target - flow(shot.v, FlowDerivative::none).displacement).norm() / target.norm();
    return shot;
  }

  // target = y - x. The straight line first; unless it nearly is the geodesic, or is known to be the shortest, also
  // paths that start bent to either side, which find their way around obstacles; continuation if nothing else
  // converged. The shortest one wins.
  Shot shoot(ConstVectorRef target) const {
    Shot best;
    best.v = Vector::Zero(dim());
    best.residual = 0;
    if (target.isZero(0)) return best;
    best = newton(target, target);
    int iterations = best.iterations;
    const auto consider = [&](const Shot& other) {
      iterations += other.iterations;
      const bool shorter = to_coords(other.v).norm() < to_coords(best.v).norm();
      if (converged(best) ? converged(other) && shorter : other.residual < best.residual) best = other;
    };
    const bool certain = to_coords(best.v).norm() < injectivity_radius();
    if (!converged(best) || (!certain && (best.v - target).norm() > 0.05 * target.norm())) {
      const auto inside = [this](ConstVectorRef point) { return solver_->in_domain(point); };
      for (const Vector& bend : bends(target)) {
        const Vector start = relaxed_start(solver_->metric(), inside, x_, x_ + target, bend);
        if (start.size() > 0) consider(newton(start, target));
      }
      if (!converged(best)) consider(continuation(target));
    }
    best.iterations = iterations;
    return best;
  }

  // None, and half the distance to either side along up to three axes across.
  std::vector<Vector> bends(ConstVectorRef target) const {
    std::vector<Vector> list = {Vector::Zero(dim())};
    const Qr qr(target);
    for (Index axis = 1; axis < std::min<Index>(dim(), 4); ++axis) {
      const Vector across = qr.times(Vector::Unit(dim(), axis)) * (target.norm() / 2);
      list.push_back(across);
      list.push_back(-across);
    }
    return list;
  }

  Vector x_;
  std::shared_ptr<const ChartFlowSolver> solver_;
  Matrix L_;
};

class ChartManifold final : public Manifold {
 public:
  ChartManifold(Index dim, MetricFunction metric, const ChartOptions& options)
      : dim_(dim), solver_(std::make_shared<const ChartFlowSolver>(std::move(metric), options)) {}

  std::string spec() const override { return fmt::format("chart:{}", dim_); }
  Index dim() const override { return dim_; }
  Index ambient_dim() const override { return dim_; }
  double injectivity_radius() const override { return solver_->options().injectivity_radius; }
  double mean_ball_radius() const override { return 0; }  // the curvature of an arbitrary metric is not known
  bool is_symmetric() const override { return false; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    if (!solver_->in_domain(p)) throw Error("the base point is outside the chart's domain");
    return std::make_unique<ChartTangentSpace>(p, solver_);
  }

  using Manifold::defect;
  std::optional<std::string> defect(ConstVectorRef x, double) const override {
    if (!x.allFinite()) return "a coordinate is not a finite number";
    if (!solver_->in_domain(x)) return "outside the chart's domain";
    return std::nullopt;
  }

  Vector project(ConstVectorRef x) const override {
    if (const auto reason = defect(x, default_tolerance())) throw Error(*reason);
    return x;
  }

  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    const Vector mean = points * weights;
    if (!solver_->in_domain(mean)) return std::nullopt;
    return mean;
  }

  // Normal about the origin, pulled towards it until inside the domain.
  Vector random_point(Random& random) const override {
    Vector x = random.normals(dim_);
    for (int halving = 0; halving < 60 && !solver_->in_domain(x); ++halving) x /= 2;
    return x;
  }

 private:
  Index dim_;
  std::shared_ptr<const ChartFlowSolver> solver_;
};

}  // namespace

ManifoldPtr chart_manifold(Index dim, MetricFunction metric, const ChartOptions& options) {
  if (dim < 1) throw Error(fmt::format("a chart has at least one dimension, not {}", dim));
  if (!metric) throw Error("chart_manifold needs a metric function");
  if (!(options.relative_tolerance > 0 && options.relative_tolerance < 1e-2))
    throw Error(fmt::format("relative_tolerance must lie between 0 and 0.01, not {}", options.relative_tolerance));
  return std::make_shared<ChartManifold>(dim, std::move(metric), options);
}

}  // namespace wgp
