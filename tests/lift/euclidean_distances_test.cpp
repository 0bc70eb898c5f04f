// Distances in the ambient space, and baselines there, do not depend on which representatives of a quotient's points
// were given.
#include <gtest/gtest.h>

#include "lift/embedded_lift.h"
#include "linalg/polar.h"
#include "linalg/row_major.h"
#include "wgp/fit.h"

namespace wgp {
namespace {

// One rotation of the landmarks, or change of basis, for each column: other representatives of the same points.
Matrix turned(const std::string& spec, Matrix points, Random& random) {
  for (Index i = 0; i < points.cols(); ++i) {
    if (spec == "grassmann:5x2") {
      const Matrix O = polar_factor(random.normals(2, 2)).Q;
      const Matrix Y = as_matrix(points.col(i), 5, 2) * O;
      as_mutable_matrix(points.col(i), 5, 2) = Y;
    } else {
      const Index d = spec == "kendall:5" ? 2 : 3;
      const Matrix R = rotation_factor(random.normals(d, d)).Q, Z = R * points.col(i).reshaped(d, points.rows() / d);
      points.col(i) = Z.reshaped();
    }
  }
  return points;
}

class EuclideanDistances : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Quotients, EuclideanDistances, ::testing::Values("kendall:5", "kendall3d:6", "grassmann:5x2"),
                         [](const auto& instance) { return instance.param.substr(0, instance.param.find(':')); });

TEST_P(EuclideanDistances, AreThoseOfAlignedRepresentatives) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  Random random(6);
  constexpr Index count = 8;
  Matrix a(manifold->ambient_dim(), count), b = a;
  for (Index i = 0; i < count; ++i) {
    a.col(i) = manifold->project(manifold->random_point(random));
    b.col(i) = manifold->project(manifold->random_point(random));
  }
  const Vector distances = euclidean_distances(*manifold, a, b);
  const Vector again = euclidean_distances(*manifold, turned(GetParam(), a, random), turned(GetParam(), b, random));
  EXPECT_LE((distances - again).cwiseAbs().maxCoeff(), 1e-12);
  for (Index i = 0; i < count; ++i) EXPECT_LE(distances[i], (a.col(i) - b.col(i)).norm() + 1e-12);
  EXPECT_LE(euclidean_distances(*manifold, a, turned(GetParam(), a, random)).maxCoeff(), 1e-12);
}

TEST_P(EuclideanDistances, LiftsOfBaselinesAreOfAlignedRepresentatives) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  Random random(7);
  const auto centre = manifold->at(manifold->project(manifold->random_point(random)));
  Matrix points(manifold->ambient_dim(), 10);
  centre->exp(0.1 * std::min(1.0, centre->injectivity_radius()) * random.normals(manifold->dim(), 10), points);
  const LiftPtr lift = embedded_lift(manifold, embedded_base(*manifold, points), Predictions::projected, 1e-10);
  const Matrix V = lift->lift(Matrix(), points, LiftWanted::vectors).V;
  const Matrix W = lift->lift(Matrix(), turned(GetParam(), points, random), LiftWanted::vectors).V;
  EXPECT_LE((V - W).norm(), 1e-12);
}

}  // namespace
}  // namespace wgp
