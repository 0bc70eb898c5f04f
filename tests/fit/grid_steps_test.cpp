// What a search does on a grid of nodes.
#include "fit/grid_steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "wgp/random.h"

namespace wgp {
namespace {

// A sheet in five dimensions, with noise.
struct Sheet {
  static constexpr Index N = 160, d = 5;
  const LatentSpace latent = LatentSpace::plain(2);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  const KernelSpectrum spectrum{latent, *spectral_terms(*kernel, latent), kernel->parameter_count()};
  Matrix X, V;

  Sheet() {
    Random random(11, 2);
    X = random.normals(2, N);
    V.resize(d, N);
    for (Index n = 0; n < N; ++n) {
      const double x = X(0, n), y = X(1, n);
      V.col(n) << x, y, std::sin(1.5 * x), std::cos(1.5 * y), 0.4 * x * y;
    }
    V += 0.1 * random.normals(d, N);
    V /= std::sqrt(V.squaredNorm() / static_cast<double>(V.size()));
  }
};

class Moves : public testing::Test {
 protected:
  const Sheet sheet;
  Executor executor{1};
  RunControl control;
  const GridSteps steps{2, control, 0};
  GridEngine engine{sheet.spectrum, sheet.V, Sheet::d, &executor, &control};

  GridState settled_from(const Matrix& X) {
    GridState state = begin_at({"given", X, sheet.kernel->default_parameters(), 0.02, 0.01}, engine);
    steps.warm(engine, state, 5, 5, 5);
    steps.settle(engine, state, 120);
    return state;
  }
};

// Some points at the wrong end of the sheet: they hold the surface where they are, and it holds them.
TEST_F(Moves, ShakingFreesAMisplacedPatch) {
  const GridState right = settled_from(sheet.X);
  Matrix X = sheet.X;
  for (Index n = 0; n < Sheet::N; ++n)
    if (X(0, n) > 0.8) X(0, n) = -X(0, n) - 1;
  const GridState stuck = settled_from(X);
  ASSERT_LT(stuck.bound, right.bound - 20);
  const GridState freed = steps.shaken(sheet.spectrum, sheet.V, Sheet::d, stuck, 0, executor);
  EXPECT_GT(freed.bound, stuck.bound + 5);
  // What is right is not made worse.
  EXPECT_GE(steps.shaken(sheet.spectrum, sheet.V, Sheet::d, right, 0, executor).bound, right.bound);
}

// One end of the sheet upside down.
TEST_F(Moves, RegrowingTurnsAFlapTheRightWay) {
  const GridState right = settled_from(sheet.X);
  Matrix X = sheet.X;
  for (Index n = 0; n < Sheet::N; ++n)
    if (X(0, n) > 0.8) X(1, n) = -X(1, n);
  const GridState stuck = settled_from(X);
  ASSERT_LT(stuck.bound, right.bound - 20);
  const GridState regrown = steps.regrown(sheet.spectrum, sheet.V, Sheet::d, stuck, 0, executor);
  EXPECT_GT(regrown.bound, right.bound - 5);
  EXPECT_GE(steps.regrown(sheet.spectrum, sheet.V, Sheet::d, right, 0, executor).bound, right.bound);
}

TEST(GridSteps, StopWhenToldTo) {
  const Sheet sheet;
  Executor executor(1);
  RunControl control([](const Progress&) { return false; });
  const GridSteps steps(2, control, 0);
  GridEngine engine(sheet.spectrum, sheet.V, Sheet::d, &executor, nullptr);
  GridState state = begin_at({"given", sheet.X, sheet.kernel->default_parameters(), 0.02, 0.01}, engine);
  EXPECT_THROW(steps.settle(engine, state, 120), Stopped);
}

}  // namespace
}  // namespace wgp
