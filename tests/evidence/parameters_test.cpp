#include "evidence/parameters.h"

#include <gtest/gtest.h>

namespace wgp {
namespace {

TEST(Parameters, PackWhatIsFree) {
  Parameters all = Parameters::of(Matrix::Constant(2, 3, 1), Eigen::Vector3d(2, 3, 4), 0.5);
  EXPECT_NEAR(all.noise(), 0.5, 1e-15);
  all.S = Matrix::Constant(2, 3, -1);
  all.Z = Matrix::Constant(2, 2, 8);
  all.centre = Eigen::Vector2d(5, 6);
  all.coefficients = Matrix::Constant(2, 2, 7);
  FreeParameters free;
  free.theta = {true, false, true};
  free.base = true;
  const Packing packing(all, free);
  const Vector x = packing.pack(all);
  Vector expected(6 + 6 + 4 + 2 + 1 + 2 + 4);
  expected << 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, 8, 8, 8, 8, 2, 4, all.u, 5, 6, 7, 7, 7, 7;
  EXPECT_EQ(x, expected);
  Parameters other = all;
  packing.unpack(2 * x, other);
  EXPECT_EQ(other.X, 2 * all.X);
  EXPECT_EQ(other.S, 2 * all.S);
  EXPECT_EQ(other.Z, 2 * all.Z);
  EXPECT_EQ(other.theta, Vector(Eigen::Vector3d(4, 3, 8)));
  EXPECT_EQ(other.u, 2 * all.u);
  EXPECT_EQ(other.centre, 2 * all.centre);
  EXPECT_EQ(other.coefficients, 2 * all.coefficients);
  free.latents = free.noise = free.base = false;
  EXPECT_EQ(Packing(all, free).pack(all), Vector(Eigen::Vector2d(2, 4)));
}

}  // namespace
}  // namespace wgp
