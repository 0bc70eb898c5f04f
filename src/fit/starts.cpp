#include "fit/starts.h"
#include "core/random_streams.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "fit/settings.h"
#include "linalg/decompositions.h"
#include "linalg/leading_eigenvectors.h"

namespace wgp {
namespace {

// The leading components, as many as asked for; tiny noise-free filler where V has fewer.
struct Components {
  Matrix scores;    // count x N, unit variance
  double rest = 0;  // mean variance per coordinate that they leave
};
Components components(ConstMatrixRef V, Index count) {
  const Svd svd = divided_svd(V, SvdParts::right);
  const Vector& s = svd.s;
  const Index N = V.cols();
  Components result{Matrix::Zero(count, N), 0};
  Random random(0, stream::start_fillers);
  for (Index j = 0; j < count; ++j) {
    if (j < s.size() && s[j] > 1e-12 * s[0])
      result.scores.row(j) = std::sqrt(static_cast<double>(N)) * svd.V.col(j).transpose();
    else
      result.scores.row(j) = 0.01 * random.normals(N).transpose();
  }
  const double kept = s.head(std::min(count, s.size())).squaredNorm();
  result.rest = std::max(0.0, s.squaredNorm() - kept) / static_cast<double>(V.size());
  return result;
}

FitState state_with(const FitProblem& problem, Matrix X, double noise) {
  FitState state;
  state.X = std::move(X);
  state.theta = problem.kernel->default_parameters();
  state.u = std::log(std::clamp(noise, settings::least_start_noise, settings::most_start_noise));
  return state;
}

void average_with_transpose(Matrix& A) {
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i < j; ++i) A(i, j) = A(j, i) = (A(i, j) + A(j, i)) / 2;
}

// Signs fixed, so that the start does not depend on the library that took the singular vectors apart.
void fix_row_signs(Matrix& X) {
  for (Index j = 0; j < X.rows(); ++j) {
    Index lead = 0;
    X.row(j).cwiseAbs().maxCoeff(&lead);
    if (X(j, lead) < 0) X.row(j) *= -1;
  }
}

}  // namespace

FitState pga_start(const FitProblem& problem) {
  const Index angles = problem.latent.angles(), plain = problem.latent.plain_count();
  Components found = components(problem.V, 2 * angles + plain);
  fix_row_signs(found.scores);
  Matrix X(angles + plain, problem.N());
  for (Index j = 0; j < angles; ++j)
    for (Index i = 0; i < problem.N(); ++i) X(j, i) = std::atan2(found.scores(2 * j + 1, i), found.scores(2 * j, i));
  X.bottomRows(plain) = found.scores.bottomRows(plain);
  return state_with(problem, X, found.rest);
}

FitState curve_start(const FitProblem& problem, ConstVectorRef along) {
  FitState state = pga_start(problem);
  state.X.row(0) = along.transpose();
  return state;
}

FitState given_start(const FitProblem& problem, ConstMatrixRef X) {
  FitState state = pga_start(problem);
  state.X = X;
  return state;
}

FitState random_start(const FitProblem& problem, Random& random) {
  FitState state = pga_start(problem);
  state.X = random.normals(problem.latent.dim(), problem.N());
  state.X.topRows(problem.latent.angles()) *= 2;
  return state;
}

Matrix scaled_path_lengths(const Matrix& distance, Index q, RunControl* control) {
  const Index N = distance.cols(), k = std::min(settings::neighbours_in_graph, N - 1);
  // Neighbours either way; the minimal spanning structure keeps the graph in one piece.
  std::vector<std::vector<std::pair<Index, double>>> edges(static_cast<std::size_t>(N));
  const auto join = [&](Index a, Index b) {
    edges[static_cast<std::size_t>(a)].push_back({b, distance(a, b)});
    edges[static_cast<std::size_t>(b)].push_back({a, distance(a, b)});
  };
  std::vector<Index> order(static_cast<std::size_t>(N));
  for (Index i = 0; i < N; ++i) {
    std::iota(order.begin(), order.end(), Index{0});
    std::partial_sort(order.begin(), order.begin() + k + 1, order.end(),
                      [&](Index a, Index b) { return distance(a, i) < distance(b, i); });
    for (Index m = 0; m <= k; ++m)
      if (order[static_cast<std::size_t>(m)] != i) join(i, order[static_cast<std::size_t>(m)]);
  }
  std::vector<bool> in(static_cast<std::size_t>(N), false);
  Vector nearest = distance.col(0);
  std::vector<Index> parent(static_cast<std::size_t>(N), 0);
  in[0] = true;
  for (Index step = 1; step < N; ++step) {
    Index next = -1;
    for (Index i = 0; i < N; ++i)
      if (!in[static_cast<std::size_t>(i)] && (next < 0 || nearest[i] < nearest[next])) next = i;
    in[static_cast<std::size_t>(next)] = true;
    join(next, parent[static_cast<std::size_t>(next)]);
    for (Index i = 0; i < N; ++i)
      if (distance(i, next) < nearest[i]) {
        nearest[i] = distance(i, next);
        parent[static_cast<std::size_t>(i)] = next;
      }
  }
  Matrix squared(N, N);
  for (Index source = 0; source < N; ++source) {  // Dijkstra
    if (control) control->check();
    Vector length = Vector::Constant(N, infinity);
    using Item = std::pair<double, Index>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    queue.push({0, source});
    length[source] = 0;
    while (!queue.empty()) {
      const auto [far, i] = queue.top();
      queue.pop();
      if (far > length[i]) continue;
      for (const auto& [j, step] : edges[static_cast<std::size_t>(i)])
        if (far + step < length[j]) {
          length[j] = far + step;
          queue.push({length[j], j});
        }
    }
    squared.col(source) = length.cwiseAbs2();
  }
  average_with_transpose(squared);
  const Vector row_mean = squared.rowwise().mean();
  const double mean = row_mean.mean();
  Matrix gram = squared;
  gram.colwise() -= row_mean;
  gram.rowwise() -= row_mean.transpose();
  gram.array() += mean;
  Matrix X = std::sqrt(static_cast<double>(N)) * leading_eigenvectors(-0.5 * gram, q, control).transpose();
  fix_row_signs(X);
  return X;
}

Matrix euclidean_distances(ConstMatrixRef V, RunControl* control) {
  const Vector norms = V.colwise().squaredNorm();
  Matrix distance(V.cols(), V.cols());
  for (Index i = 0; i < V.cols(); ++i) {
    if (control) control->check();
    distance.col(i) = ((norms - 2 * V.transpose() * V.col(i)).array() + norms[i]).max(0).sqrt();
  }
  return distance;
}

Matrix geodesic_distances(const Manifold& manifold, ConstMatrixRef P, RunControl* control) {
  Matrix distance(P.cols(), P.cols());
  for (Index i = 0; i < P.cols(); ++i) {
    if (control) control->check();
    distance.col(i) = manifold.at(P.col(i))->distance(P);
  }
  average_with_transpose(distance);
  return distance;
}

FitState mds_start(const FitProblem& problem) {
  FitState state = pga_start(problem);
  const Index plain = problem.latent.plain_count();
  state.X.bottomRows(plain) = scaled_path_lengths(euclidean_distances(problem.outputs.rows, problem.control),
                                                  problem.latent.dim(), problem.control)
                                  .bottomRows(plain);
  return state;
}

}  // namespace wgp
