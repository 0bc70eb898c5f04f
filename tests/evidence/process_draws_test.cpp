// Processes drawn by a Markov chain: the prior where the data say nothing, and what points say where they are many.
#include "evidence/process_draws.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evidence/variational_evidence.h"
#include "evidence/waves.h"

namespace wgp {
namespace {

const LatentSpace plane = LatentSpace::plain(2);

PosteriorPtr process_of(const Matrix& X, const Matrix& V, const Vector& theta, double noise, double X_sd) {
  const KernelPtr kernel = parse_kernel("rbf", plane, LengthScales::shared);
  Parameters at = Parameters::of(X, theta, noise);
  at.S = Matrix::Constant(X.rows(), X.cols(), 2 * std::log(X_sd));
  return variational_evidence({kernel, plane, nullptr, nullptr})->condition(at, noise, V);
}
std::vector<LatticeDraw> draws_of(const PosteriorPtr& process, const Matrix& X, const Matrix& V, double X_sd,
                                  const ChainLength& length, std::uint64_t seed = 1) {
  const LatticePosteriorParts& parts = *lattice_parts(*process);
  RunControl control;
  return draw_processes(parts, V, {X, Matrix::Constant(X.rows(), X.cols(), X_sd), parts.theta, parts.noise}, length,
                        seed, 5, control);
}

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

// A regression in effect: latents are known to a hundredth of a length-scale, and so is the noise.
TEST(ProcessDraws, NoiseIsThatOfThePoints) {
  Random random(3);
  const Index N = 150;
  Matrix X = random.normals(2, N), V(8, N);
  const Matrix slopes = 3 * random.normals(8, 2);
  const Vector phases = 6 * random.normals(8);
  for (Index n = 0; n < N; ++n) V.col(n) = (0.3 * slopes * X.col(n) + phases).array().sin();
  V += 0.05 * random.normals(8, N);
  // From twice and from half of it.
  for (const double begin : {0.1, 0.025}) {
    const PosteriorPtr process = process_of(X, V, Eigen::Vector2d(0, 0), begin * begin, 0.05);
    const auto draws = draws_of(process, X, V, 0.05, {600, 20});
    ASSERT_EQ(draws.size(), 20u);
    double mean = 0;
    for (const LatticeDraw& draw : draws) mean += std::sqrt(draw.noise) / 20;
    EXPECT_NEAR(mean, 0.05, 0.006) << begin;
  }
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
