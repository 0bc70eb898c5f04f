#include "evaluate/nearest_points.h"

#include <algorithm>
#include <cmath>

namespace wgp {
namespace {

// Columns of `among` nearest to those of `from` as plain vectors.
std::vector<Index> nearest_columns(const Matrix& from, const Matrix& among) {
  const Vector squares = among.colwise().squaredNorm() / 2;
  std::vector<Index> which;
  constexpr Index block = 64;
  Matrix score;
  for (Index begin = 0; begin < from.cols(); begin += block) {
    const auto here = from.middleCols(begin, std::min(block, from.cols() - begin));
    score.noalias() = -among.transpose() * here;
    score.colwise() += squares;
    for (Index i = 0; i < here.cols(); ++i) {
      Index best = 0;
      score.col(i).minCoeff(&best);
      which.push_back(best);
    }
  }
  return which;
}

Matrix flat_coords(const Manifold& manifold, ConstVectorRef base, ConstMatrixRef points) {
  Matrix coords(manifold.dim(), points.cols());
  manifold.at(base)->log(points, coords);
  return coords;
}

}  // namespace

Nearest nearest_points(const Manifold& manifold, ConstMatrixRef from, ConstMatrixRef among) {
  Nearest nearest;
  nearest.distance.resize(from.cols());
  // Flat coordinates are isometric. On the sphere and in SO(3) the chord grows with the distance: |R - Q|^2 = 8
  // sin^2(angle / 2).
  if (manifold.is_flat())
    nearest.which =
        nearest_columns(flat_coords(manifold, among.col(0), from), flat_coords(manifold, among.col(0), among));
  else if (manifold.unit_curvature() == 1 || manifold.spec() == "so:3")
    nearest.which = nearest_columns(from, among);
  for (Index i = 0; i < from.cols(); ++i) {
    if (nearest.which.size() > static_cast<std::size_t>(i)) {
      const Index best = nearest.which[static_cast<std::size_t>(i)];
      nearest.distance[i] = distance(manifold, from.col(i), among.col(best));
      continue;
    }
    Index best = 0;
    nearest.distance[i] = manifold.at(from.col(i))->distance(among).minCoeff(&best);
    nearest.which.push_back(best);
  }
  return nearest;
}

Vector nearest_on_surface(const Manifold& manifold, const std::function<Matrix(ConstMatrixRef)>& map,
                          ConstMatrixRef nodes, double step, ConstMatrixRef from) {
  if (!manifold.is_flat() || nodes.rows() != 2)
    throw Error("the nearest point of a surface is searched with two parameters and in flat manifolds only, not in " +
                manifold.spec());
  const Matrix images = map(nodes);
  const Vector base = images.col(0);
  const Matrix wanted = flat_coords(manifold, base, from);
  const std::vector<Index> which = nearest_columns(wanted, flat_coords(manifold, base, images));
  const Index n = from.cols();
  Matrix x = nodes(Eigen::all, which);
  Vector squared = Vector::Constant(n, infinity);
  for (int round = 0; round < 20; ++round, step *= round % 2 == 0 ? 0.5 : 1) {
    Matrix around(2, 9 * n);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < 9; ++k)
        around.col(9 * i + k) =
            x.col(i) + step * Eigen::Vector2d(static_cast<double>(k % 3 - 1), static_cast<double>(k / 3 - 1));
    const Matrix coords = flat_coords(manifold, base, map(around));
    for (Index i = 0; i < n; ++i) {
      Index best = 0;
      squared[i] = (coords.middleCols(9 * i, 9).colwise() - wanted.col(i)).colwise().squaredNorm().minCoeff(&best);
      x.col(i) = around.col(9 * i + best).eval();
    }
  }
  return squared.cwiseSqrt();
}

}  // namespace wgp
