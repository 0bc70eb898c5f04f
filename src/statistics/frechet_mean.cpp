#include "core/format.h"
#include "core/random_streams.h"

#include <algorithm>
#include <cmath>

#include "statistics/mean_descent.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

constexpr Index direct_size = 2000;  // more points than this are first solved on a sample
constexpr Index sample_size = 1000;

struct Points {
  Matrix points;
  Vector weights;
};
Points take(const MeanProblem& problem, const Systematic& sample) {
  Points taken{Matrix(problem.points.rows(), static_cast<Index>(sample.index.size())), sample.weights};
  for (std::size_t i = 0; i < sample.index.size(); ++i)
    taken.points.col(static_cast<Index>(i)) = problem.points.col(sample.index[i]);
  return taken;
}

// The point of a small sample that has the smallest mean squared distance to the others.
Vector medoid(const MeanProblem& problem) {
  const Points few = take(problem, systematic_sample(problem.weights, 50));
  Index best = 0;
  double least = infinity;
  for (Index i = 0; i < few.points.cols(); ++i) {
    const Vector distances = problem.manifold.at(few.points.col(i))->distance(few.points);
    const double f = distances.cwiseAbs2().dot(few.weights);
    if (f < least) {
      least = f;
      best = i;
    }
  }
  return few.points.col(best);
}

Vector rule_or_medoid(const MeanProblem& problem) {
  if (auto start = problem.manifold.mean_start(problem.points, problem.weights)) return *start;
  return medoid(problem);
}

// Solves samples of growing size to their statistical accuracy, so that few passes over all points remain.
Vector sampled_start(const MeanProblem& problem, const MeanOptions& options, int& iterations) {
  const Index N = problem.points.cols();
  if (N <= direct_size) return rule_or_medoid(problem);
  std::optional<Vector> mu;
  for (const Index size : {sample_size, N / 10}) {
    if (size < sample_size || (mu && size < 2 * sample_size)) continue;
    const Points sample = take(problem, systematic_sample(problem.weights, size));
    const MeanProblem small(problem.manifold, sample.points, sample.weights);
    const double enough = 0.03 / std::sqrt(static_cast<double>(size));
    const MeanDescent solved = descend(small, mu ? *mu : rule_or_medoid(small), enough, options.max_iterations);
    iterations += solved.iterations;
    mu = solved.end.space->base();
  }
  return *mu;
}

// Data points each as far as possible from those before it, moved a little: a data point may be a saddle or have
// others on its cut locus.
std::vector<Vector> farthest_first(const MeanProblem& problem, const MeanPass& mean, const MeanOptions& options) {
  std::vector<Vector> starts;
  Random random(options.seed, stream::mean_restarts);
  Vector nearest = mean.space->distance(problem.points);
  const double shift = 0.01 * std::min(mean.radius, mean.space->injectivity_radius());
  for (int k = 0; k < options.restarts; ++k) {
    Index far = 0;
    if (nearest.maxCoeff(&far) == 0) {  // all taken: go round again, moved otherwise
      nearest = mean.space->distance(problem.points);
      nearest.maxCoeff(&far);
    }
    const auto space = problem.manifold.at(problem.points.col(far));
    const Vector direction = random.normals(space->dim());
    Matrix moved(problem.points.rows(), 1);
    const bool inside = space->exp(shift / direction.norm() * direction, moved).outside_domain.empty();
    starts.push_back(inside ? Vector(moved) : Vector(problem.points.col(far)));
    nearest = nearest.cwiseMin(space->distance(problem.points));
    nearest[far] = 0;
  }
  return starts;
}

// Within this share of the data's radius of a known minimum.
bool is_near(const MeanDescent& found, const std::vector<MeanDescent>& known, double share) {
  return std::any_of(known.begin(), known.end(), [&](const MeanDescent& other) {
    return found.end.space->distance(other.end.space->base())[0] <= share * other.end.radius;
  });
}

