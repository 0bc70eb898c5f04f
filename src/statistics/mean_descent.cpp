#include "statistics/mean_descent.h"

#include <algorithm>
#include <cmath>

#include "core/constants.h"
#include "linalg/decompositions.h"

namespace wgp {
namespace {

constexpr Index dense_limit = 64;   // dimensions up to which the Hessian is formed
constexpr Index krylov_steps = 30;  // beyond
constexpr Index secant_depth = 5, depth_without_hessian = 10;

Index hessian_points(const Manifold& manifold) {
  return manifold.is_symmetric() ? 200 : 64;  // Jacobi fields without closed form are dear
}

// x -> sum_i w_i (-D Log_i) x, over the sample.
class SampledHessian {
 public:
  SampledHessian(const MeanProblem& problem, const TangentSpace& space) {
    const Systematic& sample = problem.hessian_sample;
    const Index count = static_cast<Index>(sample.index.size());
    Matrix points(problem.points.rows(), count), coords(space.dim(), count);
    for (Index i = 0; i < count; ++i) points.col(i) = problem.points.col(sample.index[static_cast<std::size_t>(i)]);
    const LogReport report = space.log(points, coords);
    for (Index i = 0; i < count; ++i) {
      const LogStatus status = report.status[static_cast<std::size_t>(i)];
      // No second derivative exists on the cut locus, and none is known where the log failed: as in flat space.
      if (status != LogStatus::ok && status != LogStatus::near_cut) {
        unknown_ += sample.weights[i];
        continue;
      }
      fields_.push_back(space.jacobi(coords.col(i)));
      weights_.push_back(sample.weights[i]);
    }
  }

  Matrix operator()(ConstMatrixRef x) const {
    Matrix result = unknown_ * x;
    for (std::size_t i = 0; i < fields_.size(); ++i) result -= weights_[i] * fields_[i]->dlog_base(x);
    return result;
  }

  Matrix matrix(Index d) const {
    Matrix result = unknown_ * Matrix::Identity(d, d);
    for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i]->add_dlog_base(-weights_[i], result);
    return result;
  }

 private:
  std::vector<std::unique_ptr<const JacobiFields>> fields_;
  std::vector<double> weights_;
  double unknown_ = 0;
};

HessianSpectrum spectrum_of(ConstMatrixRef symmetric) {
  Spectrum spectrum = symmetric_spectrum((symmetric + symmetric.transpose()) / 2);
  return {std::move(spectrum.values), std::move(spectrum.vectors)};
}

// Lanczos with full reorthogonalisation, until H^-1 direction is known to `accuracy`: the residual of that solution is
// beta_k times the last component of T^-1 e_1.
HessianSpectrum krylov_spectrum(const SampledHessian& hessian, ConstVectorRef direction, double accuracy) {
  const Index steps = std::min(krylov_steps, direction.size());
  Matrix basis = Matrix::Zero(direction.size(), steps), T = Matrix::Zero(steps, steps);
  basis.col(0) = direction / direction.norm();
  Index size = 0;
  for (Index k = 0; k < steps; ++k) {
    size = k + 1;
    Vector next = hessian(basis.col(k));
    T(k, k) = basis.col(k).dot(next);
    const double scale = next.norm();
    for (int twice = 0; twice < 2; ++twice)
      next -= basis.leftCols(size) * (basis.leftCols(size).transpose() * next).eval();
    const double beta = next.norm();
    if (size == steps || !(beta > 1e-8 * scale)) break;
    const Matrix leading = T.topLeftCorner(size, size);
    if (beta * std::abs(Lu(leading).solve(Vector::Unit(size, 0))(k, 0)) < accuracy) break;
    T(k, k + 1) = T(k + 1, k) = beta;
    basis.col(k + 1) = next / beta;
  }
  HessianSpectrum ritz = spectrum_of(T.topLeftCorner(size, size));
  ritz.vectors = basis.leftCols(size) * ritz.vectors;
  return ritz;
}

// Newton where the curvature is positive, the plain gradient step where it is not.
Vector newton_step(const HessianSpectrum& hessian, ConstMatrixRef g) {
  const Vector inverse = hessian.eigenvalues.unaryExpr([](double x) { return x > 1e-6 ? 1 / x : 1.0; });
  const Matrix inside = hessian.vectors.transpose() * g;
  // The part of g outside a Krylov space that was built on another vector: identity.
  return g + hessian.vectors * (inverse.asDiagonal() * inside - inside);
}

// Secant pairs of the last steps, in the coordinates of the current tangent space.
struct Secants {
  bool parallel;  // carried along by parallel transport
  Index depth;
  Matrix dx, dg;

