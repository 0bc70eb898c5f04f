// Exponentials that only fall.
#pragma once

#include "simd/levels/vector.h"

namespace wgp::WGP_SIMD {

// scale 2^-t for t >= 0, to about one unit in the last place; zero from t = 1000 on.
class Decay {
 public:
  explicit Decay(double scale) {
    // 2^r on [-1/2, 1/2], interpolated at Chebyshev points: relative error 4e-18.
    constexpr double power[degree + 1] = {
        1.0,
        0.69314718055994530925,
        0.24022650695910159567,
        0.055504108664821627039,
        0.0096181291075872566681,
        0.0013333558146406470697,
        0.00015403530463724354209,
        0.000015252733841556772589,
        1.3215432535912376166e-6,
        1.0178057087733941105e-7,
        7.0741942972885210056e-9,
        4.455817908336064493e-10,
    };
    for (int i = 0; i <= degree; ++i) c_[i] = scale * power[i];
  }
  [[gnu::always_inline]] Vec operator()(Vec t) const {
    constexpr double to_integer = 0x1.8p52;  // t + to_integer has round(t) in its last bits
    const Vec shifted = t + to_integer;
    const Vec r = (shifted - to_integer) - t;
    Vec p = broadcast(c_[degree]);
#pragma GCC unroll 16
    for (int i = degree - 1; i >= 0; --i) p = p * r + c_[i];
    const IntVec exponent = (0x4338000000000000 + 1023 - reinterpret_cast<IntVec>(shifted)) << 52;
    return t >= 1000 ? Vec{} : p * reinterpret_cast<Vec>(exponent);  // not a number stays one
  }

 private:
  static constexpr int degree = 11;
  double c_[degree + 1];
};

}  // namespace wgp::WGP_SIMD
