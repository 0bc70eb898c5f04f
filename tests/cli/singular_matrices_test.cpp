// Covariance matrices whose small eigenvalues are rounding: named with what can be done, shrunk, reduced.
#include <Eigen/Dense>

#include "run_command.h"

namespace wgp::test {
namespace {

using Eigen::MatrixXd;
using nlohmann::json;

class SingularMatrices : public CommandTest {
 protected:
  static constexpr int n = 6;
  enum class Reference { none, average };
  // Covariances of that many samples of n channels.
  static std::vector<MatrixXd> covariances(int samples, Reference reference, int count = 12) {
    std::vector<MatrixXd> all;
    for (int k = 0; k < count; ++k) {
      MatrixXd X(n, samples);
      for (int i = 0; i < n; ++i)
        for (int t = 0; t < samples; ++t) {
          const double seed = 12.9898 * i + 78.233 * t + 37.719 * k;
          X(i, t) = std::sin(43.7 * seed * seed) * (1 + 0.3 * i) + 0.5 * std::sin(17 * t * t + k);
        }
      if (reference == Reference::average) X.rowwise() -= X.colwise().mean().eval();
      all.push_back(X * X.transpose() / samples);
    }
    return all;
  }
  static std::string csv(const std::vector<MatrixXd>& matrices) {
    std::ostringstream text;
    text.precision(17);
    for (const MatrixXd& C : matrices)
      for (int e = 0; e < n * n; ++e) text << C(e / n, e % n) << (e + 1 < n * n ? ',' : '\n');
    return text.str();
  }
  void SetUp() override {
    CommandTest::SetUp();
    write("average.csv", csv(covariances(60, Reference::average)));
    write("short.csv", csv(covariances(4, Reference::none)));
    write("full.csv", csv(covariances(60, Reference::none)));
  }
  // The first matrix that a shrunk copy of it is, by the mean of a file of one.
  MatrixXd read_back(const MatrixXd& C, const std::string& flags) const {
    write("one.csv", csv({C}));
    const Outcome outcome = wgp("mean one.csv --manifold spd:6 " + flags);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto row = numbers(outcome.out).at(0);
    MatrixXd S(n, n);
    for (int e = 0; e < n * n; ++e) S(e / n, e % n) = row[static_cast<std::size_t>(e)];
    return S;
  }
};

TEST_F(SingularMatrices, CheckSaysRankAndRemedies) {
  const std::string average = wgp("check average.csv --manifold spd:6").out;
  EXPECT_NE(
      average.find("12 of 12 matrices have rank 5 of 6: all smaller eigenvalues are rounding; every row sums to 0, "
                   "as after an average reference"),
      std::string::npos)
      << average;
  EXPECT_NE(average.find("wgp convert average.csv --rank 5 -o reduced.npy"), std::string::npos) << average;
  EXPECT_NE(average.find("leaving out one channel"), std::string::npos) << average;
  const std::string few = wgp("check short.csv --manifold spd:6").out;
  EXPECT_NE(few.find("rank 4 of 6"), std::string::npos) << few;
  EXPECT_NE(few.find("fewer samples than channels"), std::string::npos) << few;
  EXPECT_NE(few.find("--shrink oas --samples N"), std::string::npos) << few;
  const std::string full = wgp("check full.csv --manifold spd:6").out;
  EXPECT_EQ(full.find("rank"), std::string::npos) << full;
  EXPECT_EQ(wgp("check average.csv --manifold spd:6 --shrink 0.1").exit_code, 0);
}

// Graded matrices have small eigenvalues that are none of rounding's.
TEST_F(SingularMatrices, IllConditionedOnesAreNotCalledSingular) {
  write("graded.csv", "1,0,0,1e-14\n2,0,0,1\n4,1,1,5\n");
  EXPECT_EQ(json::parse(wgp("check graded.csv --manifold spd:2 --json").out)["rank"]["deficient"], 0);
  write("close.csv", "1,0.9999,0.9999,1\n2,0,0,1\n4,1,1,5\n");
  EXPECT_EQ(json::parse(wgp("check close.csv --manifold spd:2 --json").out)["rank"]["deficient"], 0);
}

TEST_F(SingularMatrices, ToleranceIsAdvisedWhereItHelps) {
  const Outcome singular = wgp("mean average.csv --manifold spd:6");
  EXPECT_TRUE(fails(singular, 3, {"rank is 5 of 6", "--shrink oas --samples N", "wgp convert --rank R"}));
  EXPECT_EQ(singular.err.find("--tolerance"), std::string::npos) << singular.err;
  write("negative.csv", "1,2,2,1\n1,0,0,1\n");
  EXPECT_EQ(wgp("mean negative.csv --manifold spd:2").err.find("--tolerance"), std::string::npos);
  write("off.csv", "1,0.1,0.10001,1\n1,0,0,1\n");
  EXPECT_TRUE(fails(wgp("mean off.csv --manifold spd:2"), 3, {"--tolerance T allows larger defects"}));
}

TEST_F(SingularMatrices, ShrinkageIsThatOfTheFormulas) {
  const MatrixXd C = covariances(60, Reference::average).front();
  const double p = n, N = 60, trace = C.trace(), squares = (C * C).trace();
  const auto shrunk = [&](double a) { return MatrixXd((1 - a) * C + a * trace / p * MatrixXd::Identity(n, n)); };
  EXPECT_LT((read_back(C, "--shrink 0.25") - shrunk(0.25)).norm(), 1e-12 * trace);
  // As scikit-learn writes it: alpha the mean of squared entries, mu the mean variance.
  const double alpha = C.array().square().mean(), mu = trace / p;
  const double oas = (alpha + mu * mu) / ((N + 1) * (alpha - mu * mu / p));
  EXPECT_LT((read_back(C, "--shrink oas --samples 60") - shrunk(oas)).norm(), 1e-12 * trace);
  const double lw = ((N - 2) / N * squares + trace * trace) / ((N + 2) * (squares - trace * trace / p));
  EXPECT_LT((read_back(C, "--shrink ledoit-wolf --samples 60") - shrunk(lw)).norm(), 1e-12 * trace);
}

TEST_F(SingularMatrices, WhatAMatrixAloneDoesNotSayIsRefused) {
  const std::string mean = "mean average.csv --manifold spd:6 ";
  EXPECT_TRUE(fails(wgp(mean + "--shrink oas"), 2, {"how many samples", "--samples N"}));
  EXPECT_TRUE(fails(wgp(mean + "--shrink ledoit-wolf"), 2, {"needs the samples themselves", "--samples N"}));
  EXPECT_TRUE(fails(wgp(mean + "--shrink 1.5"), 2, {"between 0 and 1"}));
  EXPECT_TRUE(fails(wgp(mean + "--shrink 0.1 --samples 5"), 2, {"--samples"}));
  EXPECT_TRUE(fails(wgp(mean + "--samples 5"), 2, {"add --shrink"}));
  EXPECT_TRUE(fails(wgp(mean + "--shrink oass --samples 5"), 2, {"did you mean oas?"}));
  write("p.csv", "1,0,0\n0,1,0\n");
  EXPECT_TRUE(fails(wgp("mean p.csv --manifold sphere:2 --shrink 0.1"), 2, {"--shrink is for covariance matrices"}));
}

TEST_F(SingularMatrices, RankReducesToSharedDimensions) {
  const Outcome outcome = wgp("convert average.csv --rank 5 -o reduced.npy --basis-out basis.csv");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("12 matrices of 6 x 6 reduced to 5 x 5, with 100 %"), std::string::npos) << outcome.err;
  EXPECT_EQ(wgp("check reduced.npy --manifold spd:5").exit_code, 0);
  ASSERT_EQ(wgp("convert average.csv --basis basis.csv -o again.npy").exit_code, 0);
  EXPECT_EQ(read("again.npy"), read("reduced.npy"));
  // U S U' gives back what was reduced.
  const auto rows = numbers(read("basis.csv"));
  MatrixXd U(n, 5);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 5; ++j) U(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  ASSERT_EQ(wgp("convert reduced.npy -o reduced.csv").exit_code, 0);
  const auto first = numbers(read("reduced.csv")).at(0);
  MatrixXd S(5, 5);
  for (int e = 0; e < 25; ++e) S(e / 5, e % 5) = first[static_cast<std::size_t>(e)];
  const MatrixXd C = covariances(60, Reference::average).front();
  EXPECT_LT((U * S * U.transpose() - C).norm(), 1e-12 * C.norm());

  EXPECT_TRUE(fails(wgp("convert average.csv --rank 6"), 3, {"share 5 dimensions", "--rank 5"}));
  EXPECT_NE(wgp("convert short.csv --rank 5 -o s.npy").err.find("still singular"), std::string::npos);
  EXPECT_EQ(wgp("convert short.csv --rank 4 -o s.npy").err.find("still singular"), std::string::npos);
  EXPECT_TRUE(fails(wgp("convert average.csv --basis-out b.csv"), 2, {"add --rank"}));
  EXPECT_TRUE(fails(wgp("convert average.csv --rank 2 --basis basis.csv"), 2, {"one of them"}));
}

// Rows that were passed over count in messages, and each file's count for itself.
TEST_F(SingularMatrices, OfWrongRowsAreNamedAsTheFileHasThem) {
  write("wrong.csv", "1,0,0,1\n2,0,0,1\n1,0,0,2\n1,5,5,1\n");
  const std::string convert = "convert wrong.csv --rank 1 -o reduced.npy ";
  EXPECT_TRUE(fails(wgp(convert), 3, {"wrong.csv: row 4 is no covariance matrix"}));
  EXPECT_TRUE(fails(wgp(convert + "--rows 2:4"), 3, {"wrong.csv: row 4 is no covariance matrix"}));
  EXPECT_TRUE(fails(wgp(convert + "--every 3"), 3, {"wrong.csv: row 4 is no covariance matrix"}));
  write("right.csv", "1,0,0,1\n2,0,0,1\n");
  EXPECT_TRUE(fails(wgp("convert right.csv wrong.csv --rank 1 -o reduced.npy"), 3,
                    {"wrong.csv: row 4 is no covariance matrix"}));
  EXPECT_EQ(wgp(convert + "--rows 1:3").exit_code, 0);
}

TEST_F(SingularMatrices, TheGuessIsACovariance) {
  const std::string guess = wgp("check short.csv").out;
  EXPECT_NE(guess.find("spd:6            covariance matrices, 12 of them singular"), std::string::npos) << guess;
  EXPECT_EQ(guess.find("kendall"), std::string::npos) << guess;
  EXPECT_NE(wgp("check full.csv").out.find("spd:6            symmetric and positive definite"), std::string::npos);
  EXPECT_EQ(wgp("mean short.csv --shrink 0.1").exit_code, 0);
}

}  // namespace
}  // namespace wgp::test