  void add(const MeanPass& before, const MeanPass& after, ConstVectorRef step) {
    const Index kept = std::min(dx.cols(), depth - 1), d = step.size();
    if (kept == 0) dx = dg = Matrix(d, 0);
    Matrix old(d, 2 * kept + 2);
    if (kept > 0) {
      old.leftCols(kept) = dx.rightCols(kept);
      old.middleCols(kept, kept) = dg.rightCols(kept);
    }
    old.col(2 * kept) = step;
    old.col(2 * kept + 1) = before.g;
    // Transport by an equation is dear, and any smooth identification of near tangent spaces serves: the ambient one.
    const Matrix there = parallel ? before.space->transport(step, old) : before.space->to_ambient(old);
    const Matrix moved = after.space->to_coords(there);
    dx.resize(d, kept + 1);
    dg.resize(d, kept + 1);
    dx.leftCols(kept) = moved.leftCols(kept);
    dx.col(kept) = moved.col(2 * kept);
    dg.leftCols(kept) = moved.middleCols(kept, kept);
    dg.col(kept) = after.g - moved.col(2 * kept + 1);
  }
};

// r - (dX + dR) argmin_c |r - dR c| with r = Hess^-1 g, dR = Hess^-1 dG (Walker and Ni 2011).
Vector anderson_step(const HessianSpectrum& hessian, const Secants& secants, ConstVectorRef r) {
  if (secants.dx.cols() == 0) return r;
  Matrix dr(r.size(), secants.dx.cols());
  for (Index j = 0; j < dr.cols(); ++j) dr.col(j) = newton_step(hessian, secants.dg.col(j));
  const Vector c = least_squares(dr, r);
  return r - (secants.dx + dr) * c;
}

struct LineSearch {
  MeanPass pass;
  Vector step;
  int passes = 0;
  bool found = false;
};
LineSearch armijo(const MeanProblem& problem, const MeanPass& from, Vector step) {
  LineSearch search;
  const double length = step.norm(), limit = std::max(from.radius, from.g_norm);
  if (length > limit) step *= limit / length;  // no minimum lies farther away than the data
  // What the rounding of one term makes of f, and that of adding up N of them, which grows like a random walk.
  const double of_a_term = 8 * epsilon * from.f,
               of_the_sum = epsilon * std::sqrt(static_cast<double>(problem.points.cols())) * from.f;
  for (int halving = 0; halving <= 30; ++halving, step /= 2) {
    Matrix point(from.space->base().size(), 1);
    if (!from.space->exp(step, point).outside_domain.empty()) continue;
    MeanPass trial = evaluate(problem, point.col(0));
    ++search.passes;
    // Without an allowance for the rounding of f no step near the minimum would be accepted. Where f is lost in that of
    // its sum, the gradient tells.
    const bool lower = trial.f <= from.f - 1e-4 * from.g.dot(step) + of_a_term;
    const bool level = trial.f <= from.f + of_a_term + of_the_sum && trial.g_norm <= from.g_norm / 2;
    if (lower || level) {
      search.pass = std::move(trial);
      search.step = step;
      search.found = true;
      return search;
    }
  }
  return search;
}

// Off a saddle: along the direction of negative curvature, to whichever side is lower.
bool leave_saddle(const MeanProblem& problem, MeanDescent& state) {
  Random random(0);
  const HessianSpectrum hessian = hessian_spectrum(problem, *state.end.space, random.normals(state.end.g.size()), 0);
  if (hessian.eigenvalues[0] > -1e-6) return false;
  bool left = false;
  for (const double side : {0.1, -0.1}) {
    const Vector step = side * std::sqrt(state.end.f) * hessian.vectors.col(0);
    Matrix point(state.end.space->base().size(), 1);
    if (!state.end.space->exp(step, point).outside_domain.empty()) continue;
    MeanPass trial = evaluate(problem, point.col(0));
    ++state.passes;
    if (trial.f < state.end.f * (1 - 1e-12)) {
      state.end = std::move(trial);
      left = true;
      break;
    }
  }
  return left;
}

}  // namespace

MeanProblem::MeanProblem(const Manifold& on, ConstMatrixRef data, ConstVectorRef data_weights)
    : manifold(on),
      points(data),
      weights(data_weights),
      hessian_sample(systematic_sample(weights, hessian_points(manifold))) {}

MeanPass evaluate(const MeanProblem& problem, ConstVectorRef mu) {
  MeanPass pass;
  pass.space = problem.manifold.at(mu);
  LogSums sums = pass.space->log_sums(problem.points, problem.weights);
  pass.g = std::move(sums.weighted);
  pass.g_norm = pass.g.stableNorm();
  pass.f = sums.squares / 2;
  pass.radius = sums.longest;
  pass.cut = sums.cut_locus;
  pass.near_cut = sums.near_cut;
  pass.failed = sums.failed;
  return pass;
}

