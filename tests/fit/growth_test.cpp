// Charts that grow, and the removal and regrowth of what fits badly.
#include "fit/growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fit/point_sets.h"
#include "fit/settings.h"
#include "fit/starts.h"

namespace wgp {
namespace {

using test::flat_problem;

// Two turns of a spiral, by increasing angle.
Matrix spiral(Index N) {
  Random random(3);
  Matrix P(2, N);
  for (Index i = 0; i < N; ++i) {
    const double s = 4 * std::acos(-1.0) * (static_cast<double>(i) + 0.5) / static_cast<double>(N);
    P.col(i) = (0.3 + 0.1 * s) * Eigen::Vector2d(std::cos(s), std::sin(s)) + 0.01 * random.normals(2);
  }
  return P;
}

// Pairs of points that are in the wrong order, as a share; the way along the curve may be either.
double disorder(const Matrix& X) {
  Index wrong = 0, pairs = 0;
  for (Index i = 0; i < X.cols(); ++i)
    for (Index j = 0; j < i; ++j, ++pairs) wrong += X(0, i) < X(0, j);
  const double share = static_cast<double>(wrong) / static_cast<double>(pairs);
  return std::min(share, 1 - share);
}

TEST(Patches, BeginWhereItIsDenseAndFarFromEachOther) {
  Random random(5);
  Matrix P(2, 60);
  P.leftCols(25) = 0.1 * random.normals(2, 25);
  P.middleCols(25, 25) = 0.1 * random.normals(2, 25);
  P.middleCols(25, 25).row(0).array() += 5;
  P.rightCols(10) = 20 * random.normals(2, 10);  // scattered
  const FitProblem problem = flat_problem(P, LatentSpace::plain(1));
  const std::vector<Index> centres = patch_centres(problem, 4);
  ASSERT_EQ(centres.size(), 4u);
  EXPECT_EQ(std::set<Index>(centres.begin(), centres.end()).size(), 4u);
  for (const Index i : centres) EXPECT_LT(i, 50);
  EXPECT_NE(centres[0] < 25, centres[1] < 25);          // the second is in the other heap
  EXPECT_EQ(patch_centres(problem, 1000).size(), 30u);  // the denser half
}

// Not from every patch; the value tells.
TEST(Growth, UnrollsASpiral) {
  const FitProblem problem = flat_problem(spiral(120), LatentSpace::plain(1));
  FitState best;
  best.value = -infinity;
  for (const Index centre : patch_centres(problem, 5)) {
    Random random(1);
    double evaluations = 0;
    const FitState grown = grow(problem, centre, random, evaluations, [](Index) { return true; });
    EXPECT_GT(evaluations, 0);
    EXPECT_LT(evaluations, 400);
    EXPECT_NEAR(grown.value, value_of(problem, grown), 1e-6 * std::abs(grown.value));
    if (grown.value > best.value) best = grown;
  }
  EXPECT_LT(disorder(best.X), 0.02);
  EXPECT_GT(disorder(pga_start(problem).X), 0.1);
}

TEST(Growth, TakesInAllPointsAndCanBeToldToEnd) {
  const FitProblem problem = flat_problem(spiral(80), LatentSpace::plain(1));
  std::vector<Index> sizes;
  Random random(1);
  double evaluations = 0;
  grow(problem, 10, random, evaluations, [&](Index points) {
    sizes.push_back(points);
    return true;
  });
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  Random again(1);
  const FitState cut = grow(problem, 10, again, evaluations, [](Index points) { return points < 40; });
  EXPECT_EQ(cut.value, -infinity);
}

TEST(Regrowth, MendsATear) {
  const FitProblem problem = flat_problem(spiral(120), LatentSpace::plain(1));
  Random random(1);
  double evaluations = 0;
  const FitState good = grow(problem, 60, random, evaluations, [](Index) { return true; });
  FitState torn = good;  // a stretch of the curve is laid over another one
  for (Index i = 50; i < 62; ++i) torn.X(0, i) = good.X(0, i - 40);
  torn.value = value_of(problem, torn);
  ASSERT_LT(torn.value, good.value - 50);
  FitState best = torn;
  for (int round = 0; round < 6; ++round) {
    const FitState trial = regrow(problem, best, round, Random(2, static_cast<std::uint64_t>(round)), evaluations);
    if (trial.value > best.value) best = trial;
  }
  EXPECT_GT(best.value, torn.value + 0.8 * (good.value - torn.value));
}

// A line through a heap of points has many optima, and most moves end at lower ones: few are followed to the end.
TEST(Regrowth, IsGivenUpWhereItLeadsNowhere) {
  Random random(7);
  const FitProblem problem = flat_problem(random.normals(2, 80), LatentSpace::plain(1));
  double unused = 0;
  FitState best = grow(problem, 40, random, unused, [](Index) { return true; });
  int lower = 0, given_up = 0;
  for (int round = 0; round < 60; ++round) {
    double evaluations = 0;
    const FitState trial = regrow(problem, best, round, Random(3, static_cast<std::uint64_t>(round)), evaluations);
    if (trial.value > best.value) best = trial;
    if (trial.value > best.value - 3) continue;
    ++lower;
    given_up += evaluations < 1.25 * settings::regrown_iterations;
  }
  ASSERT_GT(lower, 5);
  EXPECT_GT(2 * given_up, lower);
}

TEST(Regrowth, HearsThatItIsToEnd) {
  FitProblem problem = flat_problem(spiral(120), LatentSpace::plain(1));
  FitState state = pga_start(problem);
  RunControl control([](const Progress&) { return false; });
  problem.control = &control;
  control.report("moves", 0, 1, -infinity);
  double evaluations = 0;
  EXPECT_THROW(regrow(problem, state, 0, Random(2, 0), evaluations), Stopped);
}

}  // namespace
}  // namespace wgp
