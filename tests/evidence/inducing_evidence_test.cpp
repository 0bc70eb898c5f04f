// The bound by inducing inputs, against numbers computed elsewhere, quadrature, differences, and the dense evidence.
#include "evidence/inducing_evidence.h"
#include "evidence/gradients.h"
#include "evidence/latent_divergence.h"
#include "evidence/psi_statistics.h"
#include "golden.h"
#include "gp/inducing_posterior.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::difference;
using test::expect_same;
using test::golden;

constexpr InducingSettings without_jitter{100, 0};

// Everything of a golden group, for the kernel with a length-scale for each coordinate.
struct Case {
  const nlohmann::json &in, &out;
  double rtol;
  Index q;
  LatentSpace latent;
  KernelPtr kernel;
  Vector lengths;
  double noise;
  Matrix V;
  Parameters at;

  explicit Case(const std::string& id)
      : in(golden(id)["inputs"]),
        out(golden(id)["outputs"]),
        rtol(golden(id)["rtol"]),
        q(static_cast<Index>(in["mu"][0].size())),
        latent(LatentSpace::plain(q)),
        kernel(parse_kernel("rbf", latent, LengthScales::per_dimension)),
        lengths(column(in["l"])),
        noise(1 / in["beta"].get<double>()),
        V(test::columns(in["Y"], static_cast<Index>(in["Y"][0].size()))) {
    Vector theta(1 + q);
    theta << std::log(in["sigma2"].get<double>()), lengths.array().log().matrix();
    at = Parameters::of(test::columns(in["mu"], q), theta, noise);
    at.S = test::columns(in["S"], q).array().log();
    at.Z = test::columns(in["Z"], q);
  }
  Matrix scaled(const Matrix& X) const { return lengths.cwiseInverse().asDiagonal() * X; }
  std::unique_ptr<Evidence> evidence() const { return inducing_evidence({kernel, latent}, without_jitter); }
};

class InducingGolden : public testing::TestWithParam<const char*> {};

TEST_P(InducingGolden, PsiStatistics) {
  const Case one(GetParam());
  const double variance = std::exp(one.at.theta[0]);
  const PsiStatistics psi(one.scaled(one.at.Z));
  const Matrix mu = one.scaled(one.at.X), S = one.scaled(one.scaled(one.at.S.array().exp()));
  EXPECT_TRUE(close((variance * psi.first(mu, S)).transpose().reshaped(), column(one.out["psi1"]), one.rtol));
  Matrix sums = psi.room();
  psi.add_second(mu, S, sums);
  EXPECT_TRUE(close((variance * variance * psi.whole(sums)).reshaped(), column(one.out["psi2"]), one.rtol));
}

TEST_P(InducingGolden, BoundAndGradients) {
  const Case one(GetParam());
  const auto evidence = one.evidence();
  const Outputs outputs = Outputs::of(one.V);
  EvidenceGradient by;
  EXPECT_TRUE(close(evidence->value_and_gradient(one.at, outputs, by, ByOutputs::wanted),
                    one.out["bound"].get<double>(), one.rtol));
  EXPECT_TRUE(close(by.X.reshaped(), column(one.out["grad_mu"]), one.rtol));
  const Vector S = one.at.S.array().exp().reshaped();
  EXPECT_TRUE(close(by.S.reshaped(), S.cwiseProduct(column(one.out["grad_S"])), one.rtol));
  EXPECT_TRUE(close(by.Z.reshaped(), column(one.out["grad_Z"]), one.rtol));
  EXPECT_TRUE(close(by.theta[0], one.out["grad_log_sigma2"].get<double>(), one.rtol));
  EXPECT_TRUE(close(by.theta.tail(one.q), column(one.out["grad_log_l"]), one.rtol));
  EXPECT_TRUE(close(-one.noise * by.noise, one.out["grad_log_beta"].get<double>(), one.rtol));
  if (one.out.contains("grad_Y")) {
    EXPECT_TRUE(close(by.rows.reshaped(), column(one.out["grad_Y"]), one.rtol));
  }
  if (!one.out.contains("kl_X")) return;
  Matrix none;
  EXPECT_TRUE(close(latent_divergence(one.latent, one.at.X, one.at.S.array().exp().matrix(), none, none),
                    one.out["kl_X"].get<double>(), one.rtol));
}
INSTANTIATE_TEST_SUITE_P(Groups, InducingGolden, testing::Values("bgplvm.rbf_ard", "x.bgplvm2"),
                         [](const auto& id) { return id.index == 0 ? "two_coordinates" : "one_coordinate"; });

