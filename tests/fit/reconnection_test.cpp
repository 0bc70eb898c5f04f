// Curves that come near themselves.
#include "fit/reconnection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace wgp {
namespace {

// A figure of eight.
Matrix eight(Index nodes) {
  Matrix curve(2, nodes);
  for (Index i = 0; i < nodes; ++i) {
    const double t = 2 * std::numbers::pi * (static_cast<double>(i) + 0.3) / static_cast<double>(nodes);
    curve.col(i) << std::sin(t), std::sin(2 * t) / 2;
  }
  return curve;
}

// Two turns of a spiral, this far apart.
Matrix spiral(Index nodes, double apart) {
  Matrix curve(2, nodes);
  for (Index i = 0; i < nodes; ++i) {
    const double t = 4 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(nodes);
    curve.col(i) = (1 + apart * t / (2 * std::numbers::pi)) * Eigen::Vector2d(std::cos(t), std::sin(t));
  }
  return curve;
}

TEST(Reconnection, AnEightGoesAcrossItselfOnce) {
  const Matrix curve = eight(400);
  EXPECT_EQ(crossings(curve, CurveEnds::closed, 0.1), 1);
  EXPECT_TRUE(goes_across(curve, CurveEnds::closed, 0.1));
  const auto passes = near_passes(curve, CurveEnds::closed, 0.1, 4);
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_NEAR(static_cast<double>(passes[0].second - passes[0].first), 200, 5);
}

TEST(Reconnection, TurnsSideBySideDoNot) {
  const Matrix curve = spiral(400, 0.05);
  EXPECT_GE(crossings(curve, CurveEnds::open, 0.1), 1);
  EXPECT_FALSE(goes_across(curve, CurveEnds::open, 0.1));
}

TEST(Reconnection, WhatKeepsItsDistanceHasNoPasses) {
  const Matrix curve = spiral(400, 0.5);
  EXPECT_EQ(crossings(curve, CurveEnds::open, 0.1), 0);
  EXPECT_TRUE(near_passes(curve, CurveEnds::open, 0.1, 4).empty());
  EXPECT_TRUE(goes_across(curve, CurveEnds::open, 0.1));
}

}  // namespace
}  // namespace wgp
