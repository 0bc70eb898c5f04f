#include "gp/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "golden.h"
#include "gp/dense_tiles.h"
#include "gp/fourier.h"
#include "linalg/cholesky.h"
#include "simd/kernels.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::columns;
using test::golden;

TEST(Likelihood, RbfArdGolden) {
  const auto& group = golden("gp.rbf_ard");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Matrix X = columns(in["X"], 2), V = columns(in["V"], 3);
  const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2), LengthScales::per_dimension);
  Vector theta(3);
  theta << std::log(in["sigma2"].get<double>()), column(in["l"]).array().log().matrix();
  const double noise = in["noise2"];
  const auto engine = dense_engine(kernel, V, 3);
  EXPECT_TRUE(close(engine->value(X, theta, noise), out["loglik"].get<double>(), 1e-11));
  const GpGradient gradient = engine->gradient();
  EXPECT_TRUE(close(gradient.X, columns(out["grad_X"], 2), 1e-11));
  EXPECT_TRUE(close(gradient.theta[0], out["grad_log_sigma2"].get<double>(), 1e-11));
  EXPECT_TRUE(close(gradient.theta.tail(2), column(out["grad_log_l"]), 1e-11));
  EXPECT_TRUE(close(noise * gradient.noise, out["grad_log_noise2"].get<double>(), 1e-11));
}

TEST(Likelihood, PeriodicGoldenInBothForms) {
  const auto& group = golden("gp.periodic");
  const auto &in = group["inputs"], &out = group["outputs"];
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  const Matrix t = columns(in["t"], 1), V = columns(in["V"], 3);
  const Vector theta = Eigen::Vector2d(std::log(in["sigma2"].get<double>()), std::log(in["l"].get<double>()));
  const double noise = in["noise2"];
  EXPECT_TRUE(close(kernel->cov(theta, t, t)(0, 1), out["K_01"].get<double>(), 1e-11));
  const auto engine = dense_engine(kernel, V, 3);
  EXPECT_TRUE(close(engine->value(t, theta, noise), out["loglik"].get<double>(), 1e-11));
  const GpGradient gradient = engine->gradient();
  EXPECT_TRUE(close(gradient.X, columns(out["grad_t"], 1), 1e-11));
  EXPECT_TRUE(close(gradient.theta[1], out["grad_log_l"].get<double>(), 1e-11));
  EXPECT_TRUE(close(noise * gradient.noise, out["grad_log_noise2"].get<double>(), 1e-11));
}

TEST(Likelihood, FourierFormIsTheDenseOne) {
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  Random random(3);
  const Index N = 300;
  const Matrix t = 3 * random.normals(1, N), V = random.normals(4, N);
  for (const double l : {0.3, 0.7, 1.5, 8.0, 1e10}) {
    const Vector theta = Eigen::Vector2d(0.4, std::log(l));
    const auto dense = dense_engine(kernel, V, 4), fast = fourier_engine(kernel, circle, V, 4);
    ASSERT_TRUE(fast);
    const double expected = dense->value(t, theta, 0.05);
    EXPECT_NEAR(fast->value(t, theta, 0.05), expected, 1e-12 * std::abs(expected)) << l;
    const GpGradient a = fast->gradient(), b = dense->gradient();
    EXPECT_LE((a.X - b.X).norm(), 1e-10 * b.X.norm() + 1e-13) << l;  // nothing is left of it at the last length
    EXPECT_TRUE(close(a.theta, b.theta, 1e-9)) << l;
    EXPECT_TRUE(close(a.noise, b.noise, 1e-10)) << l;
  }
}

TEST(Likelihood, FourierCoefficientsGolden) {
  for (const auto& row : golden("y.fourier_coefficients")["outputs"]["rows"]) {
    const CosineSeries series = cosine_series(row["l"]);
    EXPECT_TRUE(close(series.a.head(9), column(row["a"]), 1e-13));
    EXPECT_TRUE(close(series.da_dlog_l.head(9), column(row["da_dlogl"]), 1e-13));
    EXPECT_NEAR(series.a.sum(), 1, 1e-15);
  }
}

TEST(Likelihood, CompressionKeepsTheGram) {
  Random random(4);
  const Matrix wide = random.normals(40, 7), low_rank = random.normals(9, 2) * random.normals(2, 30);
  EXPECT_EQ(compress_rows(wide).rows(), 7);
  EXPECT_EQ(compress_rows(low_rank).rows(), 2);
  EXPECT_TRUE(close(compress_rows(wide).transpose() * compress_rows(wide), wide.transpose() * wide, 1e-14));
  EXPECT_TRUE(
      close(compress_rows(low_rank).transpose() * compress_rows(low_rank), low_rank.transpose() * low_rank, 1e-14));
}