// At the inducing inputs the process is what the group calls the best q(u).
TEST(InducingEvidence, PredictionsAreTheGoldenOnes) {
  const Case one("bgplvm.rbf_ard");
  const PosteriorPtr posterior = one.evidence()->condition(one.at, one.noise, one.V);
  ASSERT_TRUE(posterior);
  EXPECT_TRUE(close(posterior->predict(one.at.Z).mean.reshaped(), column(one.out["optimal_qu_mean"]), one.rtol));
  EXPECT_TRUE(close(posterior->covariance(one.at.Z).reshaped(), column(one.out["optimal_qu_cov"]), one.rtol));
}

// E k(x, z) k(x, z') over one coordinate, by the trapezoidal rule, which is exact to rounding for such functions.
double moment(double mu, double S, double z, double other) {
  const double sd = std::sqrt(S), step = 0.02;
  double sum = 0;
  for (double u = -10; u <= 10; u += step) {
    const double x = mu + sd * u, D = x - z, E = x - other;
    sum += std::exp(-0.5 * (u * u + D * D + E * E));
  }
  return sum * step / std::sqrt(2 * std::numbers::pi);
}

TEST(PsiStatistics, AreExpectations) {
  Random random(5);
  const Index q = 5, N = 4, M = 11;
  const Matrix mu = random.normals(q, N), z = 1.5 * random.normals(q, M), S = random.normals(q, N).array().exp() * 0.3;
  const PsiStatistics psi(z);
  const Matrix first = psi.first(mu, S);
  Matrix sums = psi.room();
  psi.add_second(mu, S, sums);
  const Matrix second = psi.whole(sums);
  Matrix expected = Matrix::Zero(M, M);
  for (Index n = 0; n < N; ++n)
    for (Index a = 0; a < M; ++a) {
      double one = 1;
      // E k(x, z) is a moment of x halfway between: k(x, z) = k(sqrt(1/2) x, sqrt(1/2) z)^2.
      for (Index j = 0; j < q; ++j)
        one *= moment(mu(j, n) * std::sqrt(0.5), S(j, n) / 2, z(j, a) * std::sqrt(0.5), z(j, a) * std::sqrt(0.5));
      EXPECT_NEAR(first(n, a), one, 1e-13 + 1e-11 * one);
      for (Index b = 0; b < M; ++b) {
        double two = 1;
        for (Index j = 0; j < q; ++j) two *= moment(mu(j, n), S(j, n), z(j, a), z(j, b));
        expected(a, b) += two;
      }
    }
  EXPECT_TRUE(close(second, expected, 1e-11));
  // Latents that are known exactly.
  Matrix exact = psi.room();
  psi.add_second(mu, Matrix(), exact);
  const Matrix k = psi.first(mu, Matrix());
  EXPECT_TRUE(close(psi.whole(exact), k.transpose() * k, 1e-13));
}

class InducingSpaces : public testing::TestWithParam<std::tuple<Index, LengthScales>> {
 protected:
  const LatentSpace latent = LatentSpace::plain(std::get<0>(GetParam()));
  const KernelPtr kernel = parse_kernel("rbf", latent, std::get<1>(GetParam()));
  const Index q = latent.dim();
  Random random{11};
  Parameters at;
  Matrix V;
  void make(Index N, Index M, double log_S) {
    at = Parameters::of(random.normals(q, N), 0.1 * random.normals(kernel->parameter_count()), 0.05);
    at.theta.tail(at.theta.size() - 1).array() += 0.5 * std::log(static_cast<double>(q));
    at.S = log_S + 0.3 * random.normals(q, N).array();
    at.Z = random.normals(q, M);
    V = random.normals(3, N);
  }
  std::unique_ptr<Evidence> evidence(Executor* executor = nullptr) const {
    return inducing_evidence({kernel, latent, executor, nullptr});
  }
};

