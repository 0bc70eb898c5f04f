// The bound with latents integrated out, against numbers computed elsewhere, differences, and the dense evidence.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "evidence/gradients.h"
#include "evidence/latent_divergence.h"
#include "evidence/learned_density.h"
#include "evidence/variational_evidence.h"
#include "golden.h"
#include "gp/lattice_posterior.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::expect_same;
using test::golden;

TEST(WrappedNormal, EntropyAgreesWithHighPrecision) {
  const auto& group = golden("fvb.entropy.wrapped_normal");
  const Vector S = column(group["inputs"]["S"]), H = column(group["outputs"]["H"]),
               by = column(group["outputs"]["dH_dS"]);
  for (Index i = 0; i < S.size(); ++i) {
    EXPECT_NEAR(wrapped_normal_entropy(S[i]).value, H[i], 1e-12 * std::max(1.0, std::abs(H[i])));
    EXPECT_NEAR(wrapped_normal_entropy(S[i]).by_variance, by[i], 1e-11 * std::max(1.0, std::abs(by[i])));
  }
}

// Everything of a golden group of bounds, on the lattice that it gives.
struct Case {
  const nlohmann::json& group;
  LatentSpace latent;
  KernelSpectrum spectrum;
  LatticePlan plan;
  Matrix V, mu, S;
  Vector theta;
  double noise;

  static LatentSpace space(const nlohmann::json& in) {
    const std::string types = in["types"];
    const auto angles = std::count(types.begin(), types.end(), 'a');
    return {angles, static_cast<Index>(types.size()) - angles};
  }
  static KernelSpectrum spectrum_of(const nlohmann::json& in) {
    const LatentSpace latent = space(in);
    std::vector<SpectralTerm> terms;
    Index next = 0;
    for (const auto& name : in["components"]) {
      SpectralTerm term;
      term.shape = name == "matern32"   ? SpectralShape::matern32
                   : name == "matern52" ? SpectralShape::matern52
                                        : SpectralShape::rbf;
      term.log_variance = next++;
      for (Index j = 0; j < latent.dim(); ++j) term.log_length.push_back(next++);
      terms.push_back(term);
    }
    return {latent, terms, next};
  }
  explicit Case(const std::string& id)
      : group(golden(id)),
        latent(space(group["inputs"])),
        spectrum(spectrum_of(group["inputs"])),
        plan{Lattice(latent, column(group["inputs"]["T"]),
                     test::columns(group["inputs"]["K"], latent.dim()).cast<int>()),
             Neglected::penalised} {
    const auto& in = group["inputs"];
    V = test::columns(in["V"], static_cast<Index>(in["V"][0].size()));
    mu = test::columns(in["mu"], latent.dim());
    S = test::columns(in["S"], latent.dim());
    theta = column(in["theta"]);
    noise = std::exp(column(in["log_noise"])[0]);
  }
  LatticeSums sums() const {
    const LatticeBlock block(plan.lattice, mu, S);
    return {static_cast<double>(V.cols()), V.squaredNorm(), plan.lattice.second_moments(block.table()),
            block.features().transpose() * V.transpose(), V.rows()};
  }
  double divergence() const {
    Matrix none;
    return latent_divergence(latent, mu, S, none, none);
  }
};

TEST(CollapsedBound, AgreesWithHighPrecision) {
  for (const char* id : {"angle", "plain_gradient", "matern52_2d", "sum_angle_plain", "plain3", "rbf_plain"}) {
    SCOPED_TRACE(id);
    const Case one(std::string("fvb.bound.") + id);
    CollapsedBound bound(one.spectrum, one.plan.lattice, Neglected::penalised);
    EXPECT_TRUE(close(bound.value(one.theta, one.noise, one.sums()) - one.divergence(),
                      one.group["outputs"]["F"].get<double>(), 1e-12));
  }
}