// Looks for other minima; replaces `best` by a lower one.
void search_minima(const MeanProblem& problem, const MeanOptions& options, MeanDescent& best, FrechetMean& report) {
  const bool sampled = problem.points.cols() > direct_size;
  const Points taken = sampled ? take(problem, systematic_sample(problem.weights, sample_size)) : Points{};
  const MeanProblem small = sampled ? MeanProblem(problem.manifold, taken.points, taken.weights) : problem;
  constexpr double rough = 1e-3, fine = 1e-9, near = 1e-4;
  const auto solve_on = [&](const MeanProblem& data, ConstVectorRef start, double tolerance) {
    MeanDescent found = descend(data, start, tolerance, options.max_iterations);
    report.iterations += found.iterations;
    if (&data == &problem || !sampled) report.passes += found.passes;
    return found;
  };
  std::vector<MeanDescent> minima = {best};
  // A minimum on the sample is near one of all points, but not the same: it is compared with others on the sample.
  std::vector<MeanDescent> of_sample = {sampled ? solve_on(small, best.end.space->base(), fine) : best};
  for (const Vector& start : farthest_first(small, best.end, options)) {
    // Most starts lead to a known minimum: a rough descent shows it.
    MeanDescent found = solve_on(small, start, rough);
    if (is_near(found, of_sample, 10 * rough)) continue;
    found = solve_on(small, found.end.space->base(), fine);
    if (!found.converged() || is_near(found, of_sample, near)) continue;
    of_sample.push_back(found);
    if (sampled) found = solve_on(problem, found.end.space->base(), fine);
    if (found.converged() && !is_near(found, minima, near)) minima.push_back(std::move(found));
  }
  if (sampled) {  // so far the manifold's rule has seen the sample only; it may give the global optimum
    const auto rule = problem.manifold.mean_start(problem.points, problem.weights);
    ++report.passes;
    if (rule && evaluate(problem, *rule).f < best.end.f * (1 - 1e-12)) {
      MeanDescent found = solve_on(problem, *rule, fine);
      if (found.converged() && !is_near(found, minima, near)) minima.push_back(std::move(found));
    }
  }

  std::stable_sort(minima.begin(), minima.end(),
                   [](const MeanDescent& a, const MeanDescent& b) { return a.end.f < b.end.f; });
  report.distinct_minima = static_cast<Index>(minima.size());
  // A lower minimum takes over; one that is lower by rounding only does not.
  if (minima[0].end.f < best.end.f * (1 - 1e-12)) {
    best = descend(problem, minima[0].end.space->base(), options.tolerance, options.max_iterations);
    report.iterations += best.iterations;
    report.passes += best.passes;
  }
  if (minima.size() > 1) report.minima_gap = std::max(0.0, minima[1].end.f - minima[0].end.f);
}

void fill(const MeanPass& end, FrechetMean& report) {
  report.mean = end.space->base();
  report.variance = 2 * end.f;
  report.radius = end.radius;
  report.gradient_norm = end.g_norm;
  report.cut_points = end.cut;
  report.near_cut_points = end.near_cut;
  report.failed_logs = end.failed;
}

MeanStatus judge(const FrechetMean& report, DescentEnd end) {
  if (end == DescentEnd::stalled) return MeanStatus::stalled;
  if (end == DescentEnd::max_iterations) return MeanStatus::max_iterations;
  if (report.failed_logs > 0) return MeanStatus::failed_logs;
  if (report.cut_points > 0) return MeanStatus::cut_points;
  if (report.smallest_hessian_eigenvalue < -1e-6) return MeanStatus::saddle;
  if (report.smallest_hessian_eigenvalue < 1e-6 ||
      (report.distinct_minima > 1 && report.minima_gap <= 1e-6 * report.variance / 2))
    return MeanStatus::not_unique_suspected;
  return MeanStatus::converged;
}

bool all_equal(ConstMatrixRef points) {
  for (Index i = 1; i < points.cols(); ++i)
    if (points.col(i) != points.col(0)) return false;
  return true;
}

// Of an affine log: the logs at any point, less their mean, are those at the mean.
MeanPass flat_pass(const MeanProblem& problem) {
  const auto space = problem.manifold.at(problem.points.col(0));
  Matrix V(space->dim(), problem.points.cols());
  const LogReport report = space->log(problem.points, V);
  const Vector mean = V * problem.weights;
  V.colwise() -= mean;
  MeanPass pass;
  pass.space = problem.manifold.at(exp_point(*space, mean));
  pass.g = V * problem.weights;
  pass.g_norm = pass.g.stableNorm();
  const Vector squared = V.colwise().squaredNorm();
  pass.f = squared.dot(problem.weights) / 2;
  pass.radius = std::sqrt(squared.maxCoeff());
  if (!(pass.radius > 1e-140 && pass.radius < infinity))  // squares underflow or overflow
    for (Index i = 0; i < V.cols(); ++i) pass.radius = std::max(i > 0 ? pass.radius : 0, V.col(i).stableNorm());
  pass.failed = report.count(LogStatus::not_converged) + report.count(LogStatus::outside_domain);
  return pass;
}

