// Riemannian principal curves (Hauberg 2016, after Hastie and Stuetzle 1989): project the points on a geodesic polygon,
// replace its nodes by local Frechet means of the points that project nearby, and narrow the window while it goes.
#include "core/constants.h"
#include "core/format.h"
#include "core/random_streams.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/polygon.h"

namespace wgp {
namespace {

using Topology = CurveOptions::Topology;
constexpr double widest = 0.25;                                  // first bandwidth, as a share of the length
constexpr double candidates[] = {0.12, 0.08, 0.05, 0.03, 0.02};  // for cross-validation
constexpr Index folds = 5;
constexpr Index thinned = 2000;  // points that cross-validation uses: to choose one of five needs no more
// Tolerances of projections while the curve still moves, where nothing but a bandwidth comes of it, and of results.
constexpr double rough = 1e-3, roughest = 3e-2, exactly = 1e-14;

Matrix columns(ConstMatrixRef points, const std::vector<Index>& index) {
  Matrix chosen(points.rows(), static_cast<Index>(index.size()));
  for (std::size_t i = 0; i < index.size(); ++i) chosen.col(static_cast<Index>(i)) = points.col(index[i]);
  return chosen;
}

// Open: the first principal geodesic, with nodes at the quantiles of the scores. Closed: a circle of the scores' mean
// radius in the plane of the first two; in one dimension the closed geodesic itself.
Polygon first_curve(const Manifold& manifold, ConstMatrixRef points, const CurveOptions& options, Index T) {
  const Vector mean = frechet_mean(manifold, points).mean;
  const bool closed = options.topology == Topology::closed;
  const Index components = std::min({closed ? Index{2} : Index{1}, manifold.dim(), points.cols()});
  const Pga pga = tangent_pga(manifold, points, mean, components);
  const auto space = manifold.at(mean);
  const double inj = space->injectivity_radius();
  Matrix scores = Matrix::Zero(components, T);
  if (closed) {
    const double radius = std::min(pga.scores.colwise().norm().mean(), 0.9 * inj);
    for (Index j = 0; j < T; ++j) {
      const double angle = 2 * pi * static_cast<double>(j) / static_cast<double>(T) - pi;
      if (components == 2)
        scores.col(j) << radius * std::cos(angle), radius * std::sin(angle);
      else
        scores(0, j) = manifold.dim() == 1 && inj < infinity ? angle / pi * inj : radius * std::cos(angle);
    }
  } else {
    Vector sorted = pga.scores.row(0).transpose();
    std::sort(sorted.begin(), sorted.end());
    for (Index j = 0; j < T; ++j) {
      const double at = static_cast<double>(j * (sorted.size() - 1)) / static_cast<double>(T - 1);
      const Index below = std::min(static_cast<Index>(at), sorted.size() - 2);
      scores(0, j) = sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
    }
  }
  Matrix nodes(points.rows(), T);
  for (const Index j : space->exp(pga.directions * scores, nodes).outside_domain) nodes.col(j) = mean;
  return Polygon(manifold, std::move(nodes), options.topology);
}

// A local average from a near start: fixed-point steps are enough, and accuracy beyond the scatter is not needed.
Vector local_mean(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef weights, Vector start) {
  auto space = manifold.at(start);
  Matrix coords(manifold.dim(), points.cols()), moved(points.rows(), 1);
  double f = infinity, step = 1;
  Vector g;
  std::unique_ptr<const TangentSpace> trial = manifold.at(start);
  for (int iteration = 0; iteration < 15; ++iteration) {
    trial->log(points, coords);
    const double value = coords.colwise().squaredNorm().dot(weights);
    if (value <= f) {
      f = value;
      g = coords * weights;
      space = std::move(trial);
      if (g.squaredNorm() <= 1e-8 * f) break;
    } else {
      step /= 2;
    }
    if (!space->exp(step * g, moved).outside_domain.empty()) break;
    trial = manifold.at(moved.col(0));
  }
  return space->base();
}

// New nodes at equal arc lengths: means under Epanechnikov weights 1 - (distance along the curve / bandwidth)^2.
Polygon smooth(const Manifold& manifold, ConstMatrixRef points, const Polygon& curve, ConstVectorRef arc,
               double share) {
  const Index N = points.cols(), T = curve.nodes().cols();
  const bool closed = curve.topology() == Topology::closed;
  const double L = curve.length();
  Matrix nodes(points.rows(), T);
  for (Index j = 0; j < T; ++j) {
    const double t = L * static_cast<double>(j) / static_cast<double>(closed ? T : T - 1);
    Vector along = (arc.array() - t).abs();
    if (closed) along = along.cwiseMin((L - along.array()).matrix());
    double bandwidth = share * L;
    if ((along.array() < bandwidth).count() < 2) {
      Vector sorted = along;
      const Index fifth = std::min(Index{5}, N) - 1;
      std::nth_element(sorted.begin(), sorted.begin() + fifth, sorted.end());
      bandwidth = std::max(bandwidth, sorted[fifth] * (1 + 1e-6));
    }
    std::vector<Index> window;
    std::vector<double> weights;
    for (Index i = 0; i < N; ++i) {
      if (!(along[i] < bandwidth)) continue;
      const double x = along[i] / bandwidth;
      window.push_back(i);
      weights.push_back(1 - x * x);
    }
    const Vector start = curve.point(t);
    if (window.empty()) {
      nodes.col(j) = start;
      continue;
    }
    Vector w = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
    w /= w.sum();
    nodes.col(j) = local_mean(manifold, columns(points, window), w, start);
  }
  return Polygon(manifold, std::move(nodes), curve.topology());
}

// One round of the algorithm.
struct State {
  Polygon curve;
  CurveProjections projections;
};
void advance(const Manifold& manifold, ConstMatrixRef points, State& state, double share, double tolerance) {
  state.curve = smooth(manifold, points, state.curve, state.projections.arc_length, share);
  state.projections = state.curve.project(points, tolerance);
}
State begin(const Manifold& manifold, ConstMatrixRef points, const CurveOptions& options, Index T) {
  Polygon curve = first_curve(manifold, points, options, T);
  CurveProjections projections = curve.project(points, rough);
  return {std::move(curve), std::move(projections)};
}

Index node_count(const CurveOptions& options, Index N) {
  const Index least = options.topology == Topology::closed ? 3 : 2;
  return std::max(least, options.nodes > 0 ? options.nodes : std::min(Index{100}, N));
}

// The bandwidth with the least held-out squared distance. One curve per fold is narrowed through all candidates.
double cross_validate(const Manifold& manifold, ConstMatrixRef all, const CurveOptions& options) {
  const Index N = std::min(all.cols(), thinned);
  if (N < 2 * folds) return candidates[0];
  std::vector<Index> order(static_cast<std::size_t>(N));
  for (Index i = 0; i < N; ++i) order[static_cast<std::size_t>(i)] = i * all.cols() / N;
  Random random(options.seed, stream::curve_starts);
  for (Index i = N - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);

  double losses[std::size(candidates)] = {};
  for (Index fold = 0; fold < folds; ++fold) {
    std::vector<Index> kept, held;
    for (Index i = 0; i < N; ++i) (i % folds == fold ? held : kept).push_back(order[static_cast<std::size_t>(i)]);
    const Matrix training = columns(all, kept), test = columns(all, held);
    State state = begin(manifold, training, options, node_count(options, training.cols()));
    double share = widest;
    for (std::size_t k = 0; k < std::size(candidates); ++k) {
      for (; share > candidates[k]; share *= 0.8) advance(manifold, training, state, share, roughest);
      double before = infinity;
      for (int round = 0; round < 4; ++round) {
        advance(manifold, training, state, candidates[k], roughest);
        const double now = state.projections.mean_squared_distance();
        if (std::abs(before - now) <= 1e-2 * now) break;
        before = now;
      }
      losses[k] += state.curve.project(test, roughest).distance.squaredNorm();
    }
  }
  return candidates[std::min_element(std::begin(losses), std::end(losses)) - std::begin(losses)];
}

Vector latents_of(ConstVectorRef arc, double length, const CurveOptions& options) {
  const Index N = arc.size();
  Vector latents = Vector::Zero(N);
  if (options.topology == Topology::closed) {
    if (length > 0) latents = (2 * pi / length * arc).array() - pi;
  } else {
    const Vector centred = arc.array() - arc.mean();
    const double sd = std::sqrt(centred.squaredNorm() / static_cast<double>(N));
    if (sd > 0) latents = centred / sd;
  }
  // Equal inputs with different outputs would make a noise-free model singular.
  Vector sorted = latents;
  std::sort(sorted.begin(), sorted.end());
  Random random(options.seed, stream::curve_noise);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) latents += 1e-6 * random.normals(N);
  return latents;
}

}  // namespace