// The evidence itself, where the parameters of the group are those of one of our kernels.
TEST(VariationalEvidence, GradientAgreesWithHighPrecision) {
  const Case one("fvb.bound.plain_gradient");
  const KernelPtr kernel = parse_kernel("rbf", one.latent);
  const auto evidence = variational_evidence({kernel, one.latent, nullptr, nullptr}, one.plan);
  Parameters at = Parameters::of(one.mu, one.theta, one.noise);
  at.S = one.S.array().log();
  const Outputs outputs = Outputs::of(one.V);
  EvidenceGradient gradient;
  EXPECT_TRUE(close(evidence->value_and_gradient(at, outputs, gradient, ByOutputs::wanted),
                    one.group["outputs"]["F"].get<double>(), 1e-12));
  EXPECT_TRUE(close(gradient.X.reshaped(), column(one.group["outputs"]["g_mu"]), 1e-10));
  EXPECT_TRUE(close(gradient.S.reshaped(), column(one.group["outputs"]["g_logS"]), 1e-10));
  EXPECT_TRUE(close(gradient.theta, column(one.group["outputs"]["g_theta"]), 1e-10));
  EXPECT_TRUE(close(gradient.noise * one.noise, column(one.group["outputs"]["g_log_noise"])[0], 1e-10));
}

TEST(VariationalEvidence, PredictionsAgreeWithHighPrecision) {
  const Case one("fvb.prediction");
  const KernelPtr kernel = parse_kernel("rbf", one.latent);
  const auto evidence = variational_evidence({kernel, one.latent, nullptr, nullptr}, one.plan);
  Parameters at = Parameters::of(one.mu, one.theta, one.noise);
  at.S = one.S.array().log();
  const PosteriorPtr posterior = evidence->condition(at, one.noise, one.V);
  ASSERT_TRUE(posterior);
  const GpPrediction prediction = posterior->predict(test::columns(one.group["inputs"]["x"], 1));
  EXPECT_TRUE(close(prediction.mean.reshaped(), column(one.group["outputs"]["mean"]), 1e-11));
  const Vector variance = column(one.group["outputs"]["variance"]);
  for (Index i = 0; i < 2; ++i) EXPECT_TRUE(close(prediction.variance[i] + one.noise, variance[2 * i], 1e-11));
}

// E k(x, z) = phi(z)'D E phi(x) and E k(z, x) k(x, z') = phi(z)'D Psi2 D phi(z') on a circle.
TEST(VariationalEvidence, MomentsOfThePeriodicKernelAgreeWithQuadrature) {
  const auto& group = golden("bgplvm.periodic_psi");
  const Vector first = column(group["outputs"]["psi1"]), second = column(group["outputs"]["psi2"]);
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  const KernelSpectrum spectrum(circle, *spectral_terms(*kernel, circle), kernel->parameter_count());
  const Lattice lattice(circle, Vector::Constant(1, 2 * std::numbers::pi),
                        Modes::NullaryExpr(1, 40, [](Index, Index k) { return static_cast<int>(k) + 1; }));
  const Modes modes = Modes::NullaryExpr(1, 41, [](Index, Index k) { return static_cast<int>(k); });
  Index i = 0;
  for (const auto& numbers : group["inputs"]["cases"]) {
    const Vector one = column(numbers);  // mu, S, z, z', variance, length
    const Vector D =
        lattice.feature_amplitudes(spectrum.amplitudes(one.tail(2).array().log().matrix(), lattice.periods(), modes));
    const LatticeBlock at(lattice, one.segment(0, 1), one.segment(1, 1)), z(lattice, one.segment(2, 1), Matrix()),
        other(lattice, one.segment(3, 1), Matrix());
    const Vector a = D.asDiagonal() * z.features().row(0).transpose(),
                 b = D.asDiagonal() * other.features().row(0).transpose();
    EXPECT_TRUE(close(a.dot(at.features().row(0)), first[i], 1e-11));
    EXPECT_TRUE(close(a.dot(lattice.second_moments(at.table()) * b), second[i], 1e-9));
    ++i;
  }
}

class VariationalSpaces : public testing::TestWithParam<std::tuple<const char*, Index, Index>> {
 protected:
  const LatentSpace latent{std::get<1>(GetParam()), std::get<2>(GetParam())};
  const KernelPtr kernel = parse_kernel(std::get<0>(GetParam()), latent, LengthScales::per_dimension);
  Random random{11};
  Parameters at;
  Matrix V;
  void make(Index N, Index d, double log_S) {
    at = Parameters::of(random.normals(latent.dim(), N), 0.1 * random.normals(kernel->parameter_count()), 0.05);
    if (latent.dim() == 3) at.theta.tail(3).array() += 0.7;  // fewer frequencies
    at.S = log_S + 0.3 * random.normals(latent.dim(), N).array();
    V = random.normals(d, N);
  }
};