TEST_P(InducingSpaces, GradientIsTheDifference) {
  make(12, 10, -1.5);
  const auto one = evidence();
  Outputs outputs = Outputs::of(V);
  EvidenceGradient by;
  one->value_and_gradient(at, outputs, by, ByOutputs::wanted);
  const auto check = [&](double& number, double expected, const char* what) {
    const double slope = difference(number, 1e-3, [&] { return one->value(at, outputs); });
    EXPECT_NEAR(slope, expected, 1e-7 * (1 + std::abs(expected))) << what;
  };
  for (Index i = 0; i < at.X.size(); ++i) {
    check(at.X.data()[i], by.X.data()[i], "mu");
    check(at.S.data()[i], by.S.data()[i], "log S");
  }
  for (Index i = 0; i < at.Z.size(); ++i) check(at.Z.data()[i], by.Z.data()[i], "Z");
  for (Index i = 0; i < at.theta.size(); ++i) check(at.theta[i], by.theta[i], "theta");
  check(at.u, by.noise * std::exp(at.u), "noise");
  for (Index i = 0; i < outputs.rows.size(); ++i) check(outputs.rows.data()[i], by.rows.data()[i], "V");
  // Beyond the end of their range variances do not matter.
  at.S.col(0).setConstant(-30);
  one->value_and_gradient(at, outputs, by, ByOutputs::unwanted);
  EXPECT_EQ(by.S.col(0).norm(), 0);
  EXPECT_EQ(by.rows.size(), 0);
}

// Variances next to nothing and an inducing input at every latent: the dense evidence but for the divergence of q.
TEST_P(InducingSpaces, WithoutUncertaintyItIsTheDenseEvidence) {
  make(40, 1, 0);
  at.S.setConstant(-16);
  at.Z = at.X;
  const Outputs outputs = Outputs::of(V);
  const double dense = dense_evidence({kernel, latent})->value(at, outputs);
  Matrix none;
  const double divergence = latent_divergence(latent, at.X, at.S.array().exp().matrix(), none, none);
  const double bound = evidence()->value(at, outputs) + divergence;
  EXPECT_LT(bound, dense);
  EXPECT_NEAR(bound, dense, 0.05);
  // Fewer inducing inputs say less.
  at.Z = at.X.leftCols(25).eval();
  const double fewer = evidence()->value(at, outputs) + divergence;
  at.Z = at.X.leftCols(10).eval();
  EXPECT_LT(fewer, bound);
  EXPECT_LT(evidence()->value(at, outputs) + divergence, fewer);
}

TEST_P(InducingSpaces, ThreadsChangeNoBit) {
  make(500, 30, -2);
  const Outputs outputs = Outputs::of(V);
  Executor two(2), one(1);
  expect_same(*evidence(&one), *evidence(&two), at, outputs);
}

