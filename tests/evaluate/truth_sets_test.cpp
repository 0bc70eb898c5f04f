#include "evaluate/truth_sets.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "evaluate/curve_crossings.h"
#include "evaluate/nearest_points.h"

namespace wgp {
namespace {

TEST(TruthSets, PointsAreOnTheirManifoldAndScatterAsTheNoiseSays) {
  for (const TruthSource& source : truth_sources()) {
    const TruthSet set = source.make(3);
    const TruthPoints drawn = draw_truth(set, 3, TruthPart::test, 1000);
    const double d = static_cast<double>(set.manifold->dim());
    double squares = 0;
    for (Index i = 0; i < 1000; ++i) {
      ASSERT_FALSE(set.manifold->defect(drawn.points.col(i), 1e-9).has_value()) << source.name;
      ASSERT_FALSE(set.manifold->defect(drawn.truth.col(i), 1e-9).has_value()) << source.name;
      squares += std::pow(distance(*set.manifold, drawn.points.col(i), drawn.truth.col(i)) / set.noise, 2);
    }
    // chi^2 with 1000 d degrees of freedom, to five standard deviations.
    EXPECT_NEAR(squares / (1000 * d), 1, 5 * std::sqrt(2 / (1000 * d))) << source.name;
  }
}

// Of the d noise directions the one along a curve does not show in the distance to it.
TEST(TruthSets, DistancesToTheCurveLackOneDirection) {
  for (const std::string name : {"circle", "turn", "trefoil", "circle20"}) {
    const TruthSet set = find_truth_source(name)->make(1);
    const TruthPoints drawn = draw_truth(set, 1, TruthPart::test, 2000);
    const Nearest nearest = nearest_points(*set.manifold, drawn.points, set.at(curve_parameters(set, 3000)));
    const double d = static_cast<double>(set.manifold->dim());
    const double found = nearest.distance.squaredNorm() / (set.noise * set.noise * 2000);
    // Bent curves are nearer by a term of the order of noise over radius.
    EXPECT_NEAR(found / (d - 1), 1, 0.1) << name;
  }
}

TEST(TruthSets, CurvesAreClosedOrOpenAndCrossAsTheyShould) {
  for (const TruthSource& source : truth_sources()) {
    const TruthSet set = source.make(2);
    if (!set.is_curve()) continue;
    const Matrix ends = set.at(Eigen::RowVector2d(set.first, set.last));
    const double apart = distance(*set.manifold, ends.col(0), ends.col(1));
    if (set.is_closed())
      EXPECT_LT(apart, 1e-9) << source.name;
    else
      EXPECT_GT(apart, 5 * set.noise) << source.name;
    const Matrix nodes = set.at(curve_parameters(set, 3000));
    EXPECT_EQ(count_crossings(*set.manifold, nodes, set.is_closed(), set.noise), source.name == "eight" ? 1 : 0)
        << source.name;
  }
}

TEST(TruthSets, HardCurvesAreAsNarrowAsTheySay) {
  const auto narrowest = [](const TruthSet& set) {  // between parts that are far apart along the curve
    const Matrix nodes = set.at(curve_parameters(set, 1500));
    const Index n = nodes.cols();
    double least = infinity;
    for (Index i = 0; i < n; ++i) {
      const Vector apart = set.manifold->at(nodes.col(i))->distance(nodes);
      for (Index j = 0; j < n; ++j) {
        const Index along = set.is_closed() ? std::min(std::abs(i - j), n - std::abs(i - j)) : std::abs(i - j);
        if (along > n / 6) least = std::min(least, apart[j]);
      }
    }
    return least / set.noise;
  };
  EXPECT_NEAR(narrowest(truth_peanut(0)), 4, 0.02);
  EXPECT_NEAR(narrowest(truth_horseshoe(0)), 4, 0.02);
  EXPECT_NEAR(narrowest(truth_trefoil(0)), 10, 0.02);
  EXPECT_NEAR(narrowest(truth_trefoil_thick(0)), 5, 0.02);
  EXPECT_NEAR(narrowest(truth_spiral(0)), 5, 0.1);  // measured across, along the normal, a little less
  EXPECT_NEAR(
      curve_length(*truth_circle(0).manifold, truth_circle(0).at(curve_parameters(truth_circle(0), 3000)), true),
      2 * std::numbers::pi, 1e-5);
}

TEST(TruthSets, ParametersFollowTheirLaw) {
  const TruthPoints uneven = draw_truth(truth_uneven(0), 5, TruthPart::training, 20000);
  // Of p = (1 + a cos t) / 2 pi, the mean of cos t is a / 2.
  EXPECT_NEAR(uneven.parameters.array().cos().mean(), 9.0 / 22, 5 * 0.7 / std::sqrt(20000));
  const TruthPoints gap = draw_truth(truth_gap(0), 5, TruthPart::training, 5000);
  EXPECT_GT(gap.parameters.minCoeff(), std::numbers::pi / 3);
  const TruthPoints sheet = draw_truth(truth_sheet(0), 5, TruthPart::training, 5000);
  EXPECT_NEAR(sheet.parameters.squaredNorm() / 10000, 1.44, 5 * 1.44 * std::sqrt(2.0 / 10000));
  const TruthPoints outliers = draw_truth(truth_outliers(0), 5, TruthPart::training, 1000);
  EXPECT_EQ(std::count(outliers.outlier.begin(), outliers.outlier.end(), true), 100);
  double far = 0;
  for (Index i = 0; i < 1000; ++i)
    if (outliers.outlier[static_cast<std::size_t>(i)]) far += outliers.points.col(i).cwiseAbs().maxCoeff() > 1.7;
  EXPECT_GT(far, 10);  // 28 are expected, of a circle's points none
  EXPECT_TRUE(draw_truth(truth_outliers(0), 5, TruthPart::test, 10).outlier.empty());
}

TEST(TruthSets, SeedsAndPartsAreIndependentAndPiecesFitTogether) {
  for (const TruthSource& source : truth_sources()) {
    const TruthSet set = source.make(7);
    const TruthPoints whole = draw_truth(set, 7, TruthPart::training, 50);
    TruthStream stream(set, 7, TruthPart::training);
    // Products of matrices may be rounded otherwise in pieces of another size.
    EXPECT_TRUE(stream.next(13).points.isApprox(whole.points.leftCols(13), 1e-12)) << source.name;
    EXPECT_TRUE(stream.next(37).points.isApprox(whole.points.rightCols(37), 1e-12)) << source.name;
    EXPECT_FALSE(draw_truth(set, 7, TruthPart::test, 50).points.isApprox(whole.points, 0.01)) << source.name;
    EXPECT_FALSE(draw_truth(source.make(8), 8, TruthPart::training, 50).points.isApprox(whole.points, 0.01))
        << source.name;
  }
  EXPECT_NE(truth_loop(1).at(Matrix::Zero(1, 1)), truth_loop(2).at(Matrix::Zero(1, 1)));
  EXPECT_NE(truth_sheet(1).at(Matrix::Zero(2, 1)), truth_sheet(2).at(Matrix::Zero(2, 1)));
}

TEST(TruthDensity, IntegratesToOneOnTheCircle) {
  constexpr Index side = 120;
  constexpr double half = 2.4, step = 2 * half / side;
  Matrix lattice(2, side * side);
  for (Index a = 0; a < side; ++a)
    for (Index b = 0; b < side; ++b)
      lattice.col(a * side + b) << -half + step * (static_cast<double>(a) + 0.5),
          -half + step * (static_cast<double>(b) + 0.5);
  for (const TruthSet& set : {truth_circle(0), truth_uneven(0)})
    EXPECT_NEAR(true_log_density(set, lattice).array().exp().sum() * step * step, 1, 1e-8);
}

TEST(TruthDensity, IntegratesToOneOnTheSphere) {
  // Equal areas: z uniform, longitude uniform.
  constexpr Index rings = 50, round = 100;
  Matrix points(3, rings * round);
  for (Index a = 0; a < rings; ++a)
    for (Index b = 0; b < round; ++b) {
      const double z = -1 + (2 * static_cast<double>(a) + 1) / rings, r = std::sqrt(1 - z * z);
      const double angle = 2 * std::numbers::pi * static_cast<double>(b) / round;
      points.col(a * round + b) << r * std::cos(angle), r * std::sin(angle), z;
    }
  TruthSet set = truth_arc(0);
  set.noise = 0.5;  // wide enough for the volume to matter and for the lattice to be fine
  const double found = true_log_density(set, points).array().exp().mean() * 4 * std::numbers::pi;
  EXPECT_NEAR(found, 1, 2e-3);
}

TEST(TruthDensity, IsThatOfTheDrawnPoints) {
  // On the circle in 20 dimensions p(y) = p(first two) N(rest): the rest has a known entropy.
  const Matrix test = draw_truth(truth_circle20(0), 4, TruthPart::test, 50).points;
  const Vector both = true_log_density(truth_circle20(0), test);
  const Vector plane = true_log_density(truth_circle(0), test.topRows(2));
  const double s = 0.15;
  for (Index i = 0; i < 50; ++i) {
    const double rest = -9 * std::log(2 * std::numbers::pi * s * s) - test.col(i).tail(18).squaredNorm() / (2 * s * s);
    EXPECT_NEAR(both[i], plane[i] + rest, 1e-9);
  }
}

TEST(TruthDensity, OfTheSheetIsALaplaceIntegralWhereTheMapIsSteep) {
  // With small noise p(y) -> p(x) / sqrt(det J'J) times the normal density of the four directions across.
  TruthSet set = truth_sheet(1);
  set.noise = 0.05;
  const Eigen::Vector2d x(0.3, -0.2);
  constexpr double h = 1e-5;
  Matrix around(2, 5);
  around << x[0], x[0] + h, x[0] - h, x[0], x[0], x[1], x[1], x[1], x[1] + h, x[1] - h;
  const Matrix points = set.at(around);
  Matrix coords(6, 5);
  set.manifold->at(points.col(0))->log(points, coords);
  Matrix J(6, 2);
  J << (coords.col(1) - coords.col(2)) / (2 * h), (coords.col(3) - coords.col(4)) / (2 * h);
  const double expected = -std::log(2 * std::numbers::pi * 1.44) - x.squaredNorm() / (2 * 1.44) -
                          0.5 * std::log((J.transpose() * J).determinant()) -
                          2 * std::log(2 * std::numbers::pi * set.noise * set.noise);
  EXPECT_NEAR(true_log_density(set, points.leftCols(1))[0], expected, 0.04);
}

}  // namespace
}  // namespace wgp
