// The dense evidence: its two paths, its threads and its tiles.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "evidence/dense_tiles.h"
#include "evidence/evidence.h"
#include "golden.h"
#include "gp/jitter.h"
#include "simd/kernels.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

struct Problem {
  KernelPtr kernel;
  Matrix X, V;
  Vector theta;
  Outputs outputs;
  Problem(const std::string& spec, LengthScales scales, Index N, Index d, Index q = 2)
      : kernel(parse_kernel(spec, LatentSpace::plain(q), scales)) {
    Random random(static_cast<std::uint64_t>(N + d));
    X = 2 * random.normals(q, N);
    X.row(0).array() += 30;  // far from the origin
    V = random.normals(d, N);
    theta = 0.3 * random.normals(kernel->parameter_count(), 1);
    outputs = {compress_rows(V), d};
  }
  double signal() const { return kernel->diag(theta, X).maxCoeff(); }
  Parameters at(double noise) const { return Parameters::of(X, theta, noise); }
  std::unique_ptr<Evidence> evidence(DensePath path = DensePath::automatic, Executor* executor = nullptr) const {
    return dense_evidence({kernel, LatentSpace::plain(X.rows()), executor}, path);
  }
  // Everything as it was with another unit of V.
  void scale_by(double factor) {
    V *= factor;
    outputs.rows *= factor;
    theta[0] += 2 * std::log(factor);
  }
};

struct Evaluation {
  double value = 0;
  EvidenceGradient gradient;
  Evaluation(Evidence& evidence, const Problem& problem, double noise) {
    value = evidence.value_and_gradient(problem.at(noise), problem.outputs, gradient, ByOutputs::wanted);
  }
};
EvidenceGradient gradient_of(Evidence& evidence) {
  EvidenceGradient gradient;
  evidence.gradient(gradient, ByOutputs::wanted);
  return gradient;
}

TEST(DenseEvidence, ThreadsDoNotChangeABit) {
  for (const char* kernel : {"rbf", "matern52"}) {
    const Problem problem(kernel, LengthScales::shared, 450, 5);
    Executor executor(2);
    const Evaluation one(*problem.evidence(), problem, 0.1);
    const Evaluation two(*problem.evidence(DensePath::automatic, &executor), problem, 0.1);
    EXPECT_EQ(one.value, two.value);
    EXPECT_EQ(one.gradient.X, two.gradient.X);
    EXPECT_EQ(one.gradient.theta, two.gradient.theta);
    EXPECT_EQ(one.gradient.noise, two.gradient.noise);
    EXPECT_EQ(one.gradient.rows, two.gradient.rows);
  }
}

::testing::AssertionResult same_bytes(const Evaluation& a, const Evaluation& b) {
  if (a.value == b.value && a.gradient.X == b.gradient.X && a.gradient.theta == b.gradient.theta &&
      a.gradient.noise == b.gradient.noise && a.gradient.rows == b.gradient.rows)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a.value << " and " << b.value;
}

TEST(DenseEvidence, SweepAgreesWithCholesky) {
  for (const char* spec : {"rbf", "matern52", "rbf+linear"})
    for (const LengthScales scales : {LengthScales::shared, LengthScales::per_dimension})
      for (const Index N : {1, 2, 12, 25, 49, 126})
        for (const Index d : {1, 6, 55})
          for (const double share : {1e-2, 1e-4}) {
            SCOPED_TRACE(testing::Message() << spec << ", N " << N << ", d " << d << ", noise/signal " << share);
            const Problem problem(spec, scales, N, d);
            const double noise = share * problem.signal();
            const auto fast = problem.evidence(), safe = problem.evidence(DensePath::safe);
            const Evaluation a(*fast, problem, noise), b(*safe, problem, noise);
            EXPECT_TRUE(close(a.value, b.value, 1e-10));
            EXPECT_TRUE(close(a.gradient.X, b.gradient.X, 1e-10));
            EXPECT_TRUE(close(a.gradient.theta, b.gradient.theta, 1e-10));
            EXPECT_TRUE(close(a.gradient.noise, b.gradient.noise, 1e-10));
            EXPECT_TRUE(close(a.gradient.rows, b.gradient.rows, 1e-10));
            // In two steps.
            EXPECT_TRUE(close(fast->value(problem.at(noise), problem.outputs), b.value, 1e-10));
            const EvidenceGradient later = gradient_of(*fast);
            EXPECT_EQ(later.X, a.gradient.X);
            EXPECT_EQ(later.theta, a.gradient.theta);
            EXPECT_EQ(later.noise, a.gradient.noise);
            EXPECT_EQ(later.rows, a.gradient.rows);
          }
}