TEST_P(InducingSpaces, PredictionIsTheFormula) {
  make(30, 9, -2);
  const double noise = 0.2;
  const PosteriorPtr posterior = evidence()->condition(at, noise, V);
  ASSERT_TRUE(posterior);
  // mean b k'(K + b Psi2)^-1 C, variance k(x, x) - k'(K^-1 - (K + b Psi2)^-1) k, from Psi statistics by other means.
  Vector lengths(q);
  for (Index j = 0; j < q; ++j) lengths[j] = std::exp(at.theta[std::min(1 + j, at.theta.size() - 1)]);
  const Vector inverse = lengths.cwiseInverse();
  const PsiStatistics psi(inverse.asDiagonal() * at.Z);
  const Matrix mu = inverse.asDiagonal() * at.X, S = inverse.cwiseAbs2().asDiagonal() * at.S.array().exp().matrix();
  const double variance = std::exp(at.theta[0]);
  Matrix sums = psi.room();
  psi.add_second(mu, S, sums);
  const Matrix Psi2 = variance * variance * psi.whole(sums),
               C = variance * psi.first(mu, S).transpose() * V.transpose();
  Matrix K = kernel->cov(at.theta, at.Z, at.Z);
  K.diagonal().array() += InducingSettings().jitter_share * variance;
  const Matrix inputs = random.normals(q, 7), k = kernel->cov(at.theta, at.Z, inputs);
  const Eigen::LDLT<Matrix> of_K(K), of_B(Matrix(K + Psi2 / noise));
  const GpPrediction prediction = posterior->predict(inputs);
  EXPECT_TRUE(close(prediction.mean, (k.transpose() * of_B.solve(C) / noise).transpose(), 1e-9));
  const Vector expected =
      variance - (k.cwiseProduct(of_K.solve(k) - of_B.solve(k))).colwise().sum().transpose().array();
  EXPECT_TRUE(close(prediction.variance, expected, 1e-9));
  EXPECT_TRUE(close(posterior->mean(inputs), prediction.mean, 1e-13));
  EXPECT_TRUE(close(posterior->covariance(inputs).diagonal(), prediction.variance, 1e-9));

  // A file's arrays are enough for the same bits.
  const PosteriorPtr again = restore_inducing_posterior(kernel, latent, at.theta, noise, at.X, posterior->arrays());
  EXPECT_EQ(again->predict(inputs).mean, prediction.mean);
  EXPECT_EQ(again->predict(inputs).variance, prediction.variance);
  EXPECT_EQ(again->support_limit(), posterior->support_limit());
  EXPECT_GE(posterior->support_limit(), posterior->predict(at.X).variance.maxCoeff() * (1 - 1e-12));
  EXPECT_LE(posterior->support_limit(), variance);
  EXPECT_EQ(posterior->grain().plain, lengths.minCoeff());
  EXPECT_TRUE(std::isinf(posterior->grain().angle));

  // Far away it is its prior.
  const GpPrediction far = posterior->predict(Matrix::Constant(q, 1, 1e6));
  EXPECT_EQ(far.mean.norm(), 0);
  EXPECT_EQ(far.variance[0], posterior->prior_variance(inputs)[0]);
}

TEST_P(InducingSpaces, ThePosteriorCanBeDifferentiated) {
  make(30, 9, -2);
  const PosteriorPtr posterior = evidence()->condition(at, at.noise(), V);
  ASSERT_TRUE(posterior);
  const Matrix X = random.normals(q, 6), by_mean = random.normals(3, 6);
  const Vector by_variance = random.normals(6);
  const auto traced = posterior->trace(X, Posterior::Traced::mean_and_variance);
  EXPECT_TRUE(close(traced->prediction().mean, posterior->mean(X), 1e-13));
  EXPECT_TRUE(close(traced->prediction().variance, posterior->predict(X).variance, 1e-12));
  Matrix d_X = Matrix::Zero(q, 6), by_means_alone = Matrix::Zero(q, 6);
  traced->pull_back(by_mean, by_variance, d_X);
  posterior->trace(X, Posterior::Traced::mean)->pull_back(by_mean, Vector(), by_means_alone);
  const auto differences = [&](double of_variance) {
    Matrix slopes(q, 6);
    Matrix moved = X;
    for (Index i = 0; i < X.size(); ++i)
      slopes.data()[i] = difference(moved.data()[i], 1e-3, [&] {
        const GpPrediction p = posterior->predict(moved);
        return p.mean.cwiseProduct(by_mean).sum() + of_variance * p.variance.dot(by_variance);
      });
    return slopes;
  };
  EXPECT_TRUE(close(d_X, differences(1), 1e-7));
  EXPECT_TRUE(close(by_means_alone, differences(0), 1e-7));
}
INSTANTIATE_TEST_SUITE_P(Spaces, InducingSpaces,
                         testing::Values(std::tuple{2, LengthScales::per_dimension},
                                         std::tuple{4, LengthScales::shared},
                                         std::tuple{5, LengthScales::per_dimension},
                                         std::tuple{7, LengthScales::shared},
                                         std::tuple{9, LengthScales::per_dimension}));

