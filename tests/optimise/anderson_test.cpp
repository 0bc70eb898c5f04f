// Fixed points from few applications.
#include "optimise/anderson.h"

#include <gtest/gtest.h>

#include "wgp/random.h"

namespace wgp {
namespace {

// x = A x + b with eigenvalues up to .99: plain iteration takes hundreds of rounds for two digits.
struct Affine {
  Matrix A;
  Vector b, solution;
  explicit Affine(Index n) {
    Random random(2);
    const Matrix Q = random.normals(n, n).householderQr().householderQ();
    Vector eigenvalues(n);
    for (Index i = 0; i < n; ++i) eigenvalues[i] = i < 3 ? 0.99 - 0.03 * static_cast<double>(i) : 0.2;
    A = Q * eigenvalues.asDiagonal() * Q.transpose();
    solution = random.normals(n, 1);
    b = solution - A * solution;
  }
  Vector operator()(const Vector& x) const { return A * x + b; }
};

TEST(Anderson, FindsTheFixedPointOfAnAffineMapInAsManyRoundsAsItHasSlowDirections) {
  const Affine map(40);
  AndersonMixing mixing(6);
  Vector x = Vector::Zero(40), plain = x;
  for (int k = 0; k < 12; ++k) {
    x = mixing.next(x, map(x));
    plain = map(plain);
  }
  EXPECT_LT((x - map.solution).norm(), 1e-6 * map.solution.norm());
  EXPECT_GT((plain - map.solution).norm(), 0.1 * map.solution.norm());
}

TEST(Anderson, ForgetsAndTakesOtherSizes) {
  AndersonMixing mixing(3);
  const Affine large(20), small(7);
  Vector x = Vector::Zero(20);
  for (int k = 0; k < 4; ++k) x = mixing.next(x, large(x));
  const Vector first = small(Vector::Zero(7));
  EXPECT_EQ(mixing.next(Vector::Zero(7), first), first);
  mixing.forget();
  EXPECT_EQ(mixing.next(Vector::Ones(7), first), first);
  // At the fixed point there is nothing to mix.
  EXPECT_TRUE(mixing.next(small.solution, small(small.solution)).isApprox(small.solution, 1e-12));
}

}  // namespace
}  // namespace wgp
