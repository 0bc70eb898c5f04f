#include "evaluate/curve_crossings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace wgp {
namespace {

// (sin at, sin bt) for coprime a < b, closed: a Lissajous figure; in space with height * cos at.
Matrix lissajous(double a, double b, double height, Index dims) {
  constexpr Index n = 1000;
  Matrix nodes = Matrix::Zero(dims, n);
  for (Index i = 0; i < n; ++i) {
    const double t = 2 * std::numbers::pi * (static_cast<double>(i) + 0.5) / n;
    nodes(0, i) = std::sin(a * t);
    nodes(1, i) = std::sin(b * t);
    if (dims > 2) nodes(2, i) = height * std::cos(a * t);
  }
  return nodes;
}

TEST(CurveCrossings, LissajousFiguresCrossAsOftenAsTheFormulaSays) {
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  for (const auto& [a, b] : {std::pair{1, 2}, {2, 3}, {3, 4}}) {
    const Matrix nodes = lissajous(a, b, 0, 2);
    EXPECT_EQ(count_crossings(*plane, nodes, true, 0.1), 2 * a * b - a - b) << a << b;
  }
}

TEST(CurveCrossings, TheLastPieceCountsInClosedCurvesOnly) {
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  Matrix nodes(2, 4);  // an hourglass whose last side crosses the second one
  nodes << 0, 1, 0, 1, 0, 0, 1, 1;
  EXPECT_EQ(count_crossings(*plane, nodes, true, 0.1), 1);
  EXPECT_EQ(count_crossings(*plane, nodes, false, 0.1), 0);
  EXPECT_NEAR(curve_length(*plane, nodes, false), 2 + std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(curve_length(*plane, nodes, true), 2 + 2 * std::sqrt(2.0), 1e-12);
}

TEST(CurveCrossings, OnTheSphereOppositePiecesDoNotCross) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Matrix nodes(3, 8);
  for (Index i = 0; i < 4; ++i) {
    const double t = std::numbers::pi * static_cast<double>(i) / 40;
    nodes.col(i) << std::cos(t), std::sin(t), 0.01;
    nodes.col(4 + i) << -std::cos(t), -std::sin(t), static_cast<double>(i) * 0.01 - 0.025;
  }
  for (auto node : nodes.colwise()) node.normalize();
  EXPECT_EQ(count_crossings(*sphere, nodes, false, 0.1), 0);
}

TEST(CurveCrossings, InSpaceNearPassesAreCountedOncePerPlace) {
  const ManifoldPtr space = parse_manifold("euclidean:3");
  // A figure of eight whose two strands pass each other at a distance of 2 h.
  EXPECT_EQ(count_crossings(*space, lissajous(1, 2, 0.04, 3), true, 0.1), 1);
  EXPECT_EQ(count_crossings(*space, lissajous(1, 2, 0.2, 3), true, 0.1), 0);
  EXPECT_EQ(count_crossings(*space, lissajous(2, 3, 0.001, 3), true, 0.05), 7);
}

}  // namespace
}  // namespace wgp