void expect_gradient_is_the_difference(Evidence& evidence, Parameters at, Outputs outputs) {
  EvidenceGradient by;
  evidence.value_and_gradient(at, outputs, by, ByOutputs::wanted);
  constexpr double h = 1e-5;
  const auto check = [&](double& number, double expected, const char* what) {
    const double before = number;
    number = before + h;
    const double up = evidence.value(at, outputs);
    number = before - h;
    const double down = evidence.value(at, outputs);
    number = before;
    EXPECT_NEAR((up - down) / (2 * h), expected, 2e-6 * (1 + std::abs(expected))) << what;
  };
  for (Index i = 0; i < at.X.size(); ++i) {
    check(at.X.data()[i], by.X.data()[i], "mu");
    check(at.S.data()[i], by.S.data()[i], "log S");
  }
  for (Index i = 0; i < at.theta.size(); ++i) check(at.theta[i], by.theta[i], "theta");
  check(at.u, by.noise * std::exp(at.u), "noise");
  for (Index i = 0; i < outputs.rows.size(); ++i) check(outputs.rows.data()[i], by.rows.data()[i], "V");
}

TEST_P(VariationalSpaces, GradientIsTheDifference) {
  make(9, 3, -2);
  expect_gradient_is_the_difference(*variational_evidence({kernel, latent, nullptr, nullptr}), at, Outputs::of(V));
}

TEST_P(VariationalSpaces, GradientWithUncertainInputsIsTheDifference) {
  make(9, 3, -2);
  UncertainInputs inputs{at.X + 0.3 * random.normals(at.X.rows(), 9), Matrix::Constant(at.X.rows(), 9, 0.2), 1};
  inputs.variance.col(2).setConstant(0.05);
  const auto evidence = uncertain_inputs_evidence({kernel, latent, nullptr, nullptr}, inputs);
  expect_gradient_is_the_difference(*evidence, at, Outputs::of(V));
}

// The divergence has its minimum, nothing, where q(x) is what is known; and inputs that are known exactly, at their
// place, are those of the dense evidence.
TEST_P(VariationalSpaces, InputsThatAreKnownExactlyGiveTheDenseEvidence) {
  make(9, 3, -30);
  const UncertainInputs inputs{at.X, at.S.array().exp(), 1};
  const Outputs outputs = Outputs::of(V);
  const double dense = dense_evidence({kernel, latent}, DensePath::safe)->value(at, outputs);
  EXPECT_NEAR(uncertain_inputs_evidence({kernel, latent, nullptr, nullptr}, inputs)->value(at, outputs), dense,
              0.04 * std::abs(dense));
  Parameters moved = at;
  moved.X(0, 0) += 3 * std::exp(at.S(0, 0) / 2);
  EXPECT_NEAR(uncertain_inputs_evidence({kernel, latent, nullptr, nullptr}, inputs)->value(moved, outputs),
              uncertain_inputs_evidence({kernel, latent, nullptr, nullptr}, inputs)->value(at, outputs) - 4.5, 0.01);
}

TEST_P(VariationalSpaces, WithoutUncertaintyItIsTheDenseEvidence) {
  if (latent.dim() == 3 || std::string(std::get<0>(GetParam())) == "matern52") return;  // frequencies are left out
  make(40, 3, 0);
  at.X *= 0.5;
  at.S.setConstant(-16);
  const Outputs outputs = Outputs::of(V);
  const double dense = dense_evidence({kernel, latent, nullptr, nullptr})->value(at, outputs);
  Matrix none;
  const double divergence = latent_divergence(latent, at.X, at.S.array().exp().matrix(), none, none);
  double bound = variational_evidence({kernel, latent, nullptr, nullptr})->value(at, outputs) + divergence;
  if (latent.dim() == 1 && latent.angles() == 1)
    bound -= learned_density(harmonics_at(at.X.row(0).transpose(), 4).rowwise().sum(), 40).gain;
  EXPECT_LT(bound, dense + 1e-3);
  EXPECT_NEAR(bound, dense, 40 * 1e-2);
}

TEST_P(VariationalSpaces, ThreadsChangeNoBit) {
  make(700, 3, -2);
  const Outputs outputs = Outputs::of(V);
  Executor two(2), one(1);
  expect_same(*variational_evidence({kernel, latent, &one, nullptr}),
              *variational_evidence({kernel, latent, &two, nullptr}), at, outputs);
}