TEST(Likelihood, JitterIsTheSmallestThatHelpsAndIsReported) {
  Matrix K = Matrix::Ones(5, 5);
  K(3, 3) = 1 - 1e-9;  // slightly indefinite
  const Matrix before = K;
  const double jitter = factor_with_jitter(K, 0);
  EXPECT_GE(jitter, 1e-10);
  EXPECT_LE(jitter, 1e-8);
  const Matrix L = K.triangularView<Eigen::Lower>();
  EXPECT_TRUE(close(L * L.transpose(), before + jitter * Matrix::Identity(5, 5), 1e-14));

  // Of several squares, three tries, and nothing but the lower triangle given.
  const Index N = 70;
  Random random(4);
  const Matrix B = random.normals(N, 5);
  Matrix large = B * B.transpose();
  large.diagonal().array() -= 3e-9 * large.diagonal().mean();
  Matrix lower_only = Matrix::Constant(N, N, std::numeric_limits<double>::quiet_NaN());
  lower_only.triangularView<Eigen::Lower>() = large;
  const double needed = factor_with_jitter(lower_only, 0);
  EXPECT_NEAR(needed, 1e-8 * large.diagonal().mean(), 1e-10 * large.diagonal().mean());
  const Matrix factor = lower_only.triangularView<Eigen::Lower>();
  EXPECT_TRUE(close(factor * factor.transpose(), large + needed * Matrix::Identity(N, N), 1e-14));
  Matrix hopeless = -Matrix::Identity(3, 3);
  EXPECT_LT(factor_with_jitter(hopeless, 0), 0);
}

// ---- the dense engine's two paths

struct EngineProblem {
  KernelPtr kernel;
  Matrix X, V;
  Vector theta;
  EngineProblem(const std::string& spec, LengthScales scales, Index N, Index d, Index q = 2)
      : kernel(parse_kernel(spec, LatentSpace::plain(q), scales)) {
    Random random(static_cast<std::uint64_t>(N + d));
    X = 2 * random.normals(q, N);
    X.row(0).array() += 30;  // far from the origin
    V = random.normals(d, N);
    theta = 0.3 * random.normals(kernel->parameter_count(), 1);
  }
  double signal() const { return kernel->diag(theta, X).maxCoeff(); }
  std::unique_ptr<GpEngine> engine(DensePath path = DensePath::automatic, int threads = 1) const {
    return dense_engine(kernel, compress_rows(V), V.rows(), path, threads);
  }
};

struct Evaluation {
  double value = 0;
  GpGradient gradient;
  Evaluation(GpEngine& engine, const EngineProblem& at, double noise) {
    value = engine.value_and_gradient(at.X, at.theta, noise, gradient);
  }
};

TEST(DenseEngine, ThreadsDoNotChangeABit) {
  for (const char* kernel : {"rbf", "matern52"}) {
    const EngineProblem problem(kernel, LengthScales::shared, 450, 5);
    const Evaluation one(*problem.engine(), problem, 0.1), two(*problem.engine(DensePath::automatic, 2), problem, 0.1);
    EXPECT_EQ(one.value, two.value);
    EXPECT_EQ(one.gradient.X, two.gradient.X);
    EXPECT_EQ(one.gradient.theta, two.gradient.theta);
    EXPECT_EQ(one.gradient.noise, two.gradient.noise);
  }
}

::testing::AssertionResult same_bytes(const Evaluation& a, const Evaluation& b) {
  if (a.value == b.value && a.gradient.X == b.gradient.X && a.gradient.theta == b.gradient.theta &&
      a.gradient.noise == b.gradient.noise)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a.value << " and " << b.value;
}