// Large matrices are swept in larger blocks; from 3072 points on a part of the gradient's sums has more than one strip.
TEST(DenseEvidence, LargeMatricesToo) {
  for (const Index N : {450, 1600, 3200}) {
    SCOPED_TRACE(testing::Message() << "N " << N);
    const Problem problem("rbf", LengthScales::per_dimension, N, 3);
    const double noise = 1e-2 * problem.signal();
    const Evaluation fast(*problem.evidence(), problem, noise);
    const Evaluation safe(*problem.evidence(DensePath::safe), problem, noise);
    EXPECT_TRUE(close(fast.value, safe.value, 1e-10));
    EXPECT_TRUE(close(fast.gradient.X, safe.gradient.X, 1e-9));
    EXPECT_TRUE(close(fast.gradient.theta, safe.gradient.theta, 1e-9));
    EXPECT_TRUE(close(fast.gradient.noise, safe.gradient.noise, 1e-9));
    EXPECT_TRUE(close(fast.gradient.rows, safe.gradient.rows, 1e-9));
    Executor executor(2);
    const Evaluation shared(*problem.evidence(DensePath::automatic, &executor), problem, noise);
    EXPECT_TRUE(same_bytes(fast, shared));
    const auto in_steps = problem.evidence(DensePath::automatic, &executor);
    EXPECT_TRUE(close(in_steps->value(problem.at(noise), problem.outputs), safe.value, 1e-10));
    EXPECT_EQ(gradient_of(*in_steps).X, fast.gradient.X);
  }
}

TEST(DenseEvidence, GradientIsTheDifferenceQuotient) {
  for (const Index q : {1, 2, 5}) {
    Problem problem("rbf", LengthScales::per_dimension, 40, 3, q);
    const double noise = 0.01, h = 1e-5;
    const auto evidence = problem.evidence();
    const Evaluation at(*evidence, problem, noise);
    const auto value = [&](double of_noise) { return evidence->value(problem.at(of_noise), problem.outputs); };
    const auto quotient = [&](double& x) {
      const double before = x;
      x = before + h;
      const double above = value(noise);
      x = before - h;
      const double below = value(noise);
      x = before;
      return (above - below) / (2 * h);
    };
    Matrix by_X(q, 40);
    for (Index i = 0; i < by_X.size(); ++i) by_X.data()[i] = quotient(problem.X.data()[i]);
    Vector by_theta(problem.theta.size());
    for (Index i = 0; i < by_theta.size(); ++i) by_theta[i] = quotient(problem.theta[i]);
    EXPECT_TRUE(close(at.gradient.X, by_X, 1e-6)) << q;
    EXPECT_TRUE(close(at.gradient.theta, by_theta, 1e-6)) << q;
    const double by_noise = (value(noise + 1e-7) - value(noise - 1e-7)) / 2e-7;
    EXPECT_TRUE(close(at.gradient.noise, by_noise, 1e-6)) << q;
  }
}

TEST(DenseEvidence, SameBytesTwice) {
  const Problem problem("rbf", LengthScales::shared, 130, 6);
  const auto evidence = problem.evidence(), other = problem.evidence();
  const Evaluation first(*evidence, problem, 0.01), second(*other, problem, 0.01);
  EXPECT_TRUE(same_bytes(first, second));
  Evaluation(*evidence, problem, 0.5);
  EXPECT_TRUE(same_bytes(first, Evaluation(*evidence, problem, 0.01)));
}