TEST_P(VariationalSpaces, ThePosteriorCanBeDifferentiated) {
  make(30, 3, -2);
  const PosteriorPtr posterior = variational_evidence({kernel, latent, nullptr, nullptr})->condition(at, at.noise(), V);
  ASSERT_TRUE(posterior);
  const Matrix X = random.normals(latent.dim(), 6), by_mean = random.normals(3, 6);
  const Vector by_variance = random.normals(6);
  const auto value = [&](const Matrix& x) {
    const GpPrediction p = posterior->predict(x);
    return p.mean.cwiseProduct(by_mean).sum() + p.variance.dot(by_variance);
  };
  Matrix d_X = Matrix::Zero(latent.dim(), 6);
  const auto traced = posterior->trace(X, Posterior::Traced::mean_and_variance);
  EXPECT_TRUE(close(traced->prediction().mean, posterior->mean(X), 1e-13));
  traced->pull_back(by_mean, by_variance, d_X);
  for (Index i = 0; i < X.size(); ++i) {
    Matrix up = X, down = X;
    up.data()[i] += 1e-5;
    down.data()[i] -= 1e-5;
    EXPECT_NEAR((value(up) - value(down)) / 2e-5, d_X.data()[i], 1e-6 * (1 + std::abs(d_X.data()[i])));
  }
  // Joint covariances have the variances on their diagonal; far away the process is its prior.
  EXPECT_TRUE(close(posterior->covariance(X).diagonal(), posterior->predict(X).variance, 1e-9));
  if (latent.plain_count() == 0) return;
  const GpPrediction far = posterior->predict(Matrix::Constant(latent.dim(), 1, 1e6));
  EXPECT_EQ(far.mean.norm(), 0);
  EXPECT_EQ(far.variance[0], posterior->prior_variance(X)[0]);
}

// Over q(x), by drawing from it.
TEST_P(VariationalSpaces, UncertainPredictionsAreMeans) {
  make(30, 2, -2);
  const PosteriorPtr posterior = variational_evidence({kernel, latent, nullptr, nullptr})->condition(at, at.noise(), V);
  const Index q = latent.dim(), draws = 40000;
  const Vector S = Vector::Constant(q, 0.04);
  const UncertainPrediction known = predict_uncertain(*posterior, at.X.col(0), S);
  const Matrix X = (0.2 * random.normals(q, draws)).colwise() + at.X.col(0);
  const GpPrediction drawn = posterior->predict(X);
  const Vector mean = drawn.mean.rowwise().mean();
  const double variance = (drawn.mean.colwise() - mean).squaredNorm() / (2.0 * draws) + drawn.variance.mean();
  EXPECT_LT((known.mean.col(0) - mean).norm(), 0.02);
  EXPECT_NEAR(known.variance[0], variance, 0.03 * variance);
}
INSTANTIATE_TEST_SUITE_P(Spaces, VariationalSpaces,
                         testing::Values(std::tuple{"periodic", 1, 0}, std::tuple{"rbf", 0, 1}, std::tuple{"rbf", 0, 2},
                                         std::tuple{"rbf", 1, 1}, std::tuple{"rbf+rbf", 0, 1},
                                         std::tuple{"matern52", 0, 1}, std::tuple{"rbf", 0, 3}));

TEST(VariationalEvidence, SaysWhyNot) {
  const LatentSpace line = LatentSpace::plain(1), many = LatentSpace::plain(4), three = LatentSpace::plain(3);
  EXPECT_EQ(why_not_variational(*parse_kernel("rbf", line), line), "");
  EXPECT_NE(why_not_variational(*parse_kernel("rbf+linear", line), line), "");
  EXPECT_EQ(why_not_variational(*parse_kernel("rbf", many), many), "");
  EXPECT_EQ(why_not_variational(*parse_kernel("rbf", many, LengthScales::per_dimension), many), "");
  EXPECT_NE(why_not_variational(*parse_kernel("matern32", many), many), "");
  EXPECT_NE(why_not_variational(*parse_kernel("rbf", LatentSpace(1, 3)), LatentSpace(1, 3)), "");
  EXPECT_NE(why_not_variational(*parse_kernel("matern32", three), three), "");
  EXPECT_EQ(variational_evidence({parse_kernel("linear", line), line, nullptr, nullptr}), nullptr);
}

}  // namespace
}  // namespace wgp
