// What uncertain latents cost a base point that follows them.
#include <gtest/gtest.h>

#include <cmath>

#include "fit/terms.h"
#include "wgp/random.h"

namespace wgp {
namespace {

Parameters some_parameters(const BasisFunctions& basis, Index q, Index N, Index d) {
  Random random(4);
  Parameters at;
  at.X = random.normals(q, N);
  at.S = 0.3 * random.normals(q, N);
  at.S.array() -= 2;
  at.theta = Vector::Zero(2);
  at.u = std::log(0.1);
  at.centre = Vector::Zero(d);
  at.coefficients = random.normals(d, basis.count());
  return at;
}

TEST(BaseSpread, OfAGeodesicIsItsSpeedTimesTheSpread) {
  const BasisPtr basis = linear_basis(LatentSpace::plain(2));
  const Parameters at = some_parameters(*basis, 2, 5, 3);
  double expected = 0;
  for (Index n = 0; n < 5; ++n)
    for (Index j = 0; j < 2; ++j) expected -= std::exp(at.S(j, n)) * at.coefficients.col(j).squaredNorm();
  expected /= 2 * at.noise();
  EXPECT_NEAR(base_spread_term(basis)->value({at, Matrix()}), expected, 1e-12 * std::abs(expected));
}

TEST(BaseSpread, GradientAgreesWithDifferences) {
  for (const BasisPtr& basis : {spline_basis({{false, -2, 2, 6}, {true, 0, 0, 5}}), linear_basis(LatentSpace(1, 1))}) {
    const TermPtr term = base_spread_term(basis);
    const Parameters at = some_parameters(*basis, 2, 4, 3);
    TermGradient gradient{at, Matrix()};
    gradient.by.X.setZero();
    gradient.by.S.setZero();
    gradient.by.u = 0;
    gradient.by.coefficients.setZero();
    term->add_gradient({at, Matrix()}, gradient);
    const auto difference = [&](auto&& entry) {
      constexpr double h = 1e-5;
      Parameters above = at, below = at;
      entry(above) += h;
      entry(below) -= h;
      return (term->value({above, Matrix()}) - term->value({below, Matrix()})) / (2 * h);
    };
    const double size = std::abs(term->value({at, Matrix()}));
    for (Index n = 0; n < 4; ++n)
      for (Index j = 0; j < 2; ++j) {
        EXPECT_NEAR(gradient.by.X(j, n), difference([&](Parameters& p) -> double& { return p.X(j, n); }), 1e-6 * size);
        EXPECT_NEAR(gradient.by.S(j, n), difference([&](Parameters& p) -> double& { return p.S(j, n); }), 1e-6 * size);
      }
    for (Index k = 0; k < basis->count(); ++k)
      EXPECT_NEAR(gradient.by.coefficients(1, k),
                  difference([&](Parameters& p) -> double& { return p.coefficients(1, k); }), 1e-6 * size);
    EXPECT_NEAR(gradient.by.u, difference([&](Parameters& p) -> double& { return p.u; }), 1e-6 * size);
  }
}

}  // namespace
}  // namespace wgp