TEST(DenseEngine, SweepAgreesWithCholesky) {
  for (const char* spec : {"rbf", "matern52", "rbf+linear"})
    for (const LengthScales scales : {LengthScales::shared, LengthScales::per_dimension})
      for (const Index N : {1, 2, 12, 25, 49, 126})
        for (const Index d : {1, 6, 55})
          for (const double share : {1e-2, 1e-4}) {
            SCOPED_TRACE(testing::Message() << spec << ", N " << N << ", d " << d << ", noise/signal " << share);
            const EngineProblem problem(spec, scales, N, d);
            const double noise = share * problem.signal();
            const auto fast = problem.engine(), safe = problem.engine(DensePath::safe);
            const Evaluation a(*fast, problem, noise), b(*safe, problem, noise);
            EXPECT_TRUE(close(a.value, b.value, 1e-10));
            EXPECT_TRUE(close(a.gradient.X, b.gradient.X, 1e-10));
            EXPECT_TRUE(close(a.gradient.theta, b.gradient.theta, 1e-10));
            EXPECT_TRUE(close(a.gradient.noise, b.gradient.noise, 1e-10));
            // In two steps.
            EXPECT_TRUE(close(fast->value(problem.X, problem.theta, noise), b.value, 1e-10));
            const GpGradient later = fast->gradient();
            EXPECT_EQ(later.X, a.gradient.X);
            EXPECT_EQ(later.theta, a.gradient.theta);
            EXPECT_EQ(later.noise, a.gradient.noise);
          }
}

// Large matrices are swept in larger blocks; from 3072 points on a part of the gradient's sums has more than one strip.
TEST(DenseEngine, LargeMatricesToo) {
  for (const Index N : {450, 1600, 3200}) {
    SCOPED_TRACE(testing::Message() << "N " << N);
    const EngineProblem problem("rbf", LengthScales::per_dimension, N, 3);
    const double noise = 1e-2 * problem.signal();
    const Evaluation fast(*problem.engine(), problem, noise), safe(*problem.engine(DensePath::safe), problem, noise);
    EXPECT_TRUE(close(fast.value, safe.value, 1e-10));
    EXPECT_TRUE(close(fast.gradient.X, safe.gradient.X, 1e-9));
    EXPECT_TRUE(close(fast.gradient.theta, safe.gradient.theta, 1e-9));
    EXPECT_TRUE(close(fast.gradient.noise, safe.gradient.noise, 1e-9));
    const Evaluation shared(*problem.engine(DensePath::automatic, 2), problem, noise);
    EXPECT_TRUE(same_bytes(fast, shared));
    const auto in_steps = problem.engine(DensePath::automatic, 2);
    EXPECT_TRUE(close(in_steps->value(problem.X, problem.theta, noise), safe.value, 1e-10));
    EXPECT_EQ(in_steps->gradient().X, fast.gradient.X);
  }
}

TEST(DenseEngine, GradientIsTheDifferenceQuotient) {
  for (const Index q : {1, 2, 5}) {
    EngineProblem problem("rbf", LengthScales::per_dimension, 40, 3, q);
    const double noise = 0.01, h = 1e-5;
    const auto engine = problem.engine();
    const Evaluation at(*engine, problem, noise);
    const auto quotient = [&](double& x) {
      const double before = x;
      x = before + h;
      const double above = engine->value(problem.X, problem.theta, noise);
      x = before - h;
      const double below = engine->value(problem.X, problem.theta, noise);
      x = before;
      return (above - below) / (2 * h);
    };
    Matrix by_X(q, 40);
    for (Index i = 0; i < by_X.size(); ++i) by_X.data()[i] = quotient(problem.X.data()[i]);
    Vector by_theta(problem.theta.size());
    for (Index i = 0; i < by_theta.size(); ++i) by_theta[i] = quotient(problem.theta[i]);
    EXPECT_TRUE(close(at.gradient.X, by_X, 1e-6)) << q;
    EXPECT_TRUE(close(at.gradient.theta, by_theta, 1e-6)) << q;
    const double by_noise = (engine->value(problem.X, problem.theta, noise + 1e-7) -
                             engine->value(problem.X, problem.theta, noise - 1e-7)) /
                            2e-7;
    EXPECT_TRUE(close(at.gradient.noise, by_noise, 1e-6)) << q;
  }
}

TEST(DenseEngine, SameBytesTwice) {
  const EngineProblem problem("rbf", LengthScales::shared, 130, 6);
  const auto engine = problem.engine(), other = problem.engine();
  const Evaluation first(*engine, problem, 0.01), second(*other, problem, 0.01);
  EXPECT_TRUE(same_bytes(first, second));
  Evaluation(*engine, problem, 0.5);
  EXPECT_TRUE(same_bytes(first, Evaluation(*engine, problem, 0.01)));
}

