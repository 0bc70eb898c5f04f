#include "evaluate/curve_crossings.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

namespace wgp {
namespace {

using Corner = Eigen::Vector3d;

Vector piece_lengths(const Manifold& manifold, ConstMatrixRef nodes, bool closed) {
  const Index n = nodes.cols();
  Vector lengths(closed ? n : n - 1);
  for (Index i = 0; i < lengths.size(); ++i) lengths[i] = distance(manifold, nodes.col(i), nodes.col((i + 1) % n));
  return lengths;
}

// Corners as vectors of space: of the plane at height 1, of the sphere as they are. Pieces are parts of planes through
// the origin, and two of them cross where the ends of each lie on different sides of the other's plane. A corner on a
// plane counts as above it, so that a crossing at a corner is counted once.
Index exact_crossings(const std::vector<Corner>& corner, bool closed) {
  const std::size_t n = corner.size(), pieces = closed ? n : n - 1;
  std::vector<Corner> normal, middle;
  std::vector<double> half;
  for (std::size_t i = 0; i < pieces; ++i) {
    const Corner &a = corner[i], &b = corner[(i + 1) % n];
    normal.push_back(a.cross(b));
    middle.push_back((a + b) / 2);
    half.push_back((a - b).norm() / 2);
  }
  Index count = 0;
  for (std::size_t i = 0; i < pieces; ++i)
    for (std::size_t j = i + 2; j < pieces; ++j) {
      if (closed && i == 0 && j == pieces - 1) continue;  // neighbours
      const double reach = half[i] + half[j];
      if ((middle[i] - middle[j]).squaredNorm() > 1.01 * reach * reach) continue;
      const bool ends_apart = (normal[i].dot(corner[j]) >= 0) != (normal[i].dot(corner[(j + 1) % n]) >= 0);
      if (ends_apart && (normal[j].dot(corner[i]) >= 0) != (normal[j].dot(corner[(i + 1) % n]) >= 0)) ++count;
    }
  return count;
}

// Connected sets of pairs of nodes that are near each other but not along the curve.
Index near_passes(const Manifold& manifold, ConstMatrixRef nodes, const Vector& lengths, bool closed, double near) {
  const double whole = lengths.sum();
  // Nodes at least a third of `near` apart are enough, and 1,500 of them.
  const double step = std::max(near / 3, whole / 1500);
  std::vector<Index> kept;
  std::vector<double> place;
  double along = 0;
  for (Index i = 0; i < nodes.cols(); ++i) {
    if (kept.empty() || along >= place.back() + step) {
      kept.push_back(i);
      place.push_back(along);
    }
    if (i < lengths.size()) along += lengths[i];
  }
  const auto m = static_cast<Index>(kept.size());
  const Matrix few = nodes(Eigen::all, kept);
  // Open: pairs i < j. The pair (i, j) is the pair (j, i), so that one half is enough.
  std::vector<char> marked(static_cast<std::size_t>(m * m), 0);
  for (Index i = 0; i < m; ++i) {
    const Vector apart = manifold.at(few.col(i))->distance(few);
    for (Index j = i + 1; j < m; ++j) {
      double between = place[static_cast<std::size_t>(j)] - place[static_cast<std::size_t>(i)];
      if (closed) between = std::min(between, whole - between);
      if (apart[j] < near && between > 3 * apart[j] && between > 0.08 * whole)
        marked[static_cast<std::size_t>(i * m + j)] = 1;
    }
  }
  Index count = 0;
  std::vector<std::pair<Index, Index>> waiting;
  for (Index start = 0; start < m * m; ++start) {
    if (!marked[static_cast<std::size_t>(start)]) continue;
    ++count;
    marked[static_cast<std::size_t>(start)] = 0;
    waiting.emplace_back(start / m, start % m);
    while (!waiting.empty()) {
      const auto [i, j] = waiting.back();
      waiting.pop_back();
      for (Index a = i - 2; a <= i + 2; ++a)
        for (Index b = j - 2; b <= j + 2; ++b) {
          Index low = a, high = b;
          if (closed) low = (a + m) % m, high = (b + m) % m;
          if (low > high) std::swap(low, high);
          if (low < 0 || high >= m || !marked[static_cast<std::size_t>(low * m + high)]) continue;
          marked[static_cast<std::size_t>(low * m + high)] = 0;
          waiting.emplace_back(low, high);
        }
    }
  }
  return count;
}

}  // namespace

double curve_length(const Manifold& manifold, ConstMatrixRef nodes, bool closed) {
  return piece_lengths(manifold, nodes, closed).sum();
}

Index count_crossings(const Manifold& manifold, ConstMatrixRef nodes, bool closed, double near) {
  const bool plane = manifold.is_flat() && manifold.dim() == 2 && manifold.ambient_dim() == 2;
  const bool sphere = manifold.unit_curvature() == 1 && manifold.dim() == 2;
  if (!plane && !sphere) return near_passes(manifold, nodes, piece_lengths(manifold, nodes, closed), closed, near);
  std::vector<Corner> corners;
  for (const auto& node : nodes.colwise())
    corners.push_back(plane ? Corner(node[0], node[1], 1) : Corner(node[0], node[1], node[2]));
  return exact_crossings(corners, closed);
}

}  // namespace wgp
