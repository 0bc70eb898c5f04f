// Many small minimisations at once.
#include "model/batch_descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "wgp/random.h"

namespace wgp {
namespace {

// Of point i: a bent valley about a minimum of its own, of value i.
class Valleys : public EncodeObjective {
 public:
  explicit Valleys(Matrix minima) : minima_(std::move(minima)) {}
  EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const override {
    EncodeValues values{Vector(X.cols()), Matrix(2, X.cols())};
    for (Index b = 0; b < X.cols(); ++b) {
      const Index i = owner[static_cast<std::size_t>(b)];
      const double x = X(0, b) - minima_(0, i), y = X(1, b) - minima_(1, i), bend = y - x * x;
      values.f[b] = static_cast<double>(i) + 0.5 * x * x + 5 * bend * bend;
      values.gradient.col(b) << x - 20 * bend * x, 10 * bend;
    }
    asked_ += X.cols();
    return values;
  }
  mutable Index asked_ = 0;

 private:
  Matrix minima_;
};

TEST(BatchDescent, FindsTheMinimumOfEveryPoint) {
  Random random(2);
  const Matrix minima = random.normals(2, 30);
  const Valleys valleys(minima);
  Matrix X(2, 60);
  std::vector<Index> owner;
  for (Index b = 0; b < 60; ++b) {
    X.col(b) = minima.col(b / 2) + 0.7 * random.normals(2);
    owner.push_back(b / 2);
  }
  const Candidates found = descend(valleys, X, owner);
  ASSERT_EQ(found.X.cols(), 60);
  EXPECT_EQ(found.owner, owner);
  for (Index i = 0; i < 30; ++i) {
    const Index best = found.f[2 * i] <= found.f[2 * i + 1] ? 2 * i : 2 * i + 1;
    EXPECT_TRUE(found.converged[static_cast<std::size_t>(best)]) << i;
    EXPECT_NEAR(found.f[best], static_cast<double>(i), 1e-8);
    EXPECT_LT((found.X.col(best) - minima.col(i)).norm(), 1e-3);
  }
}

TEST(BatchDescent, WhatIsDoneIsNotAskedForAgain) {
  const Valleys at_rest(Matrix::Zero(2, 1));
  const Candidates found = descend(at_rest, Matrix::Zero(2, 5), std::vector<Index>(5, 0));
  EXPECT_LE(at_rest.asked_, 15);
  EXPECT_EQ(found.X, Matrix::Zero(2, 5));
}

// A step is never longer than a length-scale, wherever the slope points.
TEST(BatchDescent, ACandidateThatStartsFarOffComesHomeOrSaysSo) {
  const Valleys valleys(Matrix::Zero(2, 1));
  const Candidates found = descend(valleys, Eigen::Vector2d(40, -3), {0});
  EXPECT_TRUE(std::isfinite(found.f[0]));
  if (found.converged[0]) {
    EXPECT_LT(found.X.norm(), 1e-2);
  }
}

}  // namespace
}  // namespace wgp
