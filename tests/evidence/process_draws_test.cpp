// Processes drawn by a Markov chain: the prior where the data say nothing, and what points say where they are many.
#include "evidence/process_draws.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evidence/collapsed_bound.h"
#include "evidence/variational_evidence.h"
#include "evidence/waves.h"

namespace wgp {
namespace {

const LatentSpace plane = LatentSpace::plain(2);

PosteriorPtr process_of(const Matrix& X, const Matrix& V, const Vector& theta, double noise, double X_sd,
                        const LatentSpace& latent = plane) {
  const KernelPtr kernel = parse_kernel("rbf", latent, LengthScales::shared);
  Parameters at = Parameters::of(X, theta, noise);
  at.S = Matrix::Constant(X.rows(), X.cols(), 2 * std::log(X_sd));
  return variational_evidence({kernel, latent, nullptr, nullptr})->condition(at, noise, V);
}
std::vector<LatticeDraw> draws_of(const PosteriorPtr& process, const Matrix& X, const Matrix& V, double X_sd,
                                  const ChainLength& length, std::uint64_t seed = 1) {
  const LatticePosteriorParts& parts = *lattice_parts(*process);
  RunControl control;
  return draw_processes(parts, V, {X, Matrix::Constant(X.rows(), X.cols(), X_sd), parts.theta, parts.noise}, length,
                        seed, 5, control);
}

// Of three numbers that have these logarithms of weights.
class Moments {
 public:
  void add(double log_weight, const Eigen::Vector3d& at) {
    const double weight = std::exp(log_weight);
    total_ += weight;
    sum_ += weight * at;
    squares_ += weight * at.cwiseAbs2();
  }
  Eigen::Vector3d mean() const { return sum_ / total_; }
  Eigen::Vector3d sd() const { return (squares_ / total_ - mean().cwiseAbs2()).cwiseSqrt(); }

 private:
  double total_ = 0;
  Eigen::Vector3d sum_ = Eigen::Vector3d::Zero(), squares_ = Eigen::Vector3d::Zero();
};

// Vectors that are noise alone leave latents their prior, of which tables are means of cosines.
TEST(ProcessDraws, LatentsHaveTheirPriorWhereDataSayNothing) {
  Random random(2);
  const Index N = 100;
  const Matrix V = random.normals(3, N), X = 0.3 * random.normals(2, N);
  const PosteriorPtr process = process_of(X, V, Eigen::Vector2d(-9, 0), 1, 0.5);
  const auto draws = draws_of(process, X, V, 0.5, {600, 40});
  ASSERT_EQ(draws.size(), 40u);
  Matrix mean = Matrix::Zero(draws[0].table.rows(), draws[0].table.cols());
  for (const LatticeDraw& draw : draws) mean += draw.table / (40.0 * N);
  const Vector& periods = lattice_parts(*process)->periods;
  for (const int m : {1, 2}) {
    const double w = 2 * M_PI * m / periods[0], expected = std::exp(-w * w / 2);
    EXPECT_NEAR(mean(m, 0), expected, 0.06) << m;
    EXPECT_GT(std::abs(std::exp(-w * w * 0.09 / 2) - expected), 0.12);  // where the chain began
  }
}

// Of latents that do not move the chain's kernel and noise have a density that can be had node by node: the bound of
// points at these latents, flat in the logarithms. From twice the noise.
TEST(ProcessDraws, KernelAndNoiseAreWhatPointsSay) {
  Random random(3);
  const Index N = 25;
  const LatentSpace line = LatentSpace::plain(1);
  const Matrix X = random.normals(1, N);
  Matrix V(3, N);
  V.row(0) = (1.5 * X.array()).sin();
  V.row(1) = (1.5 * X.array() + 1).sin();
  V.row(2) = 0.5 * X;
  V += 0.2 * random.normals(3, N);
  const PosteriorPtr process = process_of(X, V, Eigen::Vector2d(0, 0), 0.08, 1e-6, line);
  const LatticePosteriorParts& parts = *lattice_parts(*process);
  const auto draws = draws_of(process, X, V, 1e-6, {24000, 1600});
  ASSERT_EQ(draws.size(), 1600u);
  Moments chain;
  for (const LatticeDraw& draw : draws) chain.add(0, Eigen::Vector3d(draw.theta[0], draw.theta[1], log(draw.noise)));

  const KernelSpectrum spectrum(line, *spectral_terms(*parts.kernel, line), 2);
  const Lattice lattice(line, parts.periods, parts.modes);
  const LatticeBlock block(lattice, X, Matrix());
  const LatticeSums sums = sums_of_points(lattice, block.table(), block.cross(V), V);
  CollapsedBound bound(spectrum, lattice, parts.neglected > 0 ? Neglected::penalised : Neglected::dropped);
  Moments exact;
  constexpr int nodes = 18;
  const Eigen::Vector3d middle = chain.mean(), reach = 4 * chain.sd();
  const double highest = bound.value(middle.head(2), std::exp(middle[2]), sums);
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b)
      for (int c = 0; c < nodes; ++c) {
        const Eigen::Vector3d at = middle.array() + reach.array() * (2 * Eigen::Array3d(a, b, c) + 1 - nodes) / nodes;
        exact.add(bound.value(at.head(2), std::exp(at[2]), sums) - highest, at);
      }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(chain.mean()[k], exact.mean()[k], 0.4 * exact.sd()[k]) << k;
    EXPECT_NEAR(chain.sd()[k] / exact.sd()[k], 1, 0.35) << k;
  }
  EXPECT_GT(std::abs(chain.mean()[2] - std::log(0.08)), exact.sd()[2]);
}

