// Noise laws from residuals whose law is known.
#include "noise/estimate_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/decompositions.h"
#include "noise/benjamini_hochberg.h"
#include "noise/fit_student.h"
#include "noise/monotone_means.h"

namespace wgp {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity(), sigma2 = 0.04;

NoiseLawPtr law_with(ConstVectorRef D, double nu, Random& random) {
  StructuredNoise parts;
  parts.directions = Qr(random.normals(D.size(), D.size())).Q();
  parts.variances = D;
  parts.degrees_of_freedom = nu;
  parts.fitted_noise = sigma2;
  parts.isotropic_scale = D.mean();
  return structured_noise(parts);
}

Vector steep(Index d) {
  Vector D(d);
  for (Index k = 0; k < d; ++k) D[k] = sigma2 * std::pow(0.7, static_cast<double>(k)) + 0.002;
  return D;
}

LeftOutResiduals residuals_of(const NoiseLaw& law, Index n, Random& random) {
  LeftOutResiduals residuals;
  residuals.Z = law.draw_noise(n, random);
  residuals.J.resize(law.dim(), 0);
  residuals.g.setOnes(n);
  for (Index i = 0; i < n; ++i) residuals.fold.push_back(static_cast<int>(random.below(5)));
  residuals.fitted_noise = sigma2;
  return residuals;
}

// E log p(true law) - log p(found law), over new draws.
double deficit(const NoiseLaw& truth, const NoiseLaw& found, Random& random) {
  const Index n = 4000;
  const Matrix R = truth.draw_noise(n, random);
  const Vector none = Vector::Zero(n);
  return (truth.log_density(truth.whiten(R).colwise().squaredNorm(), none) -
          found.log_density(found.whiten(R).colwise().squaredNorm(), none))
      .mean();
}

TEST(EstimateNoise, RecoversAStructuredLaw) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    const Vector D = steep(20);
    const NoiseLawPtr truth = law_with(D, 5, random);
    const NoiseEstimate estimate = estimate_noise(residuals_of(*truth, 400, random));
    EXPECT_EQ(estimate.kind, NoiseKind::structured) << estimate.why;
    const double nu = estimate.law()->parameters().at("degrees_of_freedom");
    EXPECT_GT(nu, 4);
    EXPECT_LT(nu, 6.5);
    EXPECT_NEAR(estimate.law()->arrays().at("variances").sum() / D.sum(), 1, 0.1);
    // A covariance of d = 20 has 210 numbers, each of which costs 1 / (2 n) nats at the least: .26 in all.
    EXPECT_LT(deficit(*truth, *estimate.law(), random), 0.4) << seed;
    EXPECT_GT(deficit(*truth, *estimate.laws[1], random), 4) << seed;
    // Left-out densities are what new points find.
    const Matrix R = truth->draw_noise(4000, random);
    const double expected =
        estimate.law()->log_density(estimate.law()->whiten(R).colwise().squaredNorm(), Vector::Zero(4000)).mean();
    EXPECT_NEAR(estimate.log_densities.row(2).mean(), expected, 1);
    EXPECT_EQ(&estimate.law()->for_regions(), estimate.law().get());
  }
}

TEST(EstimateNoise, TheGateChoosesRightly) {
  for (const std::uint64_t seed : {11, 12, 13, 14}) {
    Random random(seed);
    const Vector flat = Vector::Constant(20, sigma2);
    const NoiseEstimate normal = estimate_noise(residuals_of(*law_with(flat, endless, random), 400, random));
    EXPECT_EQ(normal.kind, NoiseKind::normal) << normal.why;
    EXPECT_NEAR(normal.law()->noise_variance() / sigma2, 1, 0.05);
    EXPECT_GT(normal.laws[1]->parameters().at("degrees_of_freedom"), 30);
    const NoiseEstimate student = estimate_noise(residuals_of(*law_with(flat, 5, random), 400, random));
    EXPECT_EQ(student.kind, NoiseKind::student) << student.why;
    EXPECT_FALSE(student.few_decide);
    // Directions that are not there cost next to nothing.
    EXPECT_LT(deficit(*student.law(), *student.laws[2], random), 0.03);
    EXPECT_NEAR(student.law()->parameters().at("scale") / sigma2, 1, 0.15);
    const NoiseEstimate structured = estimate_noise(residuals_of(*law_with(steep(20), endless, random), 400, random));
    EXPECT_EQ(structured.kind, NoiseKind::structured) << structured.why;
  }
}