Systematic systematic_sample(ConstVectorRef weights, Index size) {
  Systematic sample;
  const Index N = weights.size();
  if (N <= size) {
    for (Index i = 0; i < N; ++i) sample.index.push_back(i);
    sample.weights = weights;
    return sample;
  }
  if ((weights.array() == weights[0]).all()) {
    for (Index k = 0; k < size; ++k) sample.index.push_back((2 * k + 1) * N / (2 * size));
    sample.weights = Vector::Constant(size, 1 / static_cast<double>(size));
    return sample;
  }
  // One index at each of the levels (k + 1/2) / size of the cumulative weight.
  std::vector<double> counts;
  double cumulative = 0;
  Index level = 0;
  for (Index i = 0; i < N && level < size; ++i) {
    cumulative += weights[i];
    double count = 0;
    for (; level < size && (static_cast<double>(level) + 0.5) < cumulative * static_cast<double>(size); ++level)
      ++count;
    if (count == 0) continue;
    sample.index.push_back(i);
    counts.push_back(count);
  }
  sample.weights = Eigen::Map<const Vector>(counts.data(), static_cast<Index>(counts.size()));
  sample.weights /= sample.weights.sum();
  return sample;
}

HessianSpectrum hessian_spectrum(const MeanProblem& problem, const TangentSpace& space, ConstVectorRef direction,
                                 double accuracy) {
  const SampledHessian hessian(problem, space);
  const Index d = space.dim();
  return d <= dense_limit ? spectrum_of(hessian.matrix(d)) : krylov_spectrum(hessian, direction, accuracy);
}

// Where every set of points has one mean, f has no saddle and the gradient finds it; Anderson acceleration makes up for
// the Hessian where that is dear: of large dimension, or without a closed form.
bool goes_by_gradient(const Manifold& manifold) {
  const bool dear = !manifold.is_symmetric() || (manifold.dim() > dense_limit && !manifold.unit_curvature());
  return dear && manifold.mean_ball_radius() == infinity;
}

MeanDescent descend(const MeanProblem& problem, ConstVectorRef start, double tolerance, int max_iterations) {
  constexpr int patience = 40;  // steps by the gradient before the Hessian is used after all
  const Manifold& manifold = problem.manifold;
  MeanDescent state;
  state.end = evaluate(problem, start);
  ++state.passes;
  const bool by_gradient = goes_by_gradient(manifold), convex = manifold.mean_ball_radius() == infinity;
  const bool accelerate = by_gradient || problem.points.cols() > hessian_points(manifold);
  const Secants none{manifold.is_symmetric(), by_gradient ? depth_without_hessian : secant_depth, {}, {}};
  Secants secants = none;
  int escapes = 0, idle = 0;
  MeanPass best = state.end;
  const auto within = [](const MeanPass& pass, double bound) {
    return pass.g_norm <= bound * std::max(1e-300, std::sqrt(pass.f));
  };
  // A step that the stored digits of the point cannot express.
  const auto unresolved = [](const MeanPass& pass) {
    return pass.space->to_ambient(pass.g).norm() <= 32 * epsilon * pass.space->base().norm();
  };

  bool stuck = false;
  while (state.iterations < max_iterations) {
    if (within(state.end, tolerance) || (by_gradient && unresolved(state.end))) {
      if (!convex && escapes++ < 3 && leave_saddle(problem, state)) {
        best = state.end;
        secants = none;
        continue;
      }
      state.ended = DescentEnd::converged;
      return state;
    }
    const bool plain = by_gradient && (state.iterations < patience || !manifold.is_symmetric());
    ++state.iterations;
    const HessianSpectrum hessian = plain ? HessianSpectrum{Vector(), Matrix(state.end.g.size(), 0)}  // the identity
                                          : hessian_spectrum(problem, *state.end.space, state.end.g, 1e-4);
    const Vector newton = newton_step(hessian, state.end.g);
    Vector step = anderson_step(hessian, secants, newton);
    if (!(step.dot(state.end.g) > 0)) step = newton;
    LineSearch search = armijo(problem, state.end, step);
    state.passes += search.passes;
    if (!search.found) {
      secants = none;
      search = armijo(problem, state.end, state.end.g);
      state.passes += search.passes;
      if (!search.found) {
        stuck = true;
        break;
      }
    }
    if (accelerate) secants.add(state.end, search.pass, search.step);
    const bool flat = std::abs(search.pass.f - state.end.f) <= 8 * epsilon * state.end.f || unresolved(state.end);
    const bool halved = search.pass.g_norm <= best.g_norm / 2;
    state.end = std::move(search.pass);
    if (!flat || state.end.g_norm < best.g_norm) best = state.end;
    // Rounding is reached when f no longer moves and the gradient no longer falls.
    idle = flat && !halved ? idle + 1 : 0;
    stuck = idle >= 3;
    if (stuck) break;
  }
  state.end = std::move(best);
  if (within(state.end, std::max(tolerance, 1e-7)) || unresolved(state.end))
    state.ended = DescentEnd::converged;
  else
    state.ended = stuck ? DescentEnd::stalled : DescentEnd::max_iterations;
  return state;
}

}  // namespace wgp
