#include "evidence/evidence.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "evidence/cosine_series.h"
#include "evidence/dense_tiles.h"
#include "golden.h"
#include "gp/jitter.h"
#include "linalg/cholesky.h"
#include "simd/kernels.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::columns;
using test::golden;

TEST(Evidence, RbfArdGolden) {
  const auto& group = golden("gp.rbf_ard");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Matrix X = columns(in["X"], 2), V = columns(in["V"], 3);
  const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2), LengthScales::per_dimension);
  Vector theta(3);
  theta << std::log(in["sigma2"].get<double>()), column(in["l"]).array().log().matrix();
  const double noise = in["noise2"];
  const auto evidence = dense_evidence({kernel, LatentSpace::plain(2)});
  const Outputs outputs = Outputs::of(V);
  EXPECT_TRUE(close(evidence->value(Parameters::of(X, theta, noise), outputs), out["loglik"].get<double>(), 1e-11));
  EvidenceGradient gradient;
  evidence->gradient(gradient, ByOutputs::unwanted);
  EXPECT_TRUE(close(gradient.X, columns(out["grad_X"], 2), 1e-11));
  EXPECT_TRUE(close(gradient.theta[0], out["grad_log_sigma2"].get<double>(), 1e-11));
  EXPECT_TRUE(close(gradient.theta.tail(2), column(out["grad_log_l"]), 1e-11));
  EXPECT_TRUE(close(noise * gradient.noise, out["grad_log_noise2"].get<double>(), 1e-11));
}

TEST(Evidence, PeriodicGoldenInBothForms) {
  const auto& group = golden("gp.periodic");
  const auto &in = group["inputs"], &out = group["outputs"];
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  const Matrix t = columns(in["t"], 1), V = columns(in["V"], 3);
  const Vector theta = Eigen::Vector2d(std::log(in["sigma2"].get<double>()), std::log(in["l"].get<double>()));
  const double noise = in["noise2"];
  EXPECT_TRUE(close(kernel->cov(theta, t, t)(0, 1), out["K_01"].get<double>(), 1e-11));
  const auto evidence = dense_evidence({kernel, circle});
  const Outputs outputs = Outputs::of(V);
  EXPECT_TRUE(close(evidence->value(Parameters::of(t, theta, noise), outputs), out["loglik"].get<double>(), 1e-11));
  EvidenceGradient gradient;
  evidence->gradient(gradient, ByOutputs::unwanted);
  EXPECT_TRUE(close(gradient.X, columns(out["grad_t"], 1), 1e-11));
  EXPECT_TRUE(close(gradient.theta[1], out["grad_log_l"].get<double>(), 1e-11));
  EXPECT_TRUE(close(noise * gradient.noise, out["grad_log_noise2"].get<double>(), 1e-11));
}

TEST(Evidence, FourierFormIsTheDenseOne) {
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  Random random(3);
  const Index N = 300;
  const Matrix t = 3 * random.normals(1, N), V = random.normals(4, N);
  const Outputs outputs = Outputs::of(V);
  for (const double l : {0.3, 0.7, 1.5, 8.0, 1e10}) {
    const Vector theta = Eigen::Vector2d(0.4, std::log(l));
    const auto dense = dense_evidence({kernel, circle}), fast = fourier_evidence({kernel, circle});
    ASSERT_TRUE(fast);
    const Parameters at = Parameters::of(t, theta, 0.05);
    const double expected = dense->value(at, outputs);
    EXPECT_NEAR(fast->value(at, outputs), expected, 1e-12 * std::abs(expected)) << l;
    EvidenceGradient a, b;
    fast->gradient(a, ByOutputs::wanted);
    dense->gradient(b, ByOutputs::wanted);
    EXPECT_LE((a.X - b.X).norm(), 1e-10 * b.X.norm() + 1e-13) << l;  // nothing is left of it at the last length
    EXPECT_TRUE(close(a.theta, b.theta, 1e-9)) << l;
    EXPECT_TRUE(close(a.noise, b.noise, 1e-10)) << l;
    EXPECT_TRUE(close(a.rows, b.rows, 1e-10)) << l;
  }
}

