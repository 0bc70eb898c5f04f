#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "wgp/optimise.h"
#include "wgp/random.h"

namespace wgp {
namespace {

class Function final : public Objective {
 public:
  using F = std::function<double(ConstVectorRef, Vector&)>;
  explicit Function(F f) : f_(std::move(f)) {}
  double value(ConstVectorRef x) override { return f_(x, g_); }
  void gradient(VectorRef gradient) override { gradient = g_; }

 private:
  F f_;
  Vector g_;
};

double rosenbrock(ConstVectorRef x, Vector& g) {
  g = Vector::Zero(x.size());
  double f = 0;
  for (Index i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    f += 100 * a * a + b * b;
    g[i] += -400 * a * x[i] - 2 * b;
    g[i + 1] += 200 * a;
  }
  return f;
}

TEST(Optimise, RosenbrockInTenDimensions) {
  Function f(rosenbrock);
  const OptimiseResult result = minimise(f, Vector::Constant(10, -1.2));
  EXPECT_EQ(result.stop, StopReason::gradient_small);
  EXPECT_NEAR((result.x - Vector::Ones(10)).norm(), 0, 1e-4);
  EXPECT_LT(result.evaluations, 200);
}

TEST(Optimise, IllConditionedQuadratic) {
  Function f([](ConstVectorRef x, Vector& g) {
    const Vector scale = Vector::LinSpaced(30, 0, 6).array().exp();
    g = scale.cwiseProduct(x);
    return 0.5 * x.dot(g);
  });
  const OptimiseResult result = minimise(f, Vector::Ones(30));
  EXPECT_LT(result.value, 1e-8);
}

TEST(Optimise, InadmissiblePointsAreBackedOutOf) {
  Function f([](ConstVectorRef x, Vector& g) {  // log barrier: admissible for x > 0 only
    g = Vector::Constant(1, 1 - 1 / x[0]);
    return x[0] > 0 ? x[0] - std::log(x[0]) : std::numeric_limits<double>::infinity();
  });
  const OptimiseResult result = minimise(f, Vector::Constant(1, 40.0));
  EXPECT_NEAR(result.x[0], 1, 1e-4);
}

TEST(Optimise, KeepsTheBestPointWhenCancelled) {
  Function f(rosenbrock);
  OptimiseOptions options;
  double last = 0;
  options.keep_going = [&](int iteration, double value) {
    last = value;
    return iteration < 7;
  };
  const OptimiseResult result = minimise(f, Vector::Constant(4, -1.2), options);
  EXPECT_EQ(result.stop, StopReason::cancelled);
  EXPECT_EQ(result.iterations, 7);
  EXPECT_EQ(result.value, last);
  Vector unused;
  EXPECT_EQ(rosenbrock(result.x, unused), result.value);
}

TEST(Optimise, AStartThatIsNotAdmissibleIsGivenBack) {
  Function f([](ConstVectorRef, Vector&) { return std::nan(""); });
  const OptimiseResult result = minimise(f, Vector::Ones(2));
  EXPECT_EQ(result.stop, StopReason::line_search_failed);
  EXPECT_EQ(result.x, Vector::Ones(2));
}

TEST(Optimise, NeverEndsAboveTheStart) {
  Random random(8);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector centre = random.normals(5);
    Function f([&](ConstVectorRef x, Vector& g) {  // many minima
      const Vector z = x - centre;
      g = z.array() / 10 + 3 * (3 * z.array()).cos();
      return z.squaredNorm() / 20 + (3 * z.array()).sin().sum();
    });
    const Vector start = 5 * random.normals(5);
    Vector unused;
    const double before = f.value(start);
    const OptimiseResult result = minimise(f, start);
    EXPECT_LE(result.value, before);
    EXPECT_LT(result.gradient_norm, 1e-4);
  }
}

}  // namespace
}  // namespace wgp