// A draw's neglected variance is that of its own kernel.
TEST(ProcessDraws, NeglectedVariancesAreTheDraws) {
  const test::Waves data = test::waves(plane, 40);
  const PosteriorPtr process = process_of(data.X, data.V, Eigen::Vector2d(0, 0), 0.05, 0.2);
  const LatticePosteriorParts& parts = *lattice_parts(*process);
  ASSERT_GT(parts.neglected, 0);
  const KernelSpectrum spectrum(plane, *spectral_terms(*parts.kernel, plane), 2);
  const Lattice lattice(plane, parts.periods, parts.modes);
  const LatticeBlock block(lattice, data.X, Matrix());
  const LatticeSums sums = sums_of_points(lattice, block.table(), block.cross(data.V), data.V);
  CollapsedBound bound(spectrum, lattice, Neglected::penalised);
  for (const LatticeDraw& draw : draws_of(process, data.X, data.V, 0.2, {60, 3})) {
    bound.value(draw.theta, draw.noise, sums);
    EXPECT_EQ(draw.neglected, bound.neglected());
    EXPECT_NE(draw.neglected, parts.neglected);
  }
}

TEST(CollapsedBound, DrawnWeightsHaveItsMeanAndCovariance) {
  const test::Waves data = test::waves(LatentSpace::plain(1), 6);
  const LatentSpace line = LatentSpace::plain(1);
  const KernelPtr kernel = parse_kernel("rbf", line, LengthScales::shared);
  const KernelSpectrum spectrum(line, *spectral_terms(*kernel, line), 2);
  const Lattice lattice = choose_lattice(spectrum, Eigen::Vector2d(0, 0), Vector::Constant(1, 8), {0.05, 9}).lattice;
  const LatticeBlock block(lattice, data.X, Matrix());
  CollapsedBound bound(spectrum, lattice, Neglected::dropped);
  bound.value(Eigen::Vector2d(0, 0), 0.1, sums_of_points(lattice, block.table(), block.cross(data.V), data.V));
  constexpr int count = 5000;
  Random random(1);
  Matrix sum = Matrix::Zero(lattice.size(), 4), squares = Matrix::Zero(lattice.size(), lattice.size());
  for (int k = 0; k < count; ++k) {
    const Matrix away = bound.drawn_weights(random) - bound.weights();
    sum += away / count;
    squares += away * away.transpose() / (4 * count);
  }
  const Matrix expected = bound.weights_covariance();
  const double most = std::sqrt(expected.diagonal().maxCoeff());
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), 5 * most / std::sqrt(count));
  EXPECT_LT((squares - expected).cwiseAbs().maxCoeff(), 5 * most * most * std::sqrt(2.0 / (4 * count)));
  // What points say is much of it.
  EXPECT_LT(expected.diagonal().minCoeff(), 0.5 * bound.amplitudes().minCoeff());
}

