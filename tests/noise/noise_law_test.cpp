// Every registered noise law: its density integrates to one, its derivatives are its differences, its draws and its
// regions agree with it, and a file brings it back.
#include "wgp/noise_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace wgp {
namespace {

class Laws : public testing::TestWithParam<NoiseLawEntry> {
 protected:
  static constexpr double variances[] = {0.0, 0.4, 3.0};
};

// Surface of the unit sphere times the integral over the radius, in whitened coordinates.
TEST_P(Laws, DensityIntegratesToOne) {
  for (const Index d : {1, 2, 5}) {
    const NoiseLawPtr law = GetParam().example(d);
    // |det| of the whitening, from the images of the axes.
    const Matrix axes = law->whiten(Matrix::Identity(d, d)) - law->whiten(Matrix::Zero(d, d));
    const double log_det = std::log(std::abs(axes.determinant()));
    const double half = static_cast<double>(d) / 2;
    const double log_surface = std::log(2.0) + half * std::log(std::numbers::pi) - std::lgamma(half);
    for (const double variance : variances) {
      const double sd = std::sqrt(law->total_variance(Vector::Constant(1, variance))[0]);
      double sum = 0;
      constexpr int cells = 100000;
      const double far = 400 * sd;  // in a scale that reaches into heavy tails
      for (int k = 0; k < cells; ++k) {
        const double t = (k + 0.5) / cells, r = far * t * t * t, dr = 3 * far * t * t / cells;
        sum += std::exp(law->density(r * r, variance).log_density + log_surface +
                        static_cast<double>(d - 1) * std::log(r) - log_det) *
               dr;
      }
      EXPECT_NEAR(sum, 1, 1e-4) << d << " " << variance;
    }
  }
}

TEST_P(Laws, DerivativesAreDifferences) {
  const NoiseLawPtr law = GetParam().example(3);
  for (const double variance : {0.4, 3.0})
    for (const double squared : {0.1, 2.0, 30.0}) {
      const NoiseLaw::Density at = law->density(squared, variance);
      const double h = 1e-5;
      const auto value = [&](double q, double s) { return law->density(q, s).log_density; };
      EXPECT_NEAR(at.by_squared, (value(squared + h, variance) - value(squared - h, variance)) / (2 * h), 1e-7);
      EXPECT_NEAR(at.by_variance, (value(squared, variance + h) - value(squared, variance - h)) / (2 * h), 1e-7);
      EXPECT_NEAR(law->log_density(Vector::Constant(1, squared), Vector::Constant(1, variance))[0], at.log_density,
                  1e-12);
      EXPECT_GT(law->weight(squared, variance), 0);
      EXPECT_NEAR(law->p_value(squared, variance), 1 - law->share_within(squared, variance), 1e-14);
    }
  Random random(3);
  const Matrix V = random.normals(3, 4), W = random.normals(3, 4);
  EXPECT_NEAR((law->whiten(V) - law->whiten(Matrix::Zero(3, 4))).cwiseProduct(W).sum(),
              V.cwiseProduct(law->whiten_adjoint(W)).sum(), 1e-12);
}

TEST_P(Laws, DrawsFillTheRegions) {
  Random random(4);
  for (const Index d : {2, 7}) {
    const NoiseLawPtr law = GetParam().example(d);
    for (const double variance : variances) {
      constexpr Index count = 20000;
      const Matrix draws = law->draw(Vector::Constant(count, variance), random);
      const Matrix white = law->whiten(draws) - law->whiten(Matrix::Zero(d, count));
      const Vector shares = white.colwise().squaredNorm().transpose().unaryExpr(
          [&](double squared) { return law->share_within(squared, variance); });
      for (const double level : {0.5, 0.9}) {
        const double radius = law->radius(level, variance);
        const double inside = (draws.colwise().norm().array() <= radius).cast<double>().mean();
        EXPECT_NEAR(inside, level, 5 * std::sqrt(level * (1 - level) / count)) << d << " " << variance;
        EXPECT_NEAR((shares.array() <= level).cast<double>().mean(), level, 5 * std::sqrt(level * (1 - level) / count))
            << d << " " << variance;
      }
      // Coordinates that have been whitened are uncorrelated and alike, and their covariance is that of the law.
      const Matrix covariance = white * white.transpose() / static_cast<double>(count);
      const double each = covariance.trace() / static_cast<double>(d);
      EXPECT_LT((covariance - each * Matrix::Identity(d, d)).cwiseAbs().maxCoeff(), 0.15 * each);
      EXPECT_NEAR(draws.squaredNorm() / static_cast<double>(draws.size()) /
                      law->total_variance(Vector::Constant(1, variance))[0],
                  1, 0.1);
      // Beyond the reach there is as good as nothing.
      EXPECT_LT(draws.colwise().norm().maxCoeff(), law->reach(variance));
    }
    // A function's draws have the correlations of the noise.
    const Matrix white = law->whiten(law->correlated(Matrix::Identity(d, d))) - law->whiten(Matrix::Zero(d, d));
    const double each = white.squaredNorm() / static_cast<double>(d);
    EXPECT_LT((white * white.transpose() - each * Matrix::Identity(d, d)).norm(), 1e-12 * each);
    EXPECT_NEAR(law->correlated(Matrix::Identity(d, d)).squaredNorm(), static_cast<double>(d), 1e-12);
    const Matrix noise = law->draw_noise(20000, random);
    EXPECT_NEAR(noise.squaredNorm() / static_cast<double>(noise.size()) / law->noise_variance(), 1, 0.1);
  }
}

// Vectors, function and noise in other units: the density of v is that of v / sqrt r where s^2 is s^2 / r.
TEST_P(Laws, OtherNoiseIsOtherUnits) {
  constexpr Index d = 4;
  const NoiseLawPtr law = GetParam().example(d);
  Random random(6);
  for (const double r : {0.3, 1.0, 7.0}) {
    const NoiseLawPtr other = law->with_noise_times(r);
    EXPECT_NEAR(other->noise_variance(), r * law->noise_variance(), 1e-13);
    EXPECT_NEAR(other->function_scale(), law->function_scale(), 1e-13);
    EXPECT_NEAR(other->radius(0.8, r * 0.4), std::sqrt(r) * law->radius(0.8, 0.4), 1e-9);
    for (const NoiseLaw* of : {other.get(), &other->for_codes()}) {
      const NoiseLaw& same = of == other.get() ? *law : law->for_codes();
      const Matrix v = random.normals(d, 1);
      EXPECT_NEAR(
          of->density(of->whiten(v).squaredNorm(), 0.4).log_density,
          same.density(same.whiten(v / std::sqrt(r)).squaredNorm(), 0.4 / r).log_density - d / 2.0 * std::log(r),
          1e-12);
    }
  }
}

TEST_P(Laws, ScalesAndComesBackFromAFile) {
  const NoiseLawPtr law = GetParam().example(4), wide = law->scaled(2.5);
  EXPECT_EQ(law->kind(), GetParam().kind);
  EXPECT_NEAR(wide->noise_variance(), 2.5 * law->noise_variance(), 1e-14);
  EXPECT_NEAR(wide->radius(0.8, 0.4), std::sqrt(2.5) * law->radius(0.8, 0.4), 1e-10);
  EXPECT_NEAR(wide->function_scale(), 2.5 * law->function_scale(), 1e-14);
  EXPECT_NEAR(wide->for_codes().noise_variance(), 2.5 * law->for_codes().noise_variance(), 1e-14);
  const NoiseLawPtr back = restore_noise_law(law->kind(), 4, law->parameters(), law->arrays());
  Random random(5);
  const Matrix V = random.normals(4, 3);
  EXPECT_EQ(back->whiten(V), law->whiten(V));
  EXPECT_EQ(back->density(1.3, 0.2).log_density, law->density(1.3, 0.2).log_density);
  EXPECT_EQ(back->radius(0.9, 0.2), law->radius(0.9, 0.2));
  EXPECT_EQ(back->for_codes().density(1.3, 0.2).log_density, law->for_codes().density(1.3, 0.2).log_density);
  EXPECT_THROW(restore_noise_law(law->kind(), 4, {}, law->arrays()), Error);
  for (const auto& [name, array] : law->arrays()) {
    NoiseArrays fewer = law->arrays();
    fewer.erase(name);
    EXPECT_THROW(restore_noise_law(law->kind(), 4, law->parameters(), fewer), Error) << name;
    fewer[name] = array.topRows(3);
    EXPECT_THROW(restore_noise_law(law->kind(), 4, law->parameters(), fewer), Error) << name;
    fewer[name] = -2 * array;
    EXPECT_THROW(restore_noise_law(law->kind(), 4, law->parameters(), fewer), Error) << name;
  }
  for (const auto& [name, value] : law->parameters()) {
    auto fewer = law->parameters();
    fewer.erase(name);
    EXPECT_THROW(restore_noise_law(law->kind(), 4, fewer, law->arrays()), Error) << name;
    fewer[name] = -1;
    if (name == "isotropic_regions") continue;
    EXPECT_THROW(restore_noise_law(law->kind(), 4, fewer, law->arrays()), Error) << name;
  }
  EXPECT_THROW(restore_noise_law("no such law", 4, law->parameters(), law->arrays()), Error);
}

INSTANTIATE_TEST_SUITE_P(Every, Laws, testing::ValuesIn(noise_laws()),
                         [](const auto& entry) { return entry.param.kind; });

}  // namespace
}  // namespace wgp