FrechetMean solve(const MeanProblem& problem, const MeanOptions& options) {
  const Manifold& manifold = problem.manifold;
  FrechetMean report;
  const double ball = manifold.mean_ball_radius();

  const bool one_point = all_equal(problem.points);
  const bool affine = manifold.is_flat() && ball == infinity;
  if (one_point || affine) {
    // Log is affine: one step from anywhere is the mean. Equal points: no step at all, hence no rounding.
    constexpr Index few_numbers = Index{1} << 17;  // the logs stay in a cache
    MeanPass end;
    if (!one_point && problem.points.cols() * manifold.dim() <= few_numbers) {
      end = flat_pass(problem);
    } else {
      end = evaluate(problem, problem.points.col(0));
      if (!one_point) end = evaluate(problem, exp_point(*end.space, end.g));
    }
    report.passes = one_point ? 1 : 2;
    report.iterations = one_point ? 0 : 1;
    fill(end, report);
    report.unique = affine || end.radius < ball;
    report.status = judge(report, DescentEnd::converged);
    return report;
  }

  const Vector start = sampled_start(problem, options, report.iterations);
  MeanDescent best = descend(problem, start, options.tolerance, options.max_iterations);
  report.iterations += best.iterations;
  report.passes = best.passes;
  if (manifold.is_compact() && !(best.end.radius < ball) && options.restarts > 0)
    search_minima(problem, options, best, report);
  fill(best.end, report);
  report.unique = (ball == infinity || best.end.radius < ball) && report.failed_logs == 0;
  if (!goes_by_gradient(manifold)) {
    Random random(options.seed);
    report.smallest_hessian_eigenvalue =
        hessian_spectrum(problem, *best.end.space, random.normals(manifold.dim()), 0).eigenvalues[0];
  }
  report.status = judge(report, best.ended);
  return report;
}

}  // namespace

namespace {

// x - x is 0 for finite numbers only: a sum that vectorises.
bool is_finite(ConstMatrixRef x) {
  for (Index j = 0; j < x.cols(); j += 1024)
    if (const auto block = x.middleCols(j, std::min<Index>(1024, x.cols() - j)); !((block - block).sum() == 0))
      return false;
  return true;
}

}  // namespace

std::string to_string(MeanStatus status) {
  switch (status) {
    case MeanStatus::converged:
      return "converged";
    case MeanStatus::max_iterations:
      return "max_iterations";
    case MeanStatus::stalled:
      return "stalled";
    case MeanStatus::not_unique_suspected:
      return "not_unique_suspected";
    case MeanStatus::saddle:
      return "saddle";
    case MeanStatus::cut_points:
      return "cut_points";
    case MeanStatus::failed_logs:
      return "failed_logs";
  }
  return "unknown";
}

FrechetMean frechet_mean(const Manifold& manifold, ConstMatrixRef points, const MeanOptions& options) {
  return frechet_mean(manifold, points, Vector::Ones(points.cols()), options);
}

FrechetMean frechet_mean(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef weights,
                         const MeanOptions& options) {
  const Index N = points.cols();
  if (N == 0) throw Error("the mean of no points does not exist: give at least one");
  if (points.rows() != manifold.ambient_dim())
    throw Error(fmt::format("points of {} have {} numbers, but {} were given (one point per column)", manifold.spec(),
                            manifold.ambient_dim(), points.rows()));
  if (weights.size() != N) throw Error(fmt::format("{} weights were given for {} points", weights.size(), N));
  for (Index i = 0; i < N; ++i) {
    if (!(std::isfinite(weights[i]) && weights[i] >= 0))
      throw Error(fmt::format("weight {} is {}: weights must be finite and not negative", i + 1, weights[i]));
  }
  if (!is_finite(points))
    for (Index i = 0; i < N; ++i)
      if (!points.col(i).allFinite()) throw Error(fmt::format("point {} has an entry that is not finite", i + 1));
  const double largest = weights.maxCoeff();
  if (largest == 0) throw Error("all weights are zero: at least one must be positive");

  Vector scaled = weights / largest;
  scaled /= scaled.sum();
  if ((scaled.array() > 0).all()) return solve(MeanProblem(manifold, points, scaled), options);
  // Points without weight are no data: they count neither for the radius nor for the cut locus.
  Systematic kept;
  for (Index i = 0; i < N; ++i)
    if (scaled[i] > 0) kept.index.push_back(i);
  kept.weights.resize(static_cast<Index>(kept.index.size()));
  for (std::size_t i = 0; i < kept.index.size(); ++i) kept.weights[static_cast<Index>(i)] = scaled[kept.index[i]];
  const Points data = take(MeanProblem(manifold, points, scaled), kept);
  return solve(MeanProblem(manifold, data.points, data.weights), options);
}

}  // namespace wgp
