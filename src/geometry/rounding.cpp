#include "geometry/rounding.h"

#include <algorithm>

#include "core/constants.h"

namespace wgp {

double rounding_length(const TangentSpace& space) {
  // A few choices of the errors' signs: any one of them may happen to be normal to the manifold.
  constexpr Index choices = 4;
  Random random(0);
  Matrix errors(space.base().size(), choices);
  for (Index k = 0; k < choices; ++k)
    for (Index i = 0; i < errors.rows(); ++i)
      errors(i, k) = (random.uniform() < 0.5 ? -epsilon : epsilon) * space.base()[i];
  const Matrix coords = space.to_coords(errors);
  double longest = 0;
  for (Index k = 0; k < choices; ++k) longest = std::max(longest, coords.col(k).stableNorm());
  return longest;
}

bool all_points_equal(const Manifold& manifold, ConstMatrixRef points) {
  const auto space = manifold.at(points.col(0));
  const double most = distinct_above * rounding_length(*space);
  // Entry by entry: squares of 1e-160 would underflow.
  constexpr Index block = 1024;
  Matrix coords(space->dim(), std::min(block, points.cols()));
  for (Index first = 0; first < points.cols(); first += block) {
    const Index count = std::min(block, points.cols() - first);
    space->log(points.middleCols(first, count), coords.leftCols(count));
    if (!(coords.leftCols(count).array().abs() <= most).all()) return false;
  }
  return true;
}

}  // namespace wgp
