// Degrees of freedom and scale of a Student t of m dimensions, from squared radii Q_i: maximises
//
//   sum_i [ lnGamma((nu+m)/2) - lnGamma(nu/2) - (m/2) ln(nu c) - ((nu+m)/2) ln(1 + Q_i/(nu c)) ] + ln nu - nu / 10,
//
// the last two being a Gamma prior of shape 2 and rate .1 on nu: radii of a normal law would send nu to infinity, and
// the likelihood hardly tells 100 from 1,000. nu stays between 2.1, so that there is a variance, and 10,000.
#pragma once

#include "wgp/types.h"

namespace wgp {

struct StudentFit {
  double degrees_of_freedom, scale;  // nu, c
};
// At least one Q must be positive; all finite and none negative.
StudentFit fit_student(ConstVectorRef Q, Index m);

}  // namespace wgp
