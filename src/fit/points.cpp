#include "fit/points.h"

#include "core/format.h"

namespace wgp {

void check_points(const Manifold& manifold, ConstMatrixRef P, Index first) {
  for (Index i = 0; i < P.cols(); ++i) {
    if (!P.col(i).allFinite()) throw Error(fmt::format("column {}: an entry is not finite", first + i + 1));
    if (const auto defect = manifold.defect(P.col(i)))
      throw Error(fmt::format("column {} is not a point of {}: {}; Manifold::project gives the nearest one",
                              first + i + 1, manifold.spec(), *defect));
  }
}

Matrix without_defects(const Manifold& manifold, ConstMatrixRef P) {
  Matrix points = P;
  for (Index i = 0; i < P.cols(); ++i) {
    const Vector nearest = manifold.project(P.col(i));
    if (!((nearest - P.col(i)).norm() <= 1e-14 * P.col(i).norm())) points.col(i) = nearest;
  }
  return points;
}

}  // namespace wgp