TEST(InducingEvidence, ChoosesItsInputsOnce) {
  Random random(3);
  const LatentSpace latent = LatentSpace::plain(4);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  Parameters at = Parameters::of(random.normals(4, 60), kernel->default_parameters(), 0.1), moved = at;
  at.S = moved.S = Matrix::Constant(4, 60, -3);
  moved.X += 0.1 * random.normals(4, 60);
  const Matrix Z = inducing_inputs(at.X);
  EXPECT_EQ(Z.cols(), 30);
  EXPECT_EQ(inducing_inputs(at.X, {7, 0}).cols(), 7);
  EXPECT_EQ(inducing_inputs(at.X.leftCols(1)).cols(), 1);
  const Outputs outputs = Outputs::of(random.normals(5, 60));
  const auto own = inducing_evidence({kernel, latent}), given = inducing_evidence({kernel, latent});
  EvidenceGradient gradient;
  const double first = own->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted),
               later = own->value(moved, outputs);
  EXPECT_EQ(gradient.Z.size(), 0);
  at.Z = moved.Z = Z;
  EXPECT_EQ(first, given->value(at, outputs));
  EXPECT_EQ(later, given->value(moved, outputs));
  // Two that are the same leave a covariance that the jitter alone makes regular; how much it is can be asked.
  at.Z.col(1) = at.Z.col(0);
  EXPECT_TRUE(std::isfinite(given->value(at, outputs)));
  EXPECT_NEAR(given->jitter(), InducingSettings().jitter_share * std::exp(at.theta[0]), 1e-18);
  EXPECT_EQ(inducing_evidence({kernel, latent}, without_jitter)->jitter(), 0);
}

// Long length-scales leave k(Z, Z) to the jitter, and rounding must not pass for evidence: with latents known exactly
// the bound is below the dense evidence wherever there is one.
TEST(InducingEvidence, RoundingIsNoEvidence) {
  Random random(8);
  const LatentSpace latent = LatentSpace::plain(4);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  const Matrix X = random.normals(4, 150);
  const Matrix V = random.normals(6, 4) * X + 0.1 * random.normals(6, 150);
  const Outputs outputs = Outputs::of(V);
  for (const double length : {3.0, 30.0, 300.0}) {
    Parameters at = Parameters::of(X, Eigen::Vector2d(2 * std::log(length), std::log(length)), 0.01);
    at.Z = X.leftCols(100);
    const double dense = dense_evidence({kernel, latent}, DensePath::safe)->value(at, outputs);
    for (const double share : {1e-12, 1e-10, 1e-8, 1e-6})
      EXPECT_LT(inducing_evidence({kernel, latent}, {100, share})->value(at, outputs), dense + 0.1)
          << length << " " << share;
    // Whatever the fit had, there is a process to predict with.
    const PosteriorPtr posterior = inducing_evidence({kernel, latent}, {100, 1e-10})->condition(at, 0.01, V);
    ASSERT_TRUE(posterior) << length;
    EXPECT_LE((posterior->mean(X) - V).norm(), 0.15 * std::sqrt(6.0 * 150)) << length;
  }
}

TEST(InducingEvidence, IsForOneKernel) {
  const LatentSpace latent = LatentSpace::plain(4);
  EXPECT_EQ(inducing_evidence({parse_kernel("matern52", latent), latent}), nullptr);
  EXPECT_EQ(inducing_evidence({parse_kernel("rbf+linear", latent), latent}), nullptr);
  EXPECT_EQ(inducing_evidence({parse_kernel("rbf", LatentSpace(1, 3)), LatentSpace(1, 3)}), nullptr);
}

TEST(InducingPosterior, RefusesWhatDoesNotFit) {
  const Case one("bgplvm.rbf_ard");
  const PosteriorPtr posterior = one.evidence()->condition(one.at, one.noise, one.V);
  const auto arrays = posterior->arrays();
  for (const auto& [name, array] : arrays) {
    auto without = arrays, smaller = arrays;
    without.erase(name);
    smaller[name] = Matrix(array.leftCols(array.cols() - 1));
    const auto restored = [&](const auto& from) {
      return restore_inducing_posterior(one.kernel, one.latent, one.at.theta, one.noise, one.at.X, from);
    };
    EXPECT_THROW(restored(without), Error) << name;
    if (name != inducing_array::weights) {  // with fewer outputs it is another process
      EXPECT_THROW(restored(smaller), Error) << name;
    }
  }
  EXPECT_NE(inducing_parts(*posterior), nullptr);
}

}  // namespace
}  // namespace wgp