TEST(Evidence, FourierCoefficientsGolden) {
  for (const auto& row : golden("y.fourier_coefficients")["outputs"]["rows"]) {
    const CosineSeries series = cosine_series(row["l"]);
    EXPECT_TRUE(close(series.a.head(9), column(row["a"]), 1e-13));
    EXPECT_TRUE(close(series.da_dlog_l.head(9), column(row["da_dlogl"]), 1e-13));
    EXPECT_NEAR(series.a.sum(), 1, 1e-15);
  }
}

TEST(Evidence, CompressionKeepsTheGram) {
  Random random(4);
  const Matrix wide = random.normals(40, 7), low_rank = random.normals(9, 2) * random.normals(2, 30);
  EXPECT_EQ(compress_rows(wide).rows(), 7);
  EXPECT_EQ(compress_rows(low_rank).rows(), 2);
  EXPECT_TRUE(close(compress_rows(wide).transpose() * compress_rows(wide), wide.transpose() * wide, 1e-14));
  EXPECT_TRUE(
      close(compress_rows(low_rank).transpose() * compress_rows(low_rank), low_rank.transpose() * low_rank, 1e-14));
}

TEST(Evidence, JitterIsTheSmallestThatHelpsAndIsReported) {
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

// ---- the dense evidence's two paths

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

// ---- every evidence, of points on a circle, where all of them are at home

struct Entry {
  const char* name;
  EvidenceFactory make;
};
const std::vector<Entry>& every_evidence() {
  static const std::vector<Entry> entries = {
      {"dense", [](const EvidenceSetting& setting) { return dense_evidence(setting); }},
      {"dense_safe", [](const EvidenceSetting& setting) { return dense_evidence(setting, DensePath::safe); }},
      {"fourier", fourier_evidence},
      {"point", point_evidence}};
  return entries;
}

class EveryEvidence : public testing::TestWithParam<Entry> {
 protected:
  const LatentSpace circle{1, 0};
  const KernelPtr kernel = parse_kernel("periodic", circle);
  Random random{6};
  Parameters at;
  Matrix V;

  void make(Index N, double length = 0.9) {
    at = Parameters::of(3 * random.normals(1, N), Eigen::Vector2d(0.4, std::log(length)), 0.05);
    V = random.normals(4, N);
  }
  std::unique_ptr<Evidence> evidence(Executor* executor = nullptr, RunControl* control = nullptr) const {
    return GetParam().make({kernel, circle, executor, control});
  }
};

TEST_P(EveryEvidence, ValueIsTheFormula) {
  for (const Index N : {1, 20, 150})  // with few points a series has more terms than there are points
    for (const double length : {0.2, 0.9, 20.0}) {
      SCOPED_TRACE(testing::Message() << N << " points, length " << length);
      make(N, length);
      const Matrix K = kernel->cov(at.theta, at.X, at.X) + at.noise() * Matrix::Identity(N, N);
      const Eigen::LDLT<Matrix> factor(K);
      const double expected = -0.5 * (4 * static_cast<double>(N) * std::log(2 * std::numbers::pi) +
                                      4 * factor.vectorD().array().log().sum() +
                                      V.cwiseProduct(factor.solve(V.transpose()).transpose()).sum());
      const auto one = evidence();
      const Outputs outputs = Outputs::of(V), compressed{compress_rows(V), 4};
      EXPECT_TRUE(close(one->value(at, outputs), expected, 1e-11));
      EXPECT_TRUE(close(one->value(at, compressed), expected, 1e-11));
      EvidenceGradient gradient;
      EXPECT_TRUE(close(one->value_and_gradient(at, outputs, gradient, ByOutputs::wanted), expected, 1e-11));
      EXPECT_TRUE(close(gradient.rows, -factor.solve(V.transpose()).transpose(), 1e-10));
      EXPECT_EQ(one->jitter(), 0);
    }
}

TEST_P(EveryEvidence, GradientIsTheDifference) {
  make(80);
  const auto one = evidence();
  Outputs outputs = Outputs::of(V);
  EvidenceGradient both, later;
  one->value_and_gradient(at, outputs, both, ByOutputs::wanted);
  one->value(at, outputs);
  one->gradient(later, ByOutputs::wanted);
  EXPECT_TRUE(close(later.X, both.X, 1e-11));
  EXPECT_TRUE(close(later.theta, both.theta, 1e-11));
  EXPECT_TRUE(close(later.noise, both.noise, 1e-11));
  EXPECT_TRUE(close(later.rows, both.rows, 1e-11));
  EvidenceGradient without;
  one->value_and_gradient(at, outputs, without, ByOutputs::unwanted);
  EXPECT_EQ(without.rows.size(), 0);
  EXPECT_EQ(without.X, both.X);

  const auto quotient = [&](double& x, double h) {
    const double before = x;
    const auto value = [&](double step) {
      x = before + step * h;
      return one->value(at, outputs);
    };
    const double slope = (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * h);
    x = before;
    return slope;
  };
  Matrix by_X(1, 80), by_rows(4, 80);
  Vector by_theta(2);
  for (Index i = 0; i < 80; ++i) by_X(0, i) = quotient(at.X(0, i), 1e-3);
  for (Index i = 0; i < 2; ++i) by_theta[i] = quotient(at.theta[i], 1e-3);
  for (Index i = 0; i < by_rows.size(); ++i) by_rows.data()[i] = quotient(outputs.rows.data()[i], 1e-3);
  EXPECT_TRUE(close(both.X, by_X, 1e-7));
  EXPECT_TRUE(close(both.theta, by_theta, 1e-7));
  EXPECT_TRUE(close(both.rows, by_rows, 1e-7));
  EXPECT_TRUE(close(both.noise * std::exp(at.u), quotient(at.u, 1e-3), 1e-7));
}

TEST_P(EveryEvidence, ThreadsDoNotChangeABit) {
  for (const Index N : {100, 450}) {
    make(N);
    Executor executor(2);
    const auto alone = evidence(), shared = evidence(&executor);
    const Outputs outputs = Outputs::of(V);
    EXPECT_EQ(alone->value(at, outputs), shared->value(at, outputs));
    for (int again = 0; again < 2; ++again) {
      EvidenceGradient a, b;
      EXPECT_EQ(alone->value_and_gradient(at, outputs, a, ByOutputs::wanted),
                shared->value_and_gradient(at, outputs, b, ByOutputs::wanted));
      EXPECT_EQ(a.X, b.X);
      EXPECT_EQ(a.theta, b.theta);
      EXPECT_EQ(a.noise, b.noise);
      EXPECT_EQ(a.rows, b.rows);
    }
  }
}

TEST_P(EveryEvidence, StopsWhenToldTo) {
  for (const Index N : {5, 300}) {
    make(N);
    RunControl control([](const Progress&) { return false; });
    const auto one = evidence(nullptr, &control);
    const Outputs outputs = Outputs::of(V);
    EXPECT_THROW(one->value(at, outputs), Stopped);
    EvidenceGradient gradient;
    EXPECT_THROW(one->value_and_gradient(at, outputs, gradient, ByOutputs::wanted), Stopped);
  }
}

// One workspace, several problems: other points, other outputs in the same place, outputs that are gone.
TEST_P(EveryEvidence, KeepsNothingOfTheCallBefore) {
  const auto one = evidence();
  Outputs outputs;
  for (const Index N : {60, 150, 61})
    for (const Index rows : {4, 2, 3}) {
      make(N);
      outputs = Outputs::of(V.topRows(rows));
      const double expected = evidence()->value(at, outputs);
      EXPECT_EQ(one->value(at, outputs), expected);
      {
        const auto gone = std::make_unique<const Outputs>(Outputs::of(V));
        one->value(at, *gone);
      }
      EvidenceGradient a, b;
      EXPECT_EQ(one->value_and_gradient(at, outputs, a, ByOutputs::wanted),
                evidence()->value_and_gradient(at, outputs, b, ByOutputs::wanted));
      EXPECT_EQ(a.X, b.X);
      EXPECT_EQ(a.rows, b.rows);
    }
}

TEST_P(EveryEvidence, ConditionsOnTheData) {
  make(40);
  const PosteriorPtr posterior = evidence()->condition(at, 0.2, V);
  ASSERT_TRUE(posterior);
  const Matrix inputs = random.normals(1, 7), k = kernel->cov(at.theta, at.X, inputs);
  const Matrix K = kernel->cov(at.theta, at.X, at.X) + 0.2 * Matrix::Identity(40, 40);
  const Eigen::LDLT<Matrix> factor(K);
  EXPECT_TRUE(close(posterior->predict(inputs).mean, V * factor.solve(k), 1e-11));
}

INSTANTIATE_TEST_SUITE_P(Every, EveryEvidence, testing::ValuesIn(every_evidence()),
                         [](const auto& entry) { return entry.param.name; });

TEST(Evidence, AllAgree) {
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  Random random(7);
  for (const Index N : {60, 200, 450}) {
    const Matrix V = random.normals(3, N);
    const Parameters at = Parameters::of(3 * random.normals(1, N), Eigen::Vector2d(-0.2, -0.3), 0.02);
    const Outputs outputs = Outputs::of(V);
    const double expected = dense_evidence({kernel, circle}, DensePath::safe)->value(at, outputs);
    for (const Entry& entry : every_evidence())
      EXPECT_TRUE(close(entry.make({kernel, circle})->value(at, outputs), expected, 1e-11)) << entry.name << " " << N;
  }
}

TEST(Evidence, TheSeriesIsForCirclesAlone) {
  EXPECT_EQ(fourier_evidence({parse_kernel("rbf", LatentSpace::plain(1)), LatentSpace::plain(1)}), nullptr);
  EXPECT_EQ(fourier_evidence({parse_kernel("periodic*rbf", LatentSpace(1, 1)), LatentSpace(1, 1)}), nullptr);
  EXPECT_NE(fourier_evidence({parse_kernel("rbf", LatentSpace(1, 0)), LatentSpace(1, 0)}), nullptr);
}

TEST(Parameters, PackWhatIsFree) {
  Parameters all = Parameters::of(Matrix::Constant(2, 3, 1), Eigen::Vector3d(2, 3, 4), 0.5);
  EXPECT_NEAR(all.noise(), 0.5, 1e-15);
  all.centre = Eigen::Vector2d(5, 6);
  all.coefficients = Matrix::Constant(2, 2, 7);
  FreeParameters free;
  free.theta = {true, false, true};
  free.base = true;
  const Packing packing(all, free);
  const Vector x = packing.pack(all);
  Vector expected(6 + 2 + 1 + 2 + 4);
  expected << 1, 1, 1, 1, 1, 1, 2, 4, all.u, 5, 6, 7, 7, 7, 7;
  EXPECT_EQ(x, expected);
  Parameters other = all;
  packing.unpack(2 * x, other);
  EXPECT_EQ(other.X, 2 * all.X);
  EXPECT_EQ(other.theta, Vector(Eigen::Vector3d(4, 3, 8)));
  EXPECT_EQ(other.u, 2 * all.u);
  EXPECT_EQ(other.centre, 2 * all.centre);
  EXPECT_EQ(other.coefficients, 2 * all.coefficients);
  free.latents = free.noise = free.base = false;
  EXPECT_EQ(Packing(all, free).pack(all), Vector(Eigen::Vector2d(2, 4)));
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