// Little noise, and every noise on processors without AVX2 and FMA: Cholesky, to the last bit.
TEST(DenseEvidence, SafePathTakesOver) {
  for (const char* spec : {"rbf", "matern52"}) {
    Problem problem(spec, LengthScales::shared, 60, 6);
    problem.scale_by(1e3);  // so that little noise is above the floor
    const auto evidence = problem.evidence(), safe = problem.evidence(DensePath::safe);
    for (const double share : {1e-2, 9e-7, 2e-6, 1e-8, 1e-3}) {
      const double noise = share * problem.signal();
      const Evaluation a(*evidence, problem, noise), b(*safe, problem, noise);
      EXPECT_EQ(bool(same_bytes(a, b)), share < 1e-6 || !simd().sweep.fast) << spec << " " << share;
      EXPECT_TRUE(close(a.gradient.X, b.gradient.X, 1e-6)) << spec << " " << share;
      EXPECT_TRUE(close(evidence->value(problem.at(noise), problem.outputs), a.value, 1e-13)) << spec << " " << share;
      EXPECT_TRUE(close(gradient_of(*evidence).X, a.gradient.X, 1e-6)) << spec << " " << share;
    }
    EXPECT_EQ(evidence->jitter(), 0);
  }
}

// A covariance that rounding or a user's own kernel made indefinite, by less than the jitter may mend.
class IndefiniteKernel final : public Kernel {
 public:
  std::string spec() const override { return "indefinite"; }
  std::vector<std::string> parameter_names() const override { return {"log_variance"}; }
  Vector default_parameters() const override { return Vector::Zero(1); }
  std::vector<Index> length_parameters() const override { return {}; }
  std::vector<Index> angle_length_parameters() const override { return {}; }
  Matrix cov(ConstVectorRef, ConstMatrixRef a, ConstMatrixRef b) const override {
    Matrix K = Matrix::Ones(a.cols(), b.cols());
    if (a.cols() == b.cols()) K(a.cols() - 1, a.cols() - 1) = 1 - 1e-5;
    return K;
  }
  Vector diag(ConstVectorRef, ConstMatrixRef a) const override { return Vector::Ones(a.cols()); }
  void pull_back(ConstVectorRef, ConstMatrixRef, ConstMatrixRef, ConstMatrixRef K, ConstMatrixRef G, VectorRef d_theta,
                 MatrixRef) const override {
    d_theta[0] += G.cwiseProduct(K).sum();
  }
  void pull_back_diag(ConstVectorRef, ConstMatrixRef, ConstVectorRef, MatrixRef) const override {}
};

TEST(DenseEvidence, FailedPivotLeadsToJitterThatStays) {
  Random random(8);
  const Matrix X = random.normals(1, 30), V = random.normals(2, 30);
  const Outputs outputs = Outputs::of(V);
  const auto kernel = std::make_shared<IndefiniteKernel>();
  const Parameters little = Parameters::of(X, Vector::Zero(1), 1.5e-6), much = Parameters::of(X, Vector::Zero(1), 0.1);
  const auto evidence = dense_evidence({kernel}), safe = dense_evidence({kernel}, DensePath::safe);
  EvidenceGradient a, b;
  EXPECT_TRUE(std::isfinite(evidence->value_and_gradient(little, outputs, a, ByOutputs::unwanted)));
  EXPECT_EQ(safe->value_and_gradient(little, outputs, b, ByOutputs::unwanted), evidence->value(little, outputs));
  EXPECT_EQ(a.theta, b.theta);
  EXPECT_GT(evidence->jitter(), 1e-7);
  EXPECT_EQ(evidence->jitter(), safe->jitter());
  const auto fresh = dense_evidence({kernel});
  EXPECT_NE(evidence->value(much, outputs), fresh->value(much, outputs)) << "the jitter is gone";
  EXPECT_EQ(fresh->jitter(), 0);
}

