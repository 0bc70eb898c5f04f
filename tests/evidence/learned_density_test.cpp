// The density of a closed curve's latents: its coefficients against quadrature, and what all engines make of it.
#include "evidence/learned_density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "evidence/gradients.h"
#include "evidence/grid_engine.h"
#include "evidence/latent_divergence.h"
#include "evidence/normal_passes.h"
#include "golden.h"

namespace wgp {
namespace {

using std::numbers::pi;
using test::close;

constexpr Index J = 4;  // harmonics of a density

// Angles everywhere but in a gap.
Vector with_a_gap(Index N, double gap) {
  Random random(6);
  Vector angles(N);
  for (double& x : angles) x = (2 * pi - gap) * random.uniform() - 2;
  return angles;
}

Vector sums_over(const Vector& angles, double S = 0) {
  Vector sums = Vector::Zero(2 * J);
  for (const double x : angles)
    for (Index j = 1; j <= J; ++j) {
      const auto k = static_cast<double>(j);
      sums[j - 1] += std::exp(-k * k * S / 2) * std::cos(k * x);
      sums[J + j - 1] += std::exp(-k * k * S / 2) * std::sin(k * x);
    }
  return sums;
}

// The formula written out, its integral a sum over other places than the library's.
double penalised_log_likelihood(const Vector& a, const Vector& sums, double count) {
  constexpr int places = 3000;
  double Z = 0, penalty = 0;
  for (int g = 0; g < places; ++g) {
    double exponent = 0;
    for (Index j = 1; j <= J; ++j) {
      const double x = static_cast<double>(j) * 2 * pi * g / places;
      exponent += a[j - 1] * std::cos(x) + a[J + j - 1] * std::sin(x);
    }
    Z += std::exp(exponent) / places;
  }
  for (Index j = 1; j <= J; ++j)
    penalty += std::pow(static_cast<double>(j), 4) / 8 * (a[j - 1] * a[j - 1] + a[J + j - 1] * a[J + j - 1]);
  return a.dot(sums) - count * std::log(Z) - penalty;
}

TEST(LearnedDensity, IsTheMaximumOfItsFormula) {
  const Vector sums = sums_over(with_a_gap(200, pi / 3));
  const LearnedDensity learned = learned_density(sums, 200);
  ASSERT_EQ(learned.density.harmonics(), J);
  Vector a = learned.density.coefficients();
  const double value = penalised_log_likelihood(a, sums, 200);
  double cost = 0;
  for (Index j = 1; j <= J; ++j) cost += std::log(1 + 200 * 4 / (2 * std::pow(static_cast<double>(j), 4)));
  EXPECT_NEAR(learned.gain, value - cost, 1e-9);
  EXPECT_GT(learned.gain, 3);
  for (double& coefficient : a) {
    EXPECT_NEAR(test::difference(coefficient, 1e-3, [&] { return penalised_log_likelihood(a, sums, 200); }), 0, 1e-6);
    const double before = coefficient;
    for (const double step : {-0.05, 0.05}) {
      coefficient = before + step;
      EXPECT_LT(penalised_log_likelihood(a, sums, 200), value);
    }
    coefficient = before;
  }
}

TEST(LearnedDensity, IsLowInAGapAndItsMeanIsOne) {
  const AngleDensity density = learned_density(sums_over(with_a_gap(400, pi / 3)), 400).density;
  const Vector places = Vector::LinSpaced(1001, 0, 2 * pi).head(1000);
  EXPECT_NEAR(density.log_ratio(places).array().exp().mean(), 1, 1e-12);
  // The gap is from 2 pi - pi/3 - 2 to 2 pi - 2.
  EXPECT_LT(density.log_ratio(Vector::Constant(1, 2 * pi - pi / 6 - 2))[0], -1.5);
  // Elsewhere it is as much higher as the gap is lower.
  const Vector inhabited = Vector::LinSpaced(1000, -2, 2 * pi - pi / 3 - 2);
  EXPECT_GT(density.log_ratio(inhabited).array().exp().mean(), 1.1);
  Vector at = Vector::Constant(1, 0.3);
  const double slope = density.slope(at)[0];
  EXPECT_NEAR(test::difference(at[0], 1e-3, [&] { return density.log_ratio(at)[0]; }), slope, 1e-8);
  EXPECT_GT(std::abs(slope), 1e-3);
}

TEST(LearnedDensity, StaysUniformUnlessItPays) {
  const Vector even = Vector::LinSpaced(201, 0, 2 * pi).head(200);
  EXPECT_TRUE(learned_density(sums_over(even), 200).density.is_uniform());
  EXPECT_TRUE(learned_density(sums_over(with_a_gap(20, pi / 6)), 20).density.is_uniform());
  EXPECT_EQ(learned_density(sums_over(with_a_gap(20, pi / 6)), 20).gain, 0);
  EXPECT_FALSE(learned_density(sums_over(with_a_gap(2000, pi / 6)), 2000).density.is_uniform());
  Random random(2);
  int learned = 0;
  for (int k = 0; k < 20; ++k) {
    Vector angles(100);
    for (double& x : angles) x = 2 * pi * random.uniform();
    learned += !learned_density(sums_over(angles), 100).density.is_uniform();
  }
  EXPECT_LE(learned, 1);
}

class CurveWithAGap : public testing::Test {
 protected:
  void SetUp() override {
    X = with_a_gap(N, 2).transpose();
    V.resize(3, N);
    V << X.array().cos(), X.array().sin(), (2 * X).array().sin();
    V += 0.2 * Random(3).normals(3, N);
    V /= std::sqrt(V.squaredNorm() / static_cast<double>(V.size()));
    S = Matrix::Constant(1, N, 0.03);
    theta = Vector::Zero(kernel->parameter_count());
  }
  Parameters at() const {
    Parameters at = Parameters::of(X, theta, noise);
    at.S = S.array().log();
    return at;
  }
  static constexpr Index N = 80;
  static constexpr double noise = 0.1;
  const LatentSpace circle{1, 0};
  const KernelPtr kernel = parse_kernel("periodic", circle);
  const KernelSpectrum spectrum{circle, *spectral_terms(*kernel, circle), kernel->parameter_count()};
  const LatticePlan plan = plan_lattice(spectrum, Vector::Zero(kernel->parameter_count()), noise, 3, Vector::Zero(1));
  Matrix X, S, V;
  Vector theta;
};

// Beside what there was before: the mean of log r under each q(x), by quadrature, minus what the coefficients cost.
TEST_F(CurveWithAGap, TheEvidenceHasWhatIsLearned) {
  const LearnedDensity learned = learned_density(sums_over(X.row(0), 0.03), N);
  ASSERT_GT(learned.gain, 3);
  const LatticeBlock block(plan.lattice, X, S);
  CollapsedBound bound(spectrum, plan.lattice, plan.mode);
  Matrix none;
  const double uniform = bound.value(theta, noise, sums_of_points(plan.lattice, block.table(), block.cross(V), V)) -
                         latent_divergence(circle, X, S, none, none);
  const Vector z = Vector::LinSpaced(2001, -8, 8);
  const Vector weights = (-0.5 * z.array().square()).exp() / (-0.5 * z.array().square()).exp().sum();
  double expected = 0;
  for (Index n = 0; n < N; ++n)
    expected += weights.dot(learned.density.log_ratio((X(0, n) + std::sqrt(S(0, n)) * z.array()).matrix()));
  const Vector& a = learned.density.coefficients();
  for (Index j = 1; j <= J; ++j) {
    const double j4 = std::pow(static_cast<double>(j), 4);
    expected -= j4 / 8 * (a[j - 1] * a[j - 1] + a[J + j - 1] * a[J + j - 1]) + std::log(1 + N * 2 / j4);
  }
  const double value = variational_evidence({kernel, circle, nullptr, nullptr}, plan)->value(at(), Outputs::of(V));
  EXPECT_NEAR(value - uniform, expected, 1e-8);
}

TEST_F(CurveWithAGap, TheGradientIsTheDifference) {
  const auto evidence = variational_evidence({kernel, circle, nullptr, nullptr}, plan);
  Parameters here = at();
  const Outputs outputs = Outputs::of(V);
  EvidenceGradient by;
  evidence->value_and_gradient(here, outputs, by, ByOutputs::unwanted);
  const auto value = [&] { return evidence->value(here, outputs); };
  for (Index n = 0; n < N; n += 7) {
    EXPECT_NEAR(test::difference(here.X(0, n), 1e-3, value), by.X(0, n), 1e-6 * (1 + std::abs(by.X(0, n))));
    EXPECT_NEAR(test::difference(here.S(0, n), 1e-3, value), by.S(0, n), 1e-6 * (1 + std::abs(by.S(0, n))));
  }
  for (Index i = 0; i < theta.size(); ++i)
    EXPECT_NEAR(test::difference(here.theta[i], 1e-3, value), by.theta[i], 1e-6 * (1 + std::abs(by.theta[i])));
}

// q(x) of a grid that is normal about the same latents has the same bound; and so have passes.
TEST_F(CurveWithAGap, AllEnginesAgree) {
  const double value = variational_evidence({kernel, circle, nullptr, nullptr}, plan)->value(at(), Outputs::of(V));
  GridEngine engine(spectrum, V, 3, nullptr, nullptr);
  GridState on_grid = engine.begin(X, S, theta, noise);
  on_grid.plan = plan;
  engine.pass(on_grid, {{}, false, 0});
  EXPECT_NEAR(on_grid.bound, value, 1e-6);
  const MatrixColumns vectors(V);
  NormalPasses passes(spectrum, vectors, 3, nullptr, nullptr);
  PassState in_passes = passes.begin(X, S, theta, noise);
  in_passes.plan = plan;
  passes.make_whole(in_passes);
  EXPECT_NEAR(in_passes.bound, value, 1e-6);
  // From there on passes end where the evidence has no slope, and a grid, whose q(x) may be anything, higher.
  const auto slope = [&](const Parameters& here, const LatticePlan& of) {
    EvidenceGradient by;
    variational_evidence({kernel, circle, nullptr, nullptr}, of)
        ->value_and_gradient(here, Outputs::of(V), by, ByOutputs::unwanted);
    return std::hypot(by.X.norm(), by.S.norm());
  };
  for (int k = 0; k < 200; ++k) {
    engine.pass(on_grid, {{}, false, 0});
    passes.pass(in_passes, {{}, false, 0});
  }
  Parameters ended = Parameters::of(in_passes.points.X, in_passes.theta, in_passes.noise);
  ended.S = in_passes.points.S.array().log();
  EXPECT_LT(slope(ended, *in_passes.plan), 1e-3 * slope(at(), plan));
  EXPECT_GT(in_passes.bound, value + 1);
  EXPECT_GT(on_grid.bound, in_passes.bound);
}

TEST_F(CurveWithAGap, NoPassLowersTheBound) {
  const MatrixColumns vectors(V);
  NormalPasses passes(spectrum, vectors, 3, nullptr, nullptr);
  PassState state = passes.begin(X, S, theta, noise);
  double before = passes.bound(state);
  for (int k = 0; k < 2; ++k) {  // later passes are mixed
    passes.pass(state, {{}, false, 0});
    EXPECT_GT(passes.bound(state), before) << k;
    before = passes.bound(state);
  }
  EXPECT_FALSE(learned_density(state.plan->lattice, state.sums.table).density.is_uniform());
}

TEST_F(CurveWithAGap, IsThatOfTheProcess) {
  const PosteriorPtr process =
      variational_evidence({kernel, circle, nullptr, nullptr}, plan)->condition(at(), noise, V);
  ASSERT_TRUE(process);
  EXPECT_TRUE(close(learned_density(*process).coefficients(),
                    learned_density(sums_over(X.row(0), 0.03), N).density.coefficients(), 1e-8));
}

TEST(LearnedDensity, IsOfOneAngleAlone) {
  for (const LatentSpace& latent : {LatentSpace::plain(1), LatentSpace(2, 0), LatentSpace(1, 1)}) {
    const Lattice lattice(latent, Vector::Constant(latent.dim(), 6), Modes::Ones(latent.dim(), 1));
    Matrix table = Matrix::Constant(lattice.table_rows(), lattice.table_cols(), 50);
    table(0, 0) = 100;
    EXPECT_TRUE(learned_density(lattice, table).density.is_uniform());
  }
}

}  // namespace
}  // namespace wgp
