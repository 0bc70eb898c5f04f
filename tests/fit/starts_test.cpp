// Where fits begin.
#include "fit/starts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/base_start.h"
#include "fit/point_sets.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

using test::flat_problem;

double correlation(const Vector& a, const Vector& b) {
  const Vector u = a.array() - a.mean(), v = b.array() - b.mean();
  return u.dot(v) / u.norm() / v.norm();
}

TEST(Starts, PrincipalComponentsOfUnitVariance) {
  Random random(4);
  Matrix V(4, 100);
  const Matrix truth = random.normals(2, 100);
  V.row(0) = 2 * truth.row(0);
  V.row(1) = 0.7 * truth.row(1);
  V.bottomRows(2) = 0.1 * random.normals(2, 100);
  V.colwise() -= V.rowwise().mean().eval();
  const FitState start = pga_start(flat_problem(V, LatentSpace::plain(2)));
  for (Index j = 0; j < 2; ++j) {
    EXPECT_NEAR(start.X.row(j).squaredNorm() / 100, 1, 1e-9);
    EXPECT_GT(std::abs(correlation(start.X.row(j).transpose(), V.row(j).transpose())), 0.97) << j;
  }
  // What they leave over, as a share of all.
  const double left = V.bottomRows(2).squaredNorm() / V.squaredNorm();
  EXPECT_GT(start.noise(), 0.3 * left);
  EXPECT_LT(start.noise(), 3 * left);
}

TEST(Starts, AnAngleIsTheDirectionInAPlane) {
  Random random(4);
  Matrix V(3, 80);
  Vector angles(80);
  for (Index i = 0; i < 80; ++i) {
    angles[i] = 2 * std::acos(-1.0) * random.uniform();
    V.col(i) << 1.2 * std::cos(angles[i]), 1.2 * std::sin(angles[i]), 0.01 * random.normal();
  }
  const FitState start = pga_start(flat_problem(V, LatentSpace(1, 0)));
  double best = infinity;
  for (const double sense : {1.0, -1.0}) {
    double s = 0, c = 0;
    for (Index i = 0; i < 80; ++i) {
      s += std::sin(start.X(0, i) - sense * angles[i]);
      c += std::cos(start.X(0, i) - sense * angles[i]);
    }
    best = std::min(best, 1 - std::hypot(s, c) / 80);
  }
  EXPECT_LT(best, 0.02);
}

TEST(Starts, PathLengthsUnrollASpiral) {
  Matrix P(2, 150);
  Vector along(150);
  for (Index i = 0; i < 150; ++i) {
    along[i] = 3 * std::acos(-1.0) * (static_cast<double>(i) + 0.5) / 150;
    P.col(i) = (0.5 + 0.2 * along[i]) * Eigen::Vector2d(std::cos(along[i]), std::sin(along[i]));
  }
  const Matrix X = scaled_path_lengths(euclidean_distances(P), 1);
  EXPECT_NEAR(X.squaredNorm() / 150, 1, 1e-9);
  EXPECT_GT(std::abs(correlation(X.transpose(), along)), 0.98);
}

TEST(Starts, DistancesAreThoseOfThePoints) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Random random(2);
  Matrix P(3, 9);
  for (Index i = 0; i < 9; ++i) P.col(i) = sphere->random_point(random);
  const Matrix on = geodesic_distances(*sphere, P), through = euclidean_distances(P);
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 9; ++j) {
      EXPECT_NEAR(on(i, j), distance(*sphere, P.col(i), P.col(j)), 1e-7);
      EXPECT_NEAR(through(i, j), (P.col(i) - P.col(j)).norm(), 1e-7);
    }
}

TEST(Starts, GivenAndCurvesAreTakenAsTheyAre) {
  Random random(6);
  const Matrix V = random.normals(3, 20);
  const FitProblem problem = flat_problem(V, LatentSpace::plain(2));
  const Matrix X = random.normals(2, 20);
  EXPECT_EQ(given_start(problem, X).X, X);
  const FitProblem line = flat_problem(V, LatentSpace::plain(1));
  const FitState curve = curve_start(line, X.row(0).transpose());
  EXPECT_NEAR(std::abs(correlation(curve.X.transpose(), X.row(0).transpose())), 1, 1e-12);
}

// ---- of base points
TEST(BaseStart, FollowsItsTargetsAndAvoidsTheCutLocus) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  // Nine tenths of a great circle, whose mean's cut locus is in the gap or not far from its ends.
  const Index N = 90;
  Matrix X(1, N), P(3, N);
  for (Index i = 0; i < N; ++i) {
    X(0, i) = -1.7 + 3.4 * static_cast<double>(i) / (N - 1);
    const double s = X(0, i) / 1.7 * 0.9 * std::acos(-1.0);
    P.col(i) << std::cos(s), std::sin(s), 0;
  }
  const LatentSpace latent = LatentSpace::plain(1);
  for (const Index pieces : {9, 16}) {
    const BasisPtr basis = base_functions(BasepointKind::spline, latent, X, pieces);
    const Basepoint base = base_through(sphere, frechet_mean(*sphere, P).mean, basis, latent, X, P);
    const Matrix along = base.points(X);
    for (Index i = 0; i < N; ++i) EXPECT_LT(distance(*sphere, along.col(i), P.col(i)), 0.05) << pieces << ' ' << i;
  }
}

TEST(BaseStart, FewPointsGetFewPieces) {
  EXPECT_EQ(piece_counts(LatentSpace::plain(1), 400), (std::vector<Index>{24, 16, 9}));
  for (const Index N : {8, 20, 100}) {
    const std::vector<Index> counts = piece_counts(LatentSpace::plain(1), N);
    ASSERT_FALSE(counts.empty());
    EXPECT_LE(counts.front(), std::max<Index>(4, N / 8)) << N;
  }
  EXPECT_LE(piece_counts(LatentSpace::plain(2), 400).front(), 4);
}

}  // namespace
}  // namespace wgp