// A normal law is as wide as an outlier makes it; the heavy tails that let it go stay where the others are.
TEST(EstimateNoise, OneOutlierDoesNotDecideForAll) {
  for (const std::uint64_t seed : {21, 22, 23}) {
    Random random(seed);
    const NoiseLawPtr truth = law_with(Vector::Constant(3, sigma2), endless, random);
    LeftOutResiduals residuals = residuals_of(*truth, 80, random);
    residuals.Z.col(17).setConstant(150 * std::sqrt(sigma2));
    const NoiseEstimate estimate = estimate_noise(residuals);
    EXPECT_NE(estimate.kind, NoiseKind::normal) << estimate.why;
    EXPECT_TRUE(estimate.few_decide);
    EXPECT_LT(deficit(*truth, *estimate.law(), random), 0.4) << seed;
    EXPECT_GT(deficit(*truth, *estimate.laws[0], random), 3) << seed;
  }
}

// v = J x + noise with x found under an isotropic law: what the code takes up is given back.
TEST(EstimateNoise, WhatCodesTookUpIsGivenBack) {
  const Index d = 12, n = 600, q = 2;
  Random random(31);
  const Vector D = steep(d);
  const NoiseLawPtr truth = law_with(D, 6, random);
  LeftOutResiduals residuals = residuals_of(*truth, n, random);
  residuals.angle = {true, false};
  residuals.J.resize(d, n * q);
  const Matrix J0 = random.normals(d, q);
  for (Index i = 0; i < n; ++i) {
    residuals.g[i] = 1 + random.uniform();
    // The noise in directions of its own, the submanifold bending along them.
    const Matrix J = J0 + 0.7 * random.normals(d, q);
    residuals.J.middleCols(i * q, q) = J;
    const Vector z = residuals.Z.col(i);
    residuals.Z.col(i) = z - J * Cholesky(J.transpose() * J).solve(J.transpose() * z);
  }
  const NoiseEstimate estimate = estimate_noise(residuals);
  EXPECT_EQ(estimate.kind, NoiseKind::structured) << estimate.why;
  EXPECT_NEAR(estimate.law()->arrays().at("variances").sum() / D.sum(), 1, 0.2);
  EXPECT_LT(deficit(*truth, *estimate.law(), random), 0.4);
  LeftOutResiduals without = residuals;
  without.J.resize(d, 0);
  without.angle.clear();
  EXPECT_LT(deficit(*truth, *estimate.law(), random), deficit(*truth, *estimate_noise(without).laws[2], random));
}

// Of fewer than five points a dimension the structured law knows the density, but not how far its regions reach.
TEST(EstimateNoise, RegionsOfFewPointsAreIsotropic) {
  Random random(41);
  const NoiseEstimate estimate = estimate_noise(residuals_of(*law_with(steep(30), 5, random), 100, random));
  EXPECT_EQ(estimate.kind, NoiseKind::structured) << estimate.why;
  EXPECT_EQ(estimate.law()->for_regions().kind(), "student");
  EXPECT_EQ(estimate.law()->radius(0.9, 0), estimate.laws[1]->radius(0.9, 0));
}

TEST(EstimateNoise, WhereThereIsNoChoice) {
  Random random(51);
  const NoiseLawPtr law = normal_noise(2, sigma2);
  LeftOutResiduals residuals = residuals_of(*law, 60, random);
  residuals.angle = {false, false};
  residuals.J = random.normals(2, 120);
  NoiseEstimate estimate = estimate_noise(residuals);
  EXPECT_EQ(estimate.law()->kind(), "normal");
  EXPECT_TRUE(estimate.laws[1] == nullptr && estimate.laws[2] == nullptr);
  EXPECT_NE(estimate.why.find("2 latent coordinates"), std::string::npos) << estimate.why;
  residuals = residuals_of(*law, 10, random);
  EXPECT_EQ(estimate_noise(residuals).kind, NoiseKind::normal);
  residuals = residuals_of(*law, 60, random);
  residuals.fold.assign(60, 3);
  EXPECT_EQ(estimate_noise(residuals).kind, NoiseKind::normal);
  residuals.Z.setZero();
  EXPECT_GT(estimate_noise(residuals).law()->noise_variance(), 0);
  residuals.g.resize(59);
  EXPECT_THROW(estimate_noise(residuals), Error);
}

// Points that are not finite are left out, the others keep their order; scales of data and units do not matter.
TEST(EstimateNoise, PointsAndUnits) {
  Random random(61);
  const NoiseLawPtr law = law_with(steep(6), 5, random);
  LeftOutResiduals residuals = residuals_of(*law, 150, random);
  const NoiseEstimate all = estimate_noise(residuals), again = estimate_noise(residuals);
  EXPECT_EQ(all.log_densities, again.log_densities);
  ASSERT_EQ(all.points.size(), 150u);
  EXPECT_EQ(all.points[149], 149);
  LeftOutResiduals large = residuals;
  large.Z *= 1e3;
  large.fitted_noise *= 1e6;
  const NoiseEstimate scaled = estimate_noise(large);
  EXPECT_NEAR(scaled.law()->noise_variance() / all.law()->noise_variance(), 1e6, 1);
  EXPECT_LT((scaled.log_densities.array() + 6 * std::log(1e3) - all.log_densities.array()).abs().maxCoeff(), 1e-4);
  residuals.Z(2, 7) = std::nan("");
  const NoiseEstimate fewer = estimate_noise(residuals);
  ASSERT_EQ(fewer.points.size(), 149u);
  EXPECT_EQ(fewer.points[7], 8);
  EXPECT_TRUE(fewer.log_densities.allFinite());
}

