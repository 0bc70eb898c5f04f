#include "fit/salesman_tour.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "wgp/manifold.h"
#include "wgp/random.h"

namespace wgp {
namespace {

Matrix distances_of(const Matrix& points) {
  Matrix D(points.cols(), points.cols());
  for (Index i = 0; i < points.cols(); ++i) D.col(i) = (points.colwise() - points.col(i)).colwise().norm().transpose();
  return D;
}

bool visits_all_once(std::vector<Index> tour, Index count) {
  std::sort(tour.begin(), tour.end());
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return tour == all;
}

// Of all tours that begin at the first point.
double shortest(const Matrix& D) {
  std::vector<Index> order(static_cast<std::size_t>(D.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  double least = infinity;
  do least = std::min(least, tour_length(D, order));
  while (std::next_permutation(order.begin() + 1, order.end()));
  return least;
}

// At an angle each, in the order of shuffled numbers.
Matrix circle(Index N, Vector& angles) {
  Random random(4, 4);
  angles.resize(N);
  Matrix P(2, N);
  for (Index i = 0; i < N; ++i) {
    angles[i] = 2 * std::numbers::pi * random.uniform();
    P.col(i) << std::cos(angles[i]), std::sin(angles[i]);
  }
  return P;
}

TEST(Tour, IsHardlyLongerThanTheShortest) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, 5);
    const Matrix D = distances_of(random.normals(2, 8));
    const std::vector<Index> tour = short_tour(D);
    EXPECT_TRUE(visits_all_once(tour, 8));
    EXPECT_LE(tour_length(D, tour), 1.08 * shortest(D));
  }
}

TEST(Tour, GoesRoundACircle) {
  Vector angles;
  const Matrix P = circle(100, angles);
  const Matrix D = distances_of(P);
  std::vector<Index> round(100);
  std::iota(round.begin(), round.end(), Index{0});
  std::sort(round.begin(), round.end(), [&](Index a, Index b) { return angles[a] < angles[b]; });
  EXPECT_NEAR(tour_length(D, short_tour(D)), tour_length(D, round), 1e-9);
}

TEST(Tour, ManyPointsFewPointsAndEqualPoints) {
  for (Index N = 1; N <= 6; ++N) {
    Random random(7, 7);
    EXPECT_TRUE(visits_all_once(short_tour(distances_of(random.normals(3, N))), N)) << N;
    EXPECT_TRUE(visits_all_once(short_tour(Matrix::Zero(N, N)), N)) << N;
  }
  Random random(8, 8);
  const Matrix D = distances_of(random.normals(2, 500));
  const std::vector<Index> tour = short_tour(D);
  EXPECT_TRUE(visits_all_once(tour, 500));
  std::vector<Index> any(500);
  std::iota(any.begin(), any.end(), Index{0});
  EXPECT_LT(tour_length(D, tour), 0.1 * tour_length(D, any));
}

TEST(Tour, AnglesArePathLengthsRoundTheLoop) {
  Vector angles;
  const Matrix P = circle(200, angles);
  const Vector place = place_along_tour(distances_of(P), Way::closed);
  // The same up to the sense and the place where it begins.
  double worst = infinity;
  for (const double sense : {1.0, -1.0}) {
    const double begin = place[0] - sense * angles[0];
    double most = 0;
    for (Index i = 0; i < 200; ++i)
      most = std::max(most, std::abs(std::remainder(place[i] - sense * angles[i] - begin, 2 * std::numbers::pi)));
    worst = std::min(worst, most);
  }
  EXPECT_LT(worst, 0.02);
}

TEST(Tour, AnOpenWayHasEnds) {
  Random random(2, 2);
  Matrix P(3, 60);
  Vector along(60);
  for (Index i = 0; i < 60; ++i) {
    along[i] = random.uniform();
    P.col(i) << along[i], 2 * along[i], -along[i];
  }
  const Vector X = place_along_tour(distances_of(P), Way::open);
  EXPECT_NEAR(X.mean(), 0, 1e-12);
  EXPECT_NEAR(X.squaredNorm() / 60, 1, 1e-12);
  const Vector centred = along.array() - along.mean();
  EXPECT_NEAR(std::abs(X.dot(centred)) / centred.norm() / X.norm(), 1, 1e-9);
}

}  // namespace
}  // namespace wgp