// Little noise, and every noise on processors without AVX2 and FMA: Cholesky, to the last bit.
TEST(DenseEngine, SafePathTakesOver) {
  for (const char* spec : {"rbf", "matern52"}) {
    const EngineProblem problem(spec, LengthScales::shared, 60, 6);
    const auto engine = problem.engine(), safe = problem.engine(DensePath::safe);
    for (const double share : {1e-2, 9e-7, 2e-6, 1e-8, 1e-3}) {
      const double noise = share * problem.signal();
      const Evaluation a(*engine, problem, noise), b(*safe, problem, noise);
      EXPECT_EQ(bool(same_bytes(a, b)), share < 1e-6 || !simd().sweep.fast) << spec << " " << share;
      EXPECT_TRUE(close(a.gradient.X, b.gradient.X, 1e-6)) << spec << " " << share;
      EXPECT_TRUE(close(engine->value(problem.X, problem.theta, noise), a.value, 1e-13)) << spec << " " << share;
      EXPECT_TRUE(close(engine->gradient().X, a.gradient.X, 1e-6)) << spec << " " << share;
    }
    EXPECT_EQ(engine->jitter(), 0);
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

TEST(DenseEngine, FailedPivotLeadsToJitterThatStays) {
  Random random(8);
  const Matrix X = random.normals(1, 30), V = random.normals(2, 30);
  const Vector theta = Vector::Zero(1);
  const auto kernel = std::make_shared<IndefiniteKernel>();
  const auto engine = dense_engine(kernel, V, 2), safe = dense_engine(kernel, V, 2, DensePath::safe);
  GpGradient a, b;
  EXPECT_TRUE(std::isfinite(engine->value_and_gradient(X, theta, 1.5e-6, a)));
  EXPECT_EQ(safe->value_and_gradient(X, theta, 1.5e-6, b), engine->value(X, theta, 1.5e-6));
  EXPECT_EQ(a.theta, b.theta);
  EXPECT_GT(engine->jitter(), 1e-7);
  EXPECT_EQ(engine->jitter(), safe->jitter());
  const auto fresh = dense_engine(kernel, V, 2);
  EXPECT_NE(engine->value(X, theta, 0.1), fresh->value(X, theta, 0.1)) << "the jitter is gone";
  EXPECT_EQ(fresh->jitter(), 0);
}

TEST(DenseEngine, NotANumberIsNotAdmissible) {
  EngineProblem problem("rbf", LengthScales::shared, 30, 2);
  problem.X(1, 7) = std::numeric_limits<double>::quiet_NaN();
  GpGradient untouched;
  EXPECT_EQ(problem.engine()->value(problem.X, problem.theta, 0.1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(problem.engine()->value_and_gradient(problem.X, problem.theta, 0.1, untouched),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(untouched.X.size(), 0);
}

TEST(DenseEngine, CovarianceInPanels) {
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

// Whatever the machine has: workers are asked for, not what the engine would take.
TEST(DenseEngine, WorkersShareTheTilesBitForBit) {
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
    GpGradient gradient;
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

TEST(DenseEngine, FarPointsAreIndependent) {
  EngineProblem problem("rbf", LengthScales::shared, 40, 2);
  problem.theta.setZero();
  for (Index i = 0; i < 40; ++i) problem.X.col(i) = Eigen::Vector2d(1e3 * static_cast<double>(i), -1e160);
  const auto engine = problem.engine();
  const Evaluation at(*engine, problem, 0.5);
  EXPECT_NEAR(at.value, -40 * std::log(2 * 3.14159265358979324 * 1.5) - problem.V.squaredNorm() / 3, 1e-10);
  EXPECT_EQ(at.gradient.X.norm(), 0);
}

TEST(Cholesky, InverseOfManySizes) {
  Random random(5);
  for (const Index n : {1, 2, 15, 16, 17, 47, 48, 49, 97, 160, 333}) {
    const Matrix B = random.normals(n, n + 3);
    const Matrix A = B * B.transpose() + Matrix::Identity(n, n);
    Matrix L = A;
    L.triangularView<Eigen::StrictlyUpper>().setConstant(7);  // must be left alone
    ASSERT_TRUE(cholesky_lower(L));
    const Matrix lower = L.triangularView<Eigen::Lower>();
    EXPECT_TRUE(close(lower * lower.transpose(), A, 1e-13)) << n;
    inverse_from_cholesky(L);
    const Matrix inverse = L.selfadjointView<Eigen::Lower>();
    EXPECT_TRUE(close(inverse * A, Matrix::Identity(n, n), 1e-10)) << n;
    if (n > 1) {
      EXPECT_EQ(L(0, n - 1), 7) << n;
    }
  }
}

}  // namespace
}  // namespace wgp
