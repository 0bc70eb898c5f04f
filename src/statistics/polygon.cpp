#include "statistics/polygon.h"

#include <algorithm>
#include <cmath>

namespace wgp {

Polygon::Polygon(const Manifold& manifold, Matrix nodes, CurveOptions::Topology topology)
    : nodes_(std::move(nodes)), topology_(topology), last_(manifold.at(nodes_.col(nodes_.cols() - 1))) {
  const Index T = nodes_.cols(), count = topology == CurveOptions::Topology::closed ? T : T - 1;
  begins_.resize(count + 1);
  begins_[0] = 0;
  for (Index j = 0; j < count; ++j) {
    segments_.emplace_back(manifold, nodes_.col(j), nodes_.col((j + 1) % T));
    begins_[j + 1] = begins_[j] + segments_.back().length();
  }
}

Vector Polygon::point(double arc_length) const {
  const auto after = std::upper_bound(begins_.begin() + 1, begins_.end() - 1, arc_length);
  const Index j = after - begins_.begin() - 1;
  return segments_[static_cast<std::size_t>(j)].point(arc_length - begins_[j]);
}

CurveProjections Polygon::project(ConstMatrixRef points, double tolerance) const {
  const Index N = points.cols(), T = nodes_.cols(), block_size = 1024;
  CurveProjections result{Vector(N), Vector(N)};
  for (Index first = 0; first < N; first += block_size) {
    const auto block = points.middleCols(first, std::min(block_size, N - first));
    Matrix to_nodes(block.cols(), T);
    for (Index j = 0; j < T; ++j)
      to_nodes.col(j) = (j + 1 < T ? segments_[static_cast<std::size_t>(j)].start() : *last_).distance(block);
    for (Index i = 0; i < block.cols(); ++i) {
      const SegmentProjection found = project_one(block.col(i), to_nodes.row(i).transpose(), tolerance);
      result.arc_length[first + i] = found.arc_length;
      result.distance[first + i] = found.distance;
    }
  }
  return result;
}

// Segments in the order of a flat estimate: with a, b the distances of y to the ends and L the length, the foot of the
// flat triangle is at s = (a^2 - b^2 + L^2) / (2 L), at squared distance a^2 - s^2. A segment is skipped
//   - if (a + b - L) / 2, which the triangle inequality makes a lower bound, exceeds the best distance so far, or
//   - if the flat estimate exceeds it by more than curvature can make up for: d^2 along the segment departs from the
//     flat parabola by at most L^2 / 4 |h - 1|, h = Hess 1/2 d^2 <= 1 + 2 d for curvature >= -4.
SegmentProjection Polygon::project_one(ConstVectorRef y, ConstVectorRef to_nodes, double tolerance) const {
  struct Candidate {
    double estimate, s, lower, slack;
    Index segment;
  };
  const Index T = to_nodes.size();
  std::vector<Candidate> order;
  Index node = 0;
  double best = to_nodes.minCoeff(&node);
  double arc = begins_[node];
  for (Index j = 0; j + 1 < begins_.size(); ++j) {
    const double a = to_nodes[j], b = to_nodes[(j + 1) % T], L = segments_[static_cast<std::size_t>(j)].length();
    if (L == 0) continue;
    const double s = std::clamp((a * a - b * b + L * L) / (2 * L), 0.0, L);
    const double estimate = a * a + s * (b * b - a * a - L * L) / L + s * s;  // of d^2, from both ends
    const Candidate candidate{estimate, s, (a + b - L) / 2, L * L / 4 * (1 + 2 * std::max(a, b)), j};
    if (candidate.lower <= best && estimate <= best * best + candidate.slack) order.push_back(candidate);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& x, const auto& z) { return x.estimate < z.estimate; });
  for (const Candidate& candidate : order) {
    if (candidate.lower > best || candidate.estimate > best * best + candidate.slack) continue;
    const Segment& segment = segments_[static_cast<std::size_t>(candidate.segment)];
    const double L = segment.length();
    const SegmentProjection found = segment.project(y, candidate.s, 0, L, tolerance * L);
    if (found.distance < best) {
      best = found.distance;
      arc = begins_[candidate.segment] + found.arc_length;
    }
  }
  return {arc, best};
}

}  // namespace wgp
