// Latents on a grid of nodes: one pass against numbers computed elsewhere, and what every pass must do.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "evidence/grid_engine.h"
#include "evidence/learned_density.h"
#include "evidence/waves.h"
#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

KernelSpectrum rbf(const LatentSpace& latent) {
  const KernelPtr kernel = parse_kernel("rbf", latent);
  return {latent, *spectral_terms(*kernel, latent), kernel->parameter_count()};
}

// The golden group has nine nodes of its own: its formulas over those, by the collapsed bound that the engine uses.
TEST(GridEngine, OneStepAgreesWithHighPrecision) {
  const auto& group = golden("fvb.grid.step");
  const auto& in = group["inputs"];
  const LatentSpace line = LatentSpace::plain(1);
  const KernelSpectrum spectrum = rbf(line);
  const Lattice lattice(line, Vector::Constant(1, in["T"].get<double>()), test::columns(in["K"], 1).cast<int>());
  const Matrix V = test::columns(in["V"], 2), before = test::columns(in["responsibilities_before"], 9);
  const Vector grid = column(in["grid"]), log_prior = column(in["log_prior"]);
  const double noise = std::exp(in["log_noise"].get<double>());
  const Matrix features = LatticeBlock(lattice, grid.transpose(), Matrix()).features();
  LatticeSums sums{5, V.squaredNorm(), features.transpose() * before.rowwise().sum().asDiagonal() * features,
                   features.transpose() * before * V.transpose(), 2};
  CollapsedBound bound(spectrum, lattice, Neglected::penalised);
  const double divergence = (before.array() * (before.array().log().colwise() - log_prior.array())).sum();
  EXPECT_TRUE(
      close(bound.value(column(in["theta"]), noise, sums) - divergence, group["outputs"]["F"].get<double>(), 1e-11));
  const Matrix means = bound.weights().transpose() * features.transpose();
  const Vector variance =
      (features * bound.weights_covariance()).cwiseProduct(features).rowwise().sum().array() + bound.neglected();
  Matrix after = means.transpose() * V / noise;
  after.colwise() += log_prior - (means.colwise().squaredNorm().transpose() + 2 * variance) / (2 * noise);
  for (Index n = 0; n < 5; ++n) {
    after.col(n) = (after.col(n).array() - after.col(n).maxCoeff()).exp();
    after.col(n) /= after.col(n).sum();
  }
  EXPECT_TRUE(close(after.reshaped(), column(group["outputs"]["responsibilities_after"]), 1e-10));
}

class GridSpaces : public testing::TestWithParam<std::pair<Index, Index>> {
 protected:
  const LatentSpace latent{GetParam().first, GetParam().second};
  const KernelSpectrum spectrum = rbf(latent);
  Matrix X, V;
  void make(Index N) {
    const test::Waves made = test::waves(latent, N);
    X = made.X;
    V = made.V;
  }
  Vector theta() const { return Vector::Zero(spectrum.parameters()); }
};

// The same with everything written out: the engine's sums, bound and responsibilities.
TEST_P(GridSpaces, IsTheFormulaWrittenOut) {
  make(30);
  GridEngine engine(spectrum, V, 4, nullptr, nullptr);
  GridState state = engine.begin(X, Matrix::Constant(latent.dim(), 30, 0.02), theta(), 0.3);
  EXPECT_NEAR(state.sums.mass.sum(), 30, 1e-9);
  EXPECT_NEAR(engine.nodes().log_prior().array().exp().sum(), 1, 1e-12);
  const GridSums before = state.sums;
  engine.pass(state, {{}, true, 0});
  const Lattice& lattice = state.plan->lattice;
  const Matrix features = LatticeBlock(lattice, engine.nodes().nodes(), Matrix()).features();
  LatticeSums sums{30, V.squaredNorm(), features.transpose() * before.mass.asDiagonal() * features,
                   features.transpose() * before.pull.transpose(), 4};
  CollapsedBound bound(spectrum, lattice, state.plan->mode);
  // What is learned of the density of one angle is seen at the nodes.
  Vector log_ratio = Vector::Zero(features.rows());
  LearnedDensity learned;
  if (latent.dim() == 1 && latent.angles() == 1) {
    learned = learned_density(harmonics_at(engine.nodes().nodes().row(0).transpose(), 4) * before.mass, 30);
    EXPECT_GT(learned.gain, 0);
    log_ratio = learned.density.log_ratio(engine.nodes().nodes().row(0).transpose());
  }
  EXPECT_TRUE(close(state.bound, bound.value(theta(), 0.3, sums) + before.other + learned.gain, 1e-10));
  const Matrix means = bound.weights().transpose() * features.transpose();
  const Vector variance =
      (features * bound.weights_covariance()).cwiseProduct(features).rowwise().sum().array() + bound.neglected();
  Matrix log_pi = means.transpose() * V / 0.3;
  log_pi.colwise() +=
      engine.nodes().log_prior() + log_ratio - (means.colwise().squaredNorm().transpose() + 4 * variance) / 0.6;
  Vector mass = Vector::Zero(features.rows());
  double divergence = 0;
  for (Index n = 0; n < 30; ++n) {
    Eigen::ArrayXd pi = (log_pi.col(n).array() - log_pi.col(n).maxCoeff()).exp();
    pi /= pi.sum();
    mass += pi.matrix();
    divergence += (pi > 0).select(pi * (pi.max(1e-300).log() - engine.nodes().log_prior().array()), 0).sum();
  }
  EXPECT_TRUE(close(state.sums.mass, mass, 1e-9));
  EXPECT_TRUE(close(state.sums.other, -divergence, 1e-9));
}

