// Student laws against their formulas, and in the limits where they are others.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/decompositions.h"
#include "noise/student_radial.h"
#include "wgp/noise_law.h"

namespace wgp {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

StructuredNoise some_structure(Index d, double nu) {
  Random random(21);
  StructuredNoise parts;
  parts.directions = Qr(random.normals(d, d)).Q();
  parts.variances = (0.5 * random.normals(d)).array().exp();
  parts.degrees_of_freedom = nu;
  parts.fitted_noise = 0.3;
  parts.isotropic_scale = 2;
  parts.isotropic_degrees_of_freedom = 4;
  return parts;
}

TEST(Student, LogGammaIncrease) {
  for (const double a : {0.5, 3.0, 29.9, 30.0, 31.0, 200.0})
    for (const double by : {0.5, 7.0, 88.0})
      EXPECT_NEAR(log_gamma_increase(a, by), std::lgamma(a + by) - std::lgamma(a), 1e-11) << a << " " << by;
  // Gamma(a + 1) = a Gamma(a), however large.
  for (const double a : {1e3, 1e8, 1e14}) EXPECT_NEAR(log_gamma_increase(a, 1), std::log(a), 1e-13 * std::log(a)) << a;
}

// In one dimension with 3 degrees of freedom: p(y) = 2 / (pi sqrt(3) (1 + y^2/3)^2), and a closed distribution.
TEST(Student, InOneDimension) {
  const double psi = 0.7, sigma2 = 0.2, variance = 0.5, g = 1 + variance / sigma2, y = 1.3;
  const NoiseLawPtr law = student_noise(1, psi, 3, sigma2);
  const double t2 = y * y / (g * psi), t = std::sqrt(t2);
  EXPECT_NEAR(law->density(y * y, variance).log_density,
              std::log(2 / (M_PI * std::sqrt(3.0) * std::pow(1 + t2 / 3, 2))) - 0.5 * std::log(g * psi), 1e-13);
  EXPECT_NEAR(law->weight(y * y, variance), 4 / (3 + t2), 1e-13);
  const double within = 2 / M_PI * (t / std::sqrt(3.0) / (1 + t2 / 3) + std::atan(t / std::sqrt(3.0)));
  EXPECT_NEAR(law->share_within(y * y, variance), within, 1e-13);
  EXPECT_NEAR(law->radius(within, variance), y, 1e-12);
  EXPECT_NEAR(law->noise_variance(), 3 * psi, 1e-14);
  EXPECT_NEAR(law->function_scale(), 3 * psi / sigma2, 1e-13);
}

// The formula with Sigma written out.
TEST(Student, StructuredIsTheFormula) {
  const Index d = 5;
  const double nu = 6, variance = 0.8;
  const StructuredNoise parts = some_structure(d, nu);
  const NoiseLawPtr law = structured_noise(parts);
  const double g = (variance + parts.fitted_noise) / parts.fitted_noise;
  const Matrix Sigma = parts.directions * parts.variances.asDiagonal() * parts.directions.transpose();
  Random random(2);
  const Matrix R = random.normals(d, 4);
  const Vector squared = law->whiten(R).colwise().squaredNorm();
  const Vector tails = law->p_values(R, Vector::Constant(4, variance));
  for (Index i = 0; i < 4; ++i) {
    const double Q = R.col(i).dot(Cholesky(Sigma).solve(R.col(i)).col(0)) / g, h = d / 2.0;
    EXPECT_NEAR(law->density(squared[i], variance).log_density,
                std::lgamma((nu + d) / 2) - std::lgamma(nu / 2) - h * std::log(nu * M_PI) -
                    0.5 * std::log(determinant(Sigma)) - h * std::log(g) - (nu + d) / 2 * std::log1p(Q / nu),
                1e-11);
    EXPECT_NEAR(law->weight(squared[i], variance), (nu + d) / (nu + Q), 1e-12);
    EXPECT_NEAR(tails[i], 1 - law->share_within(squared[i], variance), 1e-13);
  }
  EXPECT_NEAR(law->noise_variance(), Sigma.trace() / d * nu / (nu - 2), 1e-12);
}

TEST(Student, InTheLimitIsTheNormalLaw) {
  const double psi = 0.4, sigma2 = 0.25;
  const NoiseLawPtr normal = normal_noise(6, psi, psi / sigma2), limit = student_noise(6, psi, endless, sigma2);
  StructuredNoise parts = some_structure(6, endless);
  parts.variances.setConstant(psi);
  parts.fitted_noise = sigma2;
  const NoiseLawPtr round = structured_noise(parts);
  for (const double variance : {0.0, 0.7})
    for (const double squared : {0.3, 5.0, 40.0}) {
      const auto exact = normal->density(squared, variance), same = limit->density(squared, variance),
                 near = student_noise(6, psi, 1e9, sigma2)->density(squared, variance),
                 turned = round->density(squared / psi, variance);
      EXPECT_NEAR(same.log_density, exact.log_density, 1e-12);
      EXPECT_NEAR(same.by_squared, exact.by_squared, 1e-12);
      EXPECT_NEAR(same.by_variance, exact.by_variance, 1e-11);
      EXPECT_NEAR(near.log_density, exact.log_density, 1e-5);
      EXPECT_NEAR(turned.log_density, exact.log_density, 1e-12);
      EXPECT_NEAR(limit->share_within(squared, variance), normal->share_within(squared, variance), 1e-13);
      EXPECT_NEAR(limit->p_value(squared, variance) / normal->p_value(squared, variance), 1, 1e-11);
      EXPECT_EQ(limit->weight(squared, variance), 1);
      EXPECT_NEAR(limit->radius(0.9, variance), normal->radius(0.9, variance), 1e-12);
      EXPECT_NEAR(round->radius(0.9, variance), normal->radius(0.9, variance), 1e-12);
    }
  Random a(5), b(5);
  EXPECT_LT((limit->draw(Vector::Constant(3, 0.7), a) - normal->draw(Vector::Constant(3, 0.7), b)).norm(), 1e-13);
}

TEST(Student, SmallPValuesKeepTheirDigits) {
  const NoiseLawPtr law = student_noise(2, 1, 8, 1);
  // In two dimensions P(|y|^2 > r) = (1 + r / nu)^(-nu / 2).
  for (const double r : {1.0, 1e3, 1e8}) EXPECT_NEAR(law->p_value(r, 0) * std::pow(1 + r / 8, 4), 1, 1e-11);
}

// Densities and draws remain the structured law's; regions and p-values are the isotropic one's.
TEST(Student, RegionsOfAnotherLaw) {
  StructuredNoise parts = some_structure(4, 7);
  const NoiseLawPtr own = structured_noise(parts);
  parts.isotropic_regions = true;
  const NoiseLawPtr law = structured_noise(parts), isotropic = student_noise(4, 2, 4, parts.fitted_noise);
  EXPECT_EQ(law->density(1.2, 0.3).log_density, own->density(1.2, 0.3).log_density);
  EXPECT_EQ(law->radius(0.8, 0.3), isotropic->radius(0.8, 0.3));
  EXPECT_NE(law->radius(0.8, 0.3), own->radius(0.8, 0.3));
  EXPECT_EQ(law->for_codes().kind(), "student");
  EXPECT_EQ(law->for_regions().kind(), "student");
  EXPECT_EQ(&own->for_regions(), own.get());
  Random random(3);
  const Matrix R = random.normals(4, 5);
  EXPECT_EQ(law->p_values(R, Vector::Constant(5, 0.3)), isotropic->p_values(R, Vector::Constant(5, 0.3)));
  const NoiseLawPtr back = restore_noise_law("structured", 4, law->parameters(), law->arrays());
  EXPECT_EQ(back->radius(0.8, 0.3), law->radius(0.8, 0.3));
  EXPECT_EQ(law->scaled(4)->radius(0.8, 0.3), isotropic->scaled(4)->radius(0.8, 0.3));
}

TEST(Student, ImpossibleOnesAreRefused) {
  EXPECT_THROW(student_noise(3, 1, 2, 1), Error);
  EXPECT_THROW(student_noise(3, 0, 5, 1), Error);
  EXPECT_THROW(student_noise(3, 1, 5, 0), Error);
  EXPECT_THROW(student_noise(0, 1, 5, 1), Error);
  EXPECT_THROW(student_noise(3, 1, std::nan(""), 1), Error);
  StructuredNoise parts = some_structure(3, 5);
  parts.directions(0, 0) += 0.1;
  EXPECT_THROW(structured_noise(parts), Error);
  parts = some_structure(3, 5);
  parts.variances[1] = 0;
  EXPECT_THROW(structured_noise(parts), Error);
  parts = some_structure(3, 5);
  parts.isotropic_scale = 0;
  EXPECT_THROW(structured_noise(parts), Error);
}

}  // namespace
}  // namespace wgp