TEST(DenseEvidence, NotANumberIsNotAdmissible) {
  Problem problem("rbf", LengthScales::shared, 30, 2);
  problem.X(1, 7) = std::numeric_limits<double>::quiet_NaN();
  EvidenceGradient untouched;
  constexpr double none = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(problem.evidence()->value(problem.at(0.1), problem.outputs), none);
  EXPECT_EQ(problem.evidence()->value_and_gradient(problem.at(0.1), problem.outputs, untouched, ByOutputs::unwanted),
            none);
  EXPECT_EQ(untouched.X.size(), 0);
}

TEST(DenseEvidence, CovarianceInPanels) {
  const Index N = 400;
  Matrix X(1, N);
  for (Index i = 0; i < N; ++i) X(0, i) = 0.11 * static_cast<double>(i);
  X(0, N - 1) = 1e200;  // costs the others nothing
  const Vector theta = Eigen::Vector2d(0.7, -0.2);
  const Matrix expected = parse_kernel("rbf", LatentSpace::plain(1))->cov(theta, X, X);
  PanelMatrix K(N, 0), S(N, 3);
  RbfTiles(N, 1).fill(theta, X, 0.25, K, S);
  for (Index j = 0; j < N; ++j) {
    EXPECT_EQ(K(j, j), 0);
    EXPECT_EQ(S(j, j), std::exp(0.7) + 0.25);
    for (Index i = j + 1; i < N; ++i) {
      ASSERT_EQ(K(i, j), S(i, j));
      // The argument's rounding grows with its size; below 2^-1000 of the variance there is nothing.
      if (expected(i, j) > 1e-290)
        ASSERT_NEAR(K(i, j) / expected(i, j), 1, 1e-14 * (1 - std::log(expected(i, j) / std::exp(0.7))))
            << i << " " << j;
      else
        ASSERT_LT(std::abs(K(i, j)), 1e-289) << i << " " << j;
    }
  }
}

// Whatever the machine has: workers are asked for, not what the evidence would take.
TEST(DenseEvidence, WorkersShareTheTilesBitForBit) {
  struct Result {
    Matrix X, A;
    Vector theta;
    double noise;
  };
  const auto evaluate = [](Index N, Index d, Executor* executor) {
    Random random(static_cast<std::uint64_t>(N));
    const Matrix X = random.normals(2, N), Z = random.normals(d, N);
    const Vector theta = Eigen::Vector2d(0.2, -0.1);
    PanelMatrix K(N, 0), S(N, d);
    RbfTiles rbf(N, 2, executor);
    rbf.fill(theta, X, 0.1, K, S);
    append_rows(Z, S, executor);
    Sweep sweep(N, d, executor);
    EXPECT_TRUE(sweep.invert(S));
    LikelihoodTiles tiles(N, d, executor);
    tiles.take(S, d);
    EvidenceGradient gradient;
    rbf.pull_back(theta, K, tiles, gradient);
    return Result{gradient.X, K(N - 1, 0) * Matrix::Identity(1, 1), gradient.theta, gradient.noise};
  };
  for (const Index N : {1, 13, 100, 450}) {
    const Result alone = evaluate(N, 7, nullptr);
    for (const int members : {2, 3}) {
      SCOPED_TRACE(testing::Message() << N << " points, " << members << " members");
      Executor executor(members);
      const Result shared = evaluate(N, 7, &executor);
      EXPECT_EQ(alone.X, shared.X);
      EXPECT_EQ(alone.A, shared.A);
      EXPECT_EQ(alone.theta, shared.theta);
      EXPECT_EQ(alone.noise, shared.noise);
    }
  }
}

TEST(DenseEvidence, FarPointsAreIndependent) {
  Problem problem("rbf", LengthScales::shared, 40, 2);
  problem.theta.setZero();
  for (Index i = 0; i < 40; ++i) problem.X.col(i) = Eigen::Vector2d(1e3 * static_cast<double>(i), -1e160);
  const auto evidence = problem.evidence();
  const Evaluation at(*evidence, problem, 0.5);
  EXPECT_NEAR(at.value, -40 * std::log(2 * 3.14159265358979324 * 1.5) - problem.V.squaredNorm() / 3, 1e-10);
  EXPECT_EQ(at.gradient.X.norm(), 0);
}

}  // namespace
}  // namespace wgp
