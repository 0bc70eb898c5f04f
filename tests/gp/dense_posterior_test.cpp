#include "gp/dense_posterior.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <thread>

#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

struct Conditioned {
  KernelPtr kernel;
  Vector theta;
  double noise = 0.01;
  Matrix X, V, K;
  PosteriorPtr posterior;
  explicit Conditioned(Index N, const char* spec = "rbf", const LatentSpace& latent = LatentSpace::plain(2))
      : kernel(parse_kernel(spec, latent)), theta(kernel->default_parameters()) {
    Random random(static_cast<std::uint64_t>(N));
    X = random.normals(latent.dim(), N);
    V = random.normals(3, N);
    K = kernel->cov(theta, X, X) + noise * Matrix::Identity(N, N);
    posterior = condition_densely(parts(latent));
  }
  DensePosteriorParts parts(const LatentSpace& latent = LatentSpace::plain(2)) const {
    return {kernel, latent, theta, noise, 0, X, V, {}, {}};
  }
  Vector inverse_diagonal() const { return posterior->arrays().at(inverse_diagonal_array); }
};

TEST(DensePosterior, InverseDiagonal) {
  for (const Index N : {1, 63, 64, 65, 150}) {
    const Conditioned at(N);
    EXPECT_TRUE(close(at.inverse_diagonal(), Vector(at.K.inverse().diagonal()), 1e-11)) << N;
  }
}

// It is worked out by whoever asks first.
TEST(DensePosterior, InverseDiagonalFromSeveralThreads) {
  const Conditioned at(200);
  const PosteriorPtr copy = at.posterior;
  std::vector<Vector> seen(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < seen.size(); ++i)
    threads.emplace_back([&, i] { seen[i] = (i % 2 ? copy : at.posterior)->arrays().at(inverse_diagonal_array); });
  for (std::thread& thread : threads) thread.join();
  for (const Vector& one : seen) EXPECT_EQ(one, seen[0]);
}

// Many inputs are predicted some at a time.
TEST(DensePosterior, PredictsManyInputsAsOne) {
  const Conditioned at(40);
  Random random(1);
  const Matrix inputs = random.normals(2, 1100);
  const GpPrediction all = at.posterior->predict(inputs);
  const Matrix k = at.kernel->cov(at.theta, at.X, inputs);
  EXPECT_TRUE(close(all.mean, Matrix(at.V * at.K.inverse() * k), 1e-10));
  EXPECT_TRUE(close(at.posterior->mean(inputs), all.mean, 1e-12));
  const Vector variance = 1 - (k.array() * (at.K.inverse() * k).array()).colwise().sum().transpose();
  EXPECT_LT((all.variance - variance).cwiseAbs().maxCoeff(), 1e-10);
  const Matrix few = inputs.leftCols(20), covariance = at.posterior->covariance(few);
  EXPECT_LT((covariance.diagonal() - all.variance.head(20)).cwiseAbs().maxCoeff(), 1e-10);
  const Matrix k_few = k.leftCols(20);
  EXPECT_TRUE(close(covariance, at.kernel->cov(at.theta, few, few) - k_few.transpose() * at.K.inverse() * k_few, 1e-9));
  EXPECT_EQ(at.posterior->prior_variance(few), Vector::Ones(20));
  EXPECT_EQ(at.posterior->predict(Matrix(2, 0)).mean.cols(), 0);
  EXPECT_EQ(at.posterior->outputs(), 3);
}

