#include "fit/polygon_starts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "wgp/manifold.h"

namespace wgp {
namespace {

constexpr int lloyd_rounds = 12, bridges = 20;
constexpr double half_width = 1.73;  // of a uniform distribution with variance 1

// Two stretches of a tour exchanged: what reversing and moving stretches cannot undo.
std::vector<Index> double_bridge(const std::vector<Index>& tour, Random& random) {
  const Index n = static_cast<Index>(tour.size());
  Index cut[3];
  for (Index& c : cut) c = 1 + random.below(n - 1);
  std::sort(cut, cut + 3);
  std::vector<Index> turned(tour.begin(), tour.begin() + cut[0]);
  turned.insert(turned.end(), tour.begin() + cut[1], tour.begin() + cut[2]);
  turned.insert(turned.end(), tour.begin() + cut[0], tour.begin() + cut[1]);
  turned.insert(turned.end(), tour.begin() + cut[2], tour.end());
  return turned;
}

std::vector<Index> good_tour(const Matrix& distance, Random& random) {
  std::vector<Index> best = short_tour(distance);
  if (best.size() < 8) return best;
  double least = tour_length(distance, best);
  for (int k = 0; k < bridges; ++k) {
    std::vector<Index> other = shortened(distance, double_bridge(best, random));
    const double length = tour_length(distance, other);
    if (length < least * (1 - 1e-12)) {
      least = length;
      best = std::move(other);
    }
  }
  return best;
}

}  // namespace

Matrix cluster_centres(ConstMatrixRef V, Index count, Random& random) {
  const Index N = V.cols();
  Matrix centres(V.rows(), count);
  centres.col(0) = V.col(random.below(N));
  Vector nearest = (V.colwise() - centres.col(0)).colwise().squaredNorm().transpose();
  for (Index k = 1; k < count; ++k) {
    double left = random.uniform() * nearest.sum();
    Index chosen = 0;
    while (chosen + 1 < N && (left -= nearest[chosen]) > 0) ++chosen;
    centres.col(k) = V.col(chosen);
    nearest = nearest.cwiseMin((V.colwise() - centres.col(k)).colwise().squaredNorm().transpose());
  }
  for (int round = 0; round < lloyd_rounds; ++round) {
    Matrix sums = Matrix::Zero(V.rows(), count);
    Vector members = Vector::Zero(count);
    for (Index n = 0; n < N; ++n) {
      Index own = 0;
      (centres.colwise() - V.col(n)).colwise().squaredNorm().minCoeff(&own);
      sums.col(own) += V.col(n);
      members[own] += 1;
    }
    for (Index k = 0; k < count; ++k)
      if (members[k] > 0) centres.col(k) = sums.col(k) / members[k];
  }
  return centres;
}

PolygonStart polygon_start(ConstMatrixRef V, ConstMatrixRef centres, Way way, Random& random) {
  const Index K = centres.cols(), more = way == Way::closed ? 0 : 1;
  Matrix distance = Matrix::Zero(K + more, K + more);  // an open way: one more place, at no distance from any
  for (Index i = 0; i < K; ++i)
    for (Index j = 0; j < K; ++j) distance(more + i, more + j) = (centres.col(i) - centres.col(j)).norm();
  std::vector<Index> tour = good_tour(distance, random);
  if (more == 1) {
    std::rotate(tour.begin(), std::find(tour.begin(), tour.end(), Index{0}), tour.end());
    tour.erase(tour.begin());
  }
  const Index edges = way == Way::closed ? K : K - 1;
  PolygonStart start{Vector::Zero(V.cols()), 0};
  Vector least = Vector::Constant(V.cols(), infinity);
  double length = 0;
  for (Index e = 0; e < edges; ++e) {
    const Vector from = centres.col(tour[static_cast<std::size_t>(e)] - more);
    const Vector along = centres.col(tour[static_cast<std::size_t>((e + 1) % K)] - more) - from;
    const double squared = along.squaredNorm();
    for (Index n = 0; n < V.cols(); ++n) {
      const Vector to = V.col(n) - from;
      const double share = squared > 0 ? std::clamp(to.dot(along) / squared, 0.0, 1.0) : 0;
      const double far = (to - share * along).squaredNorm();
      if (far >= least[n]) continue;
      least[n] = far;
      start.x[n] = length + share * std::sqrt(squared);
    }
    length += std::sqrt(squared);
  }
  start.residual = least.mean();
  if (!(length > 0)) return start;
  if (way == Way::closed)
    start.x *= 2 * std::numbers::pi / length;
  else
    start.x = (2 * half_width / length * start.x.array() - half_width).matrix();
  return start;
}

}  // namespace wgp
