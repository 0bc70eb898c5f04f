// This file is compiled like the library's own sources, so the lanes' calling convention agrees.
#include "linalg/lanes_trigonometry.h"

#include <gtest/gtest.h>

#include "wgp/random.h"

namespace wgp {
namespace {

double ulp_error(double actual, long double expected) {
  const double spacing = std::abs(std::nextafter(static_cast<double>(expected), 1e300) - static_cast<double>(expected));
  return static_cast<double>(std::abs(static_cast<long double>(actual) - expected)) / spacing;
}

TEST(LanesTrigonometry, SineAndCosineAreRightToTheLastPlaces) {
  Random random(5);
  double worst = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    lanes::Lanes x;
    for (int i = 0; i < lanes::count; ++i) x[i] = random.normal() * std::pow(10, 9 * random.uniform() - 7);
    x[0] = trial * 0.785398163397448309;  // multiples of pi/4, where the quadrant changes
    const auto [sine, cosine] = lanes::sine_cosine(x);
    for (int i = 0; i < lanes::count; ++i) {
      const long double s = std::sin(static_cast<long double>(x[i])), c = std::cos(static_cast<long double>(x[i]));
      // Next to a zero the reduced argument carries an absolute error of about 1e-20 |x|.
      worst = std::max(worst, std::abs(s) > 1e-4L || std::abs(x[i]) < 1 ? ulp_error(sine[i], s) : 0);
      worst = std::max(worst, std::abs(c) > 1e-4L ? ulp_error(cosine[i], c) : 0);
      EXPECT_NEAR(sine[i], static_cast<double>(s), 3e-16) << x[i];
      EXPECT_NEAR(cosine[i], static_cast<double>(c), 3e-16) << x[i];
    }
  }
  EXPECT_LE(worst, 2);
}

TEST(LanesTrigonometry, AnglesAreRightToTheLastPlaces) {
  Random random(6);
  double worst = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    lanes::Lanes x, y;
    for (int i = 0; i < lanes::count; ++i) {
      x[i] = random.normal() * std::pow(10, 12 * random.uniform() - 6);
      y[i] = std::abs(random.normal()) * std::pow(10, 12 * random.uniform() - 6);
    }
    if (trial % 3 == 0) y[0] = 0;
    if (trial % 3 == 1) x[0] = 0;
    const lanes::Lanes angle = lanes::upper_angle(y, x);
    for (int i = 0; i < lanes::count; ++i)
      worst = std::max(worst,
                       ulp_error(angle[i], std::atan2(static_cast<long double>(y[i]), static_cast<long double>(x[i]))));
  }
  EXPECT_LE(worst, 3);
}

}  // namespace
}  // namespace wgp
