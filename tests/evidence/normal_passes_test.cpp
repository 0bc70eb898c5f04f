// Passes over points with normal q(x): their bound is that of the evidence, it rises, and ends as high as L-BFGS over
// all latents, with the same bytes on any number of threads.
#include "evidence/normal_passes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "evidence/waves.h"
#include "wgp/optimise.h"

namespace wgp {
namespace {

class PassSpaces : public testing::TestWithParam<std::pair<Index, Index>> {
 protected:
  const LatentSpace latent{GetParam().first, GetParam().second};
  const KernelPtr kernel = parse_kernel("rbf", latent);
  const KernelSpectrum spectrum{latent, *spectral_terms(*kernel, latent), kernel->parameter_count()};
  Matrix X, V;
  void make(Index N) {
    const test::Waves made = test::waves(latent, N);
    X = made.X;
    V = made.V;
  }
  PassState begin(NormalPasses& passes) const {
    return passes.begin(X, Matrix::Constant(X.rows(), X.cols(), 0.05), Vector::Zero(kernel->parameter_count()), 0.1);
  }
  EvidenceSetting setting() const { return {kernel, latent, nullptr, nullptr}; }
};

TEST_P(PassSpaces, TheBoundIsThatOfTheEvidence) {
  make(150);
  const MatrixColumns vectors(V);
  NormalPasses passes(spectrum, vectors, 4, nullptr, nullptr);
  PassState state = begin(passes);
  for (int k = 0; k < 3; ++k) {
    const auto evidence = variational_evidence(setting(), *state.plan);
    Parameters at = Parameters::of(state.points.X, state.theta, state.noise);
    at.S = state.points.S.array().log();
    const Outputs outputs{V, 4};
    const double value = evidence->value(at, outputs);
    EXPECT_NEAR(passes.bound(state), value, 1e-9 * std::abs(value));
    EXPECT_EQ(state.sums.count, 150);
    passes.pass(state, {});
  }
}

TEST_P(PassSpaces, EveryPassRaisesTheBoundUntilMixingBegins) {
  make(150);
  const MatrixColumns vectors(V);
  NormalPasses passes(spectrum, vectors, 4, nullptr, nullptr);
  PassState state = begin(passes);
  double before = passes.bound(state);
  passes.pass(state, {{}, true, 0});
  EXPECT_NEAR(state.bound, before, 1e-9 * std::abs(before));
  EXPECT_GT(passes.bound(state), before + 1);
  before = passes.bound(state);
  passes.pass(state, {{}, true, 0});
  EXPECT_GT(passes.bound(state), before);
}

TEST_P(PassSpaces, EndsAsHighAsDescentOverAllLatents) {
  const Index N = latent.dim() == 3 ? 100 : 200;
  make(N);
  const MatrixColumns vectors(V);
  NormalPasses passes(spectrum, vectors, 4, nullptr, nullptr);
  PassState state = begin(passes);
  for (int k = 0; k < 80; ++k) passes.pass(state, {});
  // From there nothing is left to climb.
  class Bound final : public Objective {
   public:
    Bound(const EvidenceSetting& setting, const PassState& state, const Matrix& V)
        : evidence_(variational_evidence(setting, *state.plan)),
          outputs_{V, 4},
          at_(Parameters::of(state.points.X, state.theta, state.noise)) {
      at_.S = state.points.S.array().log();
    }
    Vector pack() const {
      Vector x(2 * at_.X.size());
      x << at_.X.reshaped(), at_.S.reshaped();
      return x;
    }
    double value(ConstVectorRef x) override {
      at_.X = x.head(at_.X.size()).reshaped(at_.X.rows(), at_.X.cols());
      at_.S = x.tail(at_.X.size()).reshaped(at_.X.rows(), at_.X.cols());
      return -evidence_->value(at_, outputs_);
    }
    void gradient(VectorRef gradient) override {
      EvidenceGradient by;
      evidence_->gradient(by, ByOutputs::unwanted);
      gradient << -by.X.reshaped(), -by.S.reshaped();
    }

   private:
    std::unique_ptr<Evidence> evidence_;
    Outputs outputs_;
    Parameters at_;
  };
  Bound objective(setting(), state, V);
  OptimiseOptions options;
  options.max_iterations = 100;
  const double reached = passes.bound(state);
  const OptimiseResult result = minimise(objective, objective.pack(), options);
  EXPECT_LT(-result.value - reached, 0.02 * static_cast<double>(N));
}

// Points that belong to nothing might as well not be there.
TEST_P(PassSpaces, SkippedPointsAreInNoSum) {
  make(300);
  std::vector<char> skipped(300);
  std::vector<Index> kept;
  for (Index n = 0; n < 300; ++n) {
    skipped[static_cast<std::size_t>(n)] = n % 7 == 3 || n < 140;
    if (!skipped[static_cast<std::size_t>(n)]) kept.push_back(n);
  }
  const Matrix others = V(Eigen::all, kept);
  const MatrixColumns all(V), some(others);
  NormalPasses of_all(spectrum, all, 4, nullptr, nullptr), of_some(spectrum, some, 4, nullptr, nullptr);
  PassState one = of_all.begin(X, Matrix::Constant(X.rows(), X.cols(), 0.05), Vector::Zero(kernel->parameter_count()),
                               0.1, skipped);
  PassState two = of_some.begin(X(Eigen::all, kept), Matrix::Constant(X.rows(), others.cols(), 0.05),
                                Vector::Zero(kernel->parameter_count()), 0.1);
  two.plan = one.plan;
  of_some.make_whole(two);
  EXPECT_EQ(one.sums.count, static_cast<double>(kept.size()));
  for (int k = 0; k < 3; ++k) {
    of_all.pass(one, {});
    of_some.pass(two, {});
    EXPECT_NEAR(one.bound, two.bound, 1e-8 * std::abs(two.bound));
  }
  EXPECT_LT((one.points.X(Eigen::all, kept) - two.points.X).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_EQ(one.points.X.leftCols(140), X.leftCols(140));
}

TEST_P(PassSpaces, TheSameBytesOnAnyNumberOfThreads) {
  make(400);
  const MatrixColumns vectors(V);
  std::vector<PassState> ends;
  for (const int threads : {1, 3}) {
    Executor executor(threads);
    NormalPasses passes(spectrum, vectors, 4, &executor, nullptr);
    PassState state = begin(passes);
    for (int k = 0; k < 8; ++k) passes.pass(state, {});
    ends.push_back(std::move(state));
  }
  EXPECT_EQ(ends[0].points.X, ends[1].points.X);
  EXPECT_EQ(ends[0].points.S, ends[1].points.S);
  EXPECT_EQ(ends[0].bound, ends[1].bound);
  EXPECT_EQ(ends[0].noise, ends[1].noise);
}

INSTANTIATE_TEST_SUITE_P(Latents, PassSpaces,
                         testing::Values(std::pair<Index, Index>{0, 1}, std::pair<Index, Index>{1, 0},
                                         std::pair<Index, Index>{0, 2}, std::pair<Index, Index>{1, 1},
                                         std::pair<Index, Index>{0, 3}));

}  // namespace
}  // namespace wgp
