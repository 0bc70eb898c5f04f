#include "gp/conditioning.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <thread>

#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

struct Conditioned {
  KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2));
  Vector theta = kernel->default_parameters();
  double noise = 0.01;
  Matrix X, V, K;
  GpPosterior posterior;
  explicit Conditioned(Index N) {
    Random random(static_cast<std::uint64_t>(N));
    X = random.normals(2, N);
    V = random.normals(3, N);
    K = kernel->cov(theta, X, X) + noise * Matrix::Identity(N, N);
    posterior = GpPosterior(kernel, theta, noise, X, V);
  }
};

TEST(GpPosterior, InverseDiagonal) {
  for (const Index N : {1, 63, 64, 65, 150}) {
    const Conditioned at(N);
    EXPECT_TRUE(close(at.posterior.inverse_diagonal(), Vector(at.K.inverse().diagonal()), 1e-11)) << N;
  }
}

// It is worked out by whoever asks first.
TEST(GpPosterior, InverseDiagonalFromSeveralThreads) {
  const Conditioned at(200);
  const GpPosterior copy = at.posterior;
  std::vector<Vector> seen(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < seen.size(); ++i)
    threads.emplace_back([&, i] { seen[i] = (i % 2 ? copy : at.posterior).inverse_diagonal(); });
  for (std::thread& thread : threads) thread.join();
  for (const Vector& one : seen) EXPECT_EQ(one, seen[0]);
}

// Many inputs are predicted some at a time.
TEST(GpPosterior, PredictsManyInputsAsOne) {
  const Conditioned at(40);
  Random random(1);
  const Matrix inputs = random.normals(2, 1100);
  const GpPrediction all = at.posterior.predict(inputs);
  const Matrix k = at.kernel->cov(at.theta, at.X, inputs);
  EXPECT_TRUE(close(all.mean, Matrix(at.V * at.K.inverse() * k), 1e-10));
  const Vector variance = 1 - (k.array() * (at.K.inverse() * k).array()).colwise().sum().transpose();
  EXPECT_LT((all.variance - variance).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(at.posterior.predict(Matrix(2, 0)).mean.cols(), 0);
}

}  // namespace
}  // namespace wgp