TEST_P(GridSpaces, EveryPassRaisesTheBound) {
  make(150);
  GridEngine engine(spectrum, V, 4, nullptr, nullptr);
  GridState state = engine.begin(X, Matrix::Constant(latent.dim(), 150, 0.02), theta(), 0.3);
  double before = -1e300;
  for (int pass = 0; pass < 15; ++pass) {
    engine.pass(state, {});
    EXPECT_GT(state.bound, before - 1e-6) << pass;
    before = state.bound;
  }
  // With outliers the bound is another one; it rises as well.
  state.outliers = 0.05;
  engine.pass(state, {});
  before = -1e300;
  for (int pass = 0; pass < 10; ++pass) {
    engine.pass(state, {});
    EXPECT_GT(state.bound, before - 1e-6) << pass;
    before = state.bound;
  }
  EXPECT_EQ(state.inlier.size(), 150);
}

TEST_P(GridSpaces, ThreadsChangeNoBit) {
  make(300);
  Executor one(1), two(2);
  GridState states[2];
  int k = 0;
  for (Executor* executor : {&one, &two}) {
    GridEngine engine(spectrum, V, 4, executor, nullptr);
    states[k] = engine.begin(X, Matrix::Constant(latent.dim(), 300, 0.02), theta(), 0.3);
    for (int pass = 0; pass < 3; ++pass) engine.pass(states[k], {});
    ++k;
  }
  EXPECT_EQ(states[0].bound, states[1].bound);
  EXPECT_EQ(states[0].sums.pull, states[1].sums.pull);
}

TEST_P(GridSpaces, CodesAreNearTheLatentsThatMadeThePoints) {
  make(150);
  GridEngine engine(spectrum, V, 4, nullptr, nullptr);
  GridState state = engine.begin(X, Matrix::Constant(latent.dim(), 150, 0.02), theta(), 0.3);
  for (int pass = 0; pass < 20; ++pass) engine.pass(state, {});
  const GridEngine::Codes codes = engine.codes(state);
  EXPECT_TRUE(codes.X.allFinite() && codes.S.allFinite() && codes.log_evidence.allFinite());
  EXPECT_GT(codes.S.minCoeff(), 0);
  // Decoded, they are near the points.
  EXPECT_LT(state.noise, 0.25);
}
INSTANTIATE_TEST_SUITE_P(Spaces, GridSpaces,
                         testing::Values(std::pair{1, 0}, std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 1}));

TEST(GridEngine, NamesOutliers) {
  Random random(2);
  const LatentSpace circle(1, 0);
  const Index N = 220;
  Matrix V(2, N), X(1, N);
  for (Index n = 0; n < N; ++n) {
    const double t = 2 * std::numbers::pi * random.uniform();
    V.col(n) << std::cos(t), std::sin(t);
    X(0, n) = t;
  }
  V += 0.1 * random.normals(2, N);
  for (Index n = 200; n < N; ++n) {
    const double t = 2 * std::numbers::pi * random.uniform(), r = 2 + random.uniform();
    V.col(n) << r * std::cos(t), r * std::sin(t);
  }
  V /= std::sqrt(V.squaredNorm() / static_cast<double>(V.size()));
  const KernelSpectrum spectrum = rbf(circle);
  GridEngine engine(spectrum, V, 2, nullptr, nullptr);
  GridState state = engine.begin(X, Matrix::Constant(1, N, 0.02), Vector::Zero(2), 0.1);
  for (int pass = 0; pass < 20; ++pass) engine.pass(state, {});
  state.outliers = 0.05;
  for (int pass = 0; pass < 40; ++pass) engine.pass(state, {});
  EXPECT_GT((state.inlier.head(200).array() > 0.5).count(), 196);
  EXPECT_EQ((state.inlier.tail(20).array() < 0.5).count(), 20);
}

}  // namespace
}  // namespace wgp
