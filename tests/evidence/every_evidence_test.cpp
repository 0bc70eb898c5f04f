// What holds for every evidence where it is at home: on a circle, or in four plain coordinates.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "evidence/evidence.h"
#include "evidence/gradients.h"
#include "evidence/inducing_evidence.h"
#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::difference;
using test::expect_same;

// With an inducing input at every latent, and latents known exactly, their evidence is the exact one but for its
// jitter.
struct Entry {
  const char* name;
  EvidenceFactory make;
  LatentSpace latent = LatentSpace(1, 0);
  double accuracy = 1e-11;
  bool has_jitter = false;
};
const std::vector<Entry>& every_evidence() {
  static const std::vector<Entry> entries = {
      {"dense", [](const EvidenceSetting& setting) { return dense_evidence(setting); }},
      {"dense_safe", [](const EvidenceSetting& setting) { return dense_evidence(setting, DensePath::safe); }},
      {"fourier", fourier_evidence},
      {"point", point_evidence},
      {"inducing",
       [](const EvidenceSetting& setting) {
         return inducing_evidence(setting, {100, 1e-8});
       },
       LatentSpace::plain(4), 1e-6, true}};
  return entries;
}

class EveryEvidence : public testing::TestWithParam<Entry> {
 protected:
  const LatentSpace latent = GetParam().latent;
  const KernelPtr kernel = parse_kernel("rbf", latent);
  const Index q = latent.dim();
  const double accuracy = GetParam().accuracy;
  Random random{6};
  Parameters at;
  Matrix V;

  void make(Index N, double length = 0.9) {
    at = Parameters::of(3 * random.normals(q, N), Eigen::Vector2d(0.4, std::log(length)), 0.05);
    at.Z = at.X;
    V = random.normals(4, N);
  }
  std::unique_ptr<Evidence> evidence(Executor* executor = nullptr, RunControl* control = nullptr) const {
    return GetParam().make({kernel, latent, executor, control});
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
      EXPECT_TRUE(close(one->value(at, outputs), expected, accuracy));
      EXPECT_TRUE(close(one->value(at, compressed), expected, accuracy));
      EvidenceGradient gradient;
      EXPECT_TRUE(close(one->value_and_gradient(at, outputs, gradient, ByOutputs::wanted), expected, accuracy));
      EXPECT_TRUE(close(gradient.rows, -factor.solve(V.transpose()).transpose(), 10 * accuracy));
      EXPECT_EQ(one->jitter() > 0, GetParam().has_jitter);
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

  const auto quotient = [&](double& x) { return difference(x, 1e-3, [&] { return one->value(at, outputs); }); };
  const Index few = 80 / q;
  Matrix by_X(q, few), by_rows(4, few);
  Vector by_theta(2);
  for (Index i = 0; i < by_X.size(); ++i) by_X.data()[i] = quotient(at.X.data()[i]);
  for (Index i = 0; i < 2; ++i) by_theta[i] = quotient(at.theta[i]);
  for (Index i = 0; i < by_rows.size(); ++i) by_rows.data()[i] = quotient(outputs.rows.data()[i]);
  EXPECT_TRUE(close(both.X.leftCols(few), by_X, 1e-7));
  EXPECT_TRUE(close(both.theta, by_theta, 1e-7));
  EXPECT_TRUE(close(both.rows.leftCols(few), by_rows, 1e-7));
  EXPECT_TRUE(close(both.noise * std::exp(at.u), quotient(at.u), 1e-7));
}

TEST_P(EveryEvidence, ThreadsDoNotChangeABit) {
  for (const Index N : {100, 450}) {
    make(N);
    Executor executor(2);
    const auto alone = evidence(), shared = evidence(&executor);
    const Outputs outputs = Outputs::of(V);
    EXPECT_EQ(alone->value(at, outputs), shared->value(at, outputs));
    for (int again = 0; again < 2; ++again) expect_same(*alone, *shared, at, outputs);
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
  const Matrix inputs = random.normals(q, 7), k = kernel->cov(at.theta, at.X, inputs);
  const Matrix K = kernel->cov(at.theta, at.X, at.X) + 0.2 * Matrix::Identity(40, 40);
  const Eigen::LDLT<Matrix> factor(K);
  EXPECT_TRUE(close(posterior->predict(inputs).mean, V * factor.solve(k), accuracy));
}

INSTANTIATE_TEST_SUITE_P(Every, EveryEvidence, testing::ValuesIn(every_evidence()),
                         [](const auto& entry) { return entry.param.name; });

TEST(Evidence, AllAgree) {
  Random random(7);
  for (const Index N : {60, 200, 450})
    for (const Entry& entry : every_evidence()) {
      const KernelPtr kernel = parse_kernel("rbf", entry.latent);
      const Matrix V = random.normals(3, N);
      Parameters at = Parameters::of(3 * random.normals(entry.latent.dim(), N), Eigen::Vector2d(-0.2, -0.3), 0.02);
      at.Z = at.X;
      const Outputs outputs = Outputs::of(V);
      const double expected = dense_evidence({kernel, entry.latent}, DensePath::safe)->value(at, outputs);
      EXPECT_TRUE(close(entry.make({kernel, entry.latent})->value(at, outputs), expected, entry.accuracy))
          << entry.name << " " << N;
    }
}

TEST(Evidence, TheSeriesIsForCirclesAlone) {
  EXPECT_EQ(fourier_evidence({parse_kernel("rbf", LatentSpace::plain(1)), LatentSpace::plain(1)}), nullptr);
  EXPECT_EQ(fourier_evidence({parse_kernel("periodic*rbf", LatentSpace(1, 1)), LatentSpace(1, 1)}), nullptr);
  EXPECT_NE(fourier_evidence({parse_kernel("rbf", LatentSpace(1, 0)), LatentSpace(1, 0)}), nullptr);
}

}  // namespace
}  // namespace wgp
