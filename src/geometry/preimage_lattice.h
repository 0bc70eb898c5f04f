// Preimages of Exp where they form a lattice: tau = angle + period k with integer vectors k.
#pragma once

#include "wgp/types.h"

namespace wgp {

inline constexpr Index max_preimages = 10000;

struct PreimageLattice {
  Matrix tau;            // angles x count, by increasing length; column 0 is the given vector of angles
  bool complete = true;  // false if there are more than max_preimages
};
// Angles must lie in [0, period / 2]. Column 0 is there even if it is longer than the radius.
PreimageLattice preimage_lattice(ConstVectorRef angle, double period, double radius);

// log|sin(tau) / tau| for tau = theta + pi k, with the sine taken of the accurate theta.
double log_abs_shifted_S(double theta, double tau);

// Angles nearer to each other than this are one: a continuum of preimages then hangs on them.
inline constexpr double equal_angles = 1e-12;

// The least length at which two equal angles take different multiples of the period (for two angles of period / 2,
// which have no orientation, the length of the given vector itself): there every mixture of their planes is a preimage
// too. Infinite if the angles are distinct.
double continuum_of_equal_angles(ConstVectorRef angle, double period);

}  // namespace wgp