// Another optimum: with a kernel much shorter than the lattice was made for, or latents that lie beyond it, it is not
// held.
TEST(ProcessDraws, ALatticeHoldsStartsLikeItsOwn) {
  const test::Waves data = test::waves(plane, 40);
  const LatticePosteriorParts parts = *lattice_parts(*process_of(data.X, data.V, Eigen::Vector2d(0, 0), 0.05, 0.2));
  const Matrix sd = Matrix::Constant(2, 40, 0.2);
  EXPECT_TRUE(is_held(parts, {data.X, sd, parts.theta, 0.05}, 1e-9));
  EXPECT_TRUE(is_held(parts, {data.X, sd, Eigen::Vector2d(-0.1, 0.1), 0.05}, 0.08));
  EXPECT_FALSE(is_held(parts, {data.X, sd, Eigen::Vector2d(0, -1.2), 0.05}, 0.08));
  EXPECT_TRUE(is_held(parts, {data.X, sd, Eigen::Vector2d(0, -1.2), 0.05}, 1000));
  EXPECT_FALSE(is_held(parts, {4 * data.X, sd, parts.theta, 0.05}, 0.08));
}

// Latents stay where the lattice tells places apart: of those of which data say nothing the normal prior's middle is
// left.
TEST(ProcessDraws, LatentsStayWithinTheLattice) {
  Random random(2);
  const Index N = 200;
  const Matrix V = random.normals(3, N), X = 0.3 * random.normals(2, N);
  LatticePosteriorParts parts = *lattice_parts(*process_of(X, V, Eigen::Vector2d(-9, 0), 1, 0.5));
  parts.periods = Eigen::Vector2d(3, 3);
  const PosteriorPtr process = lattice_posterior(parts);
  const auto draws = draws_of(process, X, V, 0.5, {300, 40});
  ASSERT_EQ(draws.size(), 40u);
  double found = 0;
  for (const LatticeDraw& draw : draws) found += draw.table(1, 0) / (40.0 * N);
  const double middle = LatticeBounds(parts).middle[0], w = 2 * M_PI / 3;
  double inside = 0, expected = 0;
  for (double x = middle - 1.5 + 5e-4; x < middle + 1.5; x += 1e-3) {
    inside += std::exp(-x * x / 2);
    expected += std::cos(w * x) * std::exp(-x * x / 2);
  }
  EXPECT_NEAR(found, expected / inside, 0.03);
  EXPECT_GT(expected / inside, std::exp(-w * w / 2) + 0.06);

  Matrix beyond = X;
  beyond(0, 7) = middle + 1.6;
  RunControl control;
  EXPECT_TRUE(
      draw_processes(parts, V, {beyond, Matrix::Constant(2, N, 0.5), parts.theta, 1}, {30, 3}, 1, 5, control).empty());
}

TEST(ProcessDraws, AreTheSameForTheSameSeedAlone) {
  const test::Waves data = test::waves(plane, 40);
  const PosteriorPtr process = process_of(data.X, data.V, Eigen::Vector2d(0, 0), 0.05, 0.2);
  const auto a = draws_of(process, data.X, data.V, 0.2, {30, 3}), b = draws_of(process, data.X, data.V, 0.2, {30, 3}),
             c = draws_of(process, data.X, data.V, 0.2, {30, 3}, 2);
  ASSERT_EQ(a.size(), 3u);
  EXPECT_EQ(a[2].weights, b[2].weights);
  EXPECT_EQ(a[2].table, b[2].table);
  EXPECT_NE(a[2].weights, c[2].weights);
  EXPECT_NE(a[1].weights, a[2].weights);
}

TEST(ProcessDraws, EndWhenTheyAreTold) {
  const test::Waves data = test::waves(plane, 40);
  const PosteriorPtr process = process_of(data.X, data.V, Eigen::Vector2d(0, 0), 0.05, 0.2);
  RunControl control([](const Progress&) { return false; });
  EXPECT_THROW(draw_processes(*lattice_parts(*process), data.V,
                              {data.X, Matrix::Constant(2, 40, 0.2), lattice_parts(*process)->theta, 0.05}, {1000, 1},
                              1, 1, control),
               Stopped);
}

}  // namespace
}  // namespace wgp