// Residuals without noise in some direction, and latents that the mean does not move with.
TEST(EstimateNoise, DegenerateInput) {
  Random random(65);
  LeftOutResiduals residuals = residuals_of(*law_with(steep(8), 5, random), 100, random);
  residuals.Z.bottomRows(2).setZero();
  residuals.angle = {true, false};
  residuals.J.setZero(8, 200);
  const NoiseEstimate estimate = estimate_noise(residuals);
  EXPECT_TRUE(estimate.log_densities.allFinite());
  ASSERT_NE(estimate.laws[2], nullptr);
  EXPECT_GT(estimate.laws[2]->arrays().at("variances").minCoeff(), 0);
  residuals.J = 1e6 * random.normals(8, 200);
  EXPECT_TRUE(estimate_noise(residuals).log_densities.allFinite());
  residuals.Z.setZero();
  residuals.Z(3, 5) = 1;  // nothing is left without its fold
  EXPECT_EQ(estimate_noise(residuals).kind, NoiseKind::normal);
}

TEST(EstimateNoise, OfManyPointsSomeOfEachFold) {
  Random random(71);
  LeftOutResiduals residuals = residuals_of(*normal_noise(2, sigma2), 50000, random);
  for (std::size_t i = 0; i < residuals.fold.size(); ++i) residuals.fold[i] = static_cast<int>(i % 5);
  const NoiseEstimate estimate = estimate_noise(residuals);
  ASSERT_EQ(estimate.points.size(), 10000u);
  std::array<int, 5> of{};
  for (const Index i : estimate.points) ++of[static_cast<std::size_t>(i % 5)];
  for (const int count : of) EXPECT_EQ(count, 2000);
  EXPECT_EQ(estimate.kind, NoiseKind::normal) << estimate.why;
}

TEST(FitStudent, FindsTheMaximum) {
  Random random(81);
  for (const Index m : {1, 9}) {
    Vector Q(2000);
    for (double& one : Q) one = student_noise(m, 0.3, 4, 1)->draw_noise(1, random).squaredNorm();
    const StudentFit fitted = fit_student(Q, m);
    EXPECT_NEAR(fitted.degrees_of_freedom, 4, 1);
    EXPECT_NEAR(fitted.scale, 0.3, 0.03);
    const auto value = [&](double nu, double c) {
      const NoiseLawPtr law = student_noise(m, c, nu, 1);
      return law->log_density(Q, Vector::Zero(Q.size())).sum() + std::log(nu) - 0.1 * nu;
    };
    const double best = value(fitted.degrees_of_freedom, fitted.scale);
    for (const double factor : {0.97, 1.03}) {
      EXPECT_GT(best, value(factor * fitted.degrees_of_freedom, fitted.scale));
      EXPECT_GT(best, value(fitted.degrees_of_freedom, factor * fitted.scale));
    }
  }
}

TEST(MonotoneMeans, PoolsWhatIncreases) {
  const Vector x = (Vector(6) << 5, 1, 3, 2, 2.5, 0).finished();
  const Vector wanted = (Vector(6) << 5, 2.125, 2.125, 2.125, 2.125, 0).finished();
  EXPECT_LT((decreasing_means(x) - wanted).norm(), 1e-14);
  EXPECT_EQ(decreasing_means(Vector::LinSpaced(4, 9, 1)), Vector::LinSpaced(4, 9, 1));
  EXPECT_EQ(decreasing_means(Vector()).size(), 0);
}

// The example of Benjamini and Hochberg's article: of fifteen tests four are named at 5 %.
TEST(BenjaminiHochberg, NamesTheSmallestThatBelongTogether) {
  const Vector p = (Vector(15) << 0.0344, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0459, 0.3240,
                    0.4262, 0.5719, 0.6528, 0.7590, 1.0)
                       .finished();
  EXPECT_EQ(benjamini_hochberg(p, 0.05), (std::vector<Index>{1, 2, 3, 4}));
  EXPECT_TRUE(benjamini_hochberg(Vector::LinSpaced(100, 0.01, 1)).empty());
  const Vector odd = (Vector(3) << std::nan(""), 1e-9, 0.5).finished();
  EXPECT_EQ(benjamini_hochberg(odd), (std::vector<Index>{1}));
  EXPECT_TRUE(benjamini_hochberg(Vector()).empty());
}

}  // namespace
}  // namespace wgp