TEST(DensePosterior, AtTheTrainingLatentsAndWithoutOneOfThem) {
  const Conditioned at(30);
  const GpPrediction there = at.posterior->at_training_latents(), expected = at.posterior->predict(at.X);
  EXPECT_EQ(at.posterior->training_latents(), at.X);
  EXPECT_LT((there.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((there.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-11);

  const std::optional<LeaveOneOut> left = at.posterior->leave_one_out();
  ASSERT_TRUE(left);
  double loneliest = 0;
  for (Index i = 0; i < 30; ++i) {
    std::vector<Index> others;
    for (Index j = 0; j < 30; ++j)
      if (j != i) others.push_back(j);
    DensePosteriorParts parts = at.parts();
    parts.X = at.X(Eigen::all, others);
    parts.V = at.V(Eigen::all, others);
    const GpPrediction one = condition_densely(parts)->predict(at.X.col(i));
    EXPECT_LT((left->mean.col(i) - one.mean).norm(), 1e-9) << i;
    EXPECT_NEAR(left->function_variance[i], one.variance[0], 1e-10) << i;
    EXPECT_NEAR(left->variance[i], one.variance[0] + at.noise, 1e-10) << i;
    loneliest = std::max(loneliest, one.variance[0]);
  }
  EXPECT_NEAR(at.posterior->support_limit(), loneliest, 1e-10);
}

// Central differences of both, at kernels with and without a variance that changes.
TEST(DensePosterior, TracesCanBeDifferentiated) {
  for (const auto& [spec, latent] :
       {std::pair("rbf", LatentSpace::plain(2)), std::pair("rbf+linear", LatentSpace::plain(2)),
        std::pair("periodic*matern52", LatentSpace(1, 1))}) {
    SCOPED_TRACE(spec);
    const Conditioned at(25, spec, latent);
    Random random(3);
    const Matrix inputs = random.normals(2, 6), by_mean = random.normals(3, 6);
    const Vector by_variance = random.normals(6);
    for (const auto what : {Posterior::Traced::mean, Posterior::Traced::mean_and_variance}) {
      const bool both = what == Posterior::Traced::mean_and_variance;
      const auto traced = at.posterior->trace(inputs, what);
      const GpPrediction exact = at.posterior->predict(inputs);
      EXPECT_TRUE(close(traced->prediction().mean, exact.mean, 1e-11));
      if (both)
        EXPECT_LT((traced->prediction().variance - exact.variance).norm(), 1e-11);
      else
        EXPECT_EQ(traced->prediction().variance.size(), 0);
      Matrix gradient = Matrix::Constant(2, 6, 0.5);  // it is added
      traced->pull_back(by_mean, both ? by_variance : Vector(), gradient);
      const auto value = [&](const Matrix& X) -> Vector {
        const GpPrediction there = at.posterior->predict(X);
        Vector values = there.mean.cwiseProduct(by_mean).colwise().sum();
        if (both) values += there.variance.cwiseProduct(by_variance);
        return values;
      };
      for (Index j = 0; j < 2; ++j) {
        constexpr double h = 1e-5;
        Matrix above = inputs, below = inputs;
        above.row(j).array() += h;
        below.row(j).array() -= h;
        const Vector slope = (value(above) - value(below)) / (2 * h);
        EXPECT_LT((gradient.row(j).transpose() - slope - Vector::Constant(6, 0.5)).norm(), 1e-6 * (1 + slope.norm()));
      }
    }
  }
}

TEST(DensePosterior, ComesBackFromItsArrays) {
  const Conditioned at(30);
  const auto arrays = at.posterior->arrays();
  DensePosteriorParts parts = at.parts();
  parts.A = arrays.at(weights_array);
  parts.inverse_diagonal = arrays.at(inverse_diagonal_array);
  const PosteriorPtr back = restore_dense_posterior(parts);
  Random random(2);
  const Matrix inputs = random.normals(2, 50);
  const GpPrediction a = at.posterior->predict(inputs), b = back->predict(inputs);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
  EXPECT_EQ(back->support_limit(), at.posterior->support_limit());
  EXPECT_EQ(back->leave_one_out()->mean, at.posterior->leave_one_out()->mean);
  EXPECT_EQ(back->arrays(), arrays);
}

TEST(DensePosterior, JitterIsPartOfIt) {
  DensePosteriorParts parts = Conditioned(20).parts();
  parts.X = Matrix::Zero(2, 20);  // all at one place
  parts.noise = 0;
  const PosteriorPtr posterior = condition_densely(parts);
  ASSERT_TRUE(posterior);
  const double jitter = jitter_of(*posterior);
  EXPECT_GT(jitter, 0);
  EXPECT_LE(jitter, 1e-5);
  // The prediction at that place is the mean of the data.
  EXPECT_TRUE(close(posterior->predict(Matrix::Zero(2, 1)).mean, parts.V.rowwise().mean(), 1e-4));
  parts.theta[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(condition_densely(parts), nullptr);
}

TEST(DensePosterior, StopsWhenToldTo) {
  RunControl control([](const Progress&) { return false; });
  EXPECT_THROW(condition_densely(Conditioned(1200).parts(), &control), Stopped);
}

TEST(DensePosterior, GrainIsThatOfTheShortestLength) {
  const LatentSpace latent(1, 2);
  const KernelPtr kernel = parse_kernel("rbf", latent, LengthScales::per_dimension);
  Vector theta = kernel->default_parameters();
  const std::vector<Index> plain = kernel->length_parameters(), angles = kernel->angle_length_parameters();
  theta[plain[0]] = 0.5;
  theta[plain[1]] = -1;
  theta[angles[0]] = 0.3;
  Random random(4);
  const PosteriorPtr posterior =
      condition_densely({kernel, latent, theta, 0.1, 0, random.normals(3, 10), random.normals(2, 10), {}, {}});
  const Posterior::Grain grain = posterior->grain();
  EXPECT_NEAR(grain.plain, std::exp(-1.0), 1e-15);
  EXPECT_NEAR(grain.angle, std::exp(0.3), 1e-15);
  EXPECT_EQ(grain.rounding.size(), 3);
  EXPECT_GT(grain.rounding.minCoeff(), 0);
  const PosteriorPtr linear = condition_densely({parse_kernel("linear", LatentSpace::plain(1)),
                                                 LatentSpace::plain(1),
                                                 Vector::Zero(1),
                                                 0.1,
                                                 0,
                                                 random.normals(1, 5),
                                                 random.normals(2, 5),
                                                 {},
                                                 {}});
  EXPECT_EQ(linear->grain().plain, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace wgp
