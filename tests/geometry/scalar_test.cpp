#include "golden.h"
#include "wgp/jacobi.h"

namespace wgp {
namespace {

using test::column;
using test::golden;

TEST(ScalarFunctions, MatchGoldenJacobi) {
  const auto& group = golden("scalar.jacobi");
  const Vector lambda = column(group["inputs"]["lambda_"]);
  const std::pair<const char*, ScalarFunction> functions[] = {
      {"S", jacobi_S}, {"C", jacobi_C}, {"H", jacobi_H}, {"CoverS", jacobi_C_over_S}, {"logS", jacobi_log_abs_S}};
  for (const auto& [name, function] : functions) {
    const Vector expected = column(group["outputs"][name]);
    for (Index i = 0; i < lambda.size(); ++i)
      EXPECT_NEAR(function(lambda[i]), expected[i], 1e-13 * std::abs(expected[i])) << name << " at " << lambda[i];
  }
}

TEST(ScalarFunctions, MatchGoldenCotangents) {
  const auto& group = golden("scalar.cot_minus_inv");
  const Vector x = column(group["inputs"]["x"]), c = column(group["outputs"]["c"]), ch = column(group["outputs"]["ch"]);
  for (Index i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(cot_minus_inverse(x[i]), c[i], 1e-13 * std::abs(c[i])) << x[i];
    EXPECT_NEAR(coth_minus_inverse(x[i]), ch[i], 1e-13 * std::abs(ch[i])) << x[i];
  }
}

TEST(ScalarFunctions, SeriesMeetTheClosedForms) {
  for (const double x : {0.2999999, 0.3000001}) {
    EXPECT_NEAR(cot_minus_inverse(x), std::cos(x) / std::sin(x) - 1 / x, 1e-15);
    EXPECT_NEAR(coth_minus_inverse(x), std::cosh(x) / std::sinh(x) - 1 / x, 1e-15);
  }
  for (const double lambda : {0.00999999, 0.01000001, -0.00999999, -0.01000001})
    EXPECT_NEAR(jacobi_log_abs_S(lambda), std::log(jacobi_S(lambda)), 1e-15);
}

TEST(ScalarFunctions, LogSurvivesWhereSinhOverflows) {
  EXPECT_NEAR(jacobi_log_abs_S(-1e6), 1000 - std::log(2000.0), 1e-9);
  EXPECT_EQ(jacobi_S(0), 1);
  EXPECT_EQ(jacobi_C_over_S(0), 1);
  EXPECT_EQ(jacobi_log_abs_S(0), 0);
  EXPECT_EQ(cot_minus_inverse(0), 0);
}

}  // namespace
}  // namespace wgp