PrincipalCurve principal_curve(const Manifold& manifold, ConstMatrixRef points, const CurveOptions& options) {
  const Index N = points.cols();
  if (N < 2) throw Error(fmt::format("a principal curve needs at least 2 points; {} given", N));
  if (points.rows() != manifold.ambient_dim())
    throw Error(fmt::format("points of {} have {} numbers, but {} were given (one point per column)", manifold.spec(),
                            manifold.ambient_dim(), points.rows()));
  if (!(options.bandwidth >= 0 && options.bandwidth <= 1))
    throw Error(fmt::format("bandwidth {} is not a share of the length: give 0 (automatic) to 1", options.bandwidth));

  PrincipalCurve result;
  result.topology = options.topology;
  result.bandwidth = options.bandwidth > 0 ? options.bandwidth : cross_validate(manifold, points, options);
  State state = begin(manifold, points, options, node_count(options, N));
  double share = std::max(widest, result.bandwidth), before = infinity;
  while (result.iterations < options.max_iterations && state.curve.length() > 0) {
    ++result.iterations;
    advance(manifold, points, state, share, rough);
    const double now = state.projections.mean_squared_distance();
    result.converged = share == result.bandwidth && std::abs(before - now) <= 1e-4 * now;
    if (result.converged) break;
    before = now;
    share = std::max(result.bandwidth, 0.8 * share);
  }
  const CurveProjections exact = state.curve.project(points, exactly);
  result.nodes = state.curve.nodes();
  result.length = state.curve.length();
  result.converged = result.converged || result.length == 0;
  result.arc_length = exact.arc_length.cwiseMin(result.length);
  result.distances = exact.distance;
  result.mean_squared_distance = exact.mean_squared_distance();
  result.latents = latents_of(result.arc_length, result.length, options);
  return result;
}

CurveProjections project_on_curve(const Manifold& manifold, ConstMatrixRef nodes, CurveOptions::Topology topology,
                                  ConstMatrixRef points) {
  const Polygon curve(manifold, nodes, topology);
  CurveProjections found = curve.project(points, exactly);
  found.arc_length = found.arc_length.cwiseMin(curve.length());
  return found;
}

Matrix points_on_curve(const Manifold& manifold, ConstMatrixRef nodes, CurveOptions::Topology topology,
                       ConstVectorRef arc_lengths) {
  const Polygon curve(manifold, nodes, topology);
  const bool closed = topology == CurveOptions::Topology::closed && curve.length() > 0;
  Matrix points(nodes.rows(), arc_lengths.size());
  for (Index i = 0; i < arc_lengths.size(); ++i) {
    const double s = closed ? arc_lengths[i] - curve.length() * std::floor(arc_lengths[i] / curve.length())
                            : std::clamp(arc_lengths[i], 0.0, curve.length());
    points.col(i) = curve.point(s);
  }
  return points;
}

}  // namespace wgp
