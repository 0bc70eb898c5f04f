// How densely latents lie around a circle, relative to evenly:
//
//   log r(x) = sum_{j <= J} a_j cos jx + b_j sin jx - log Z,    the mean of r over the circle is 1
//
// A value. Without coefficients: evenly.
#pragma once

#include "wgp/types.h"

namespace wgp {

class AngleDensity {
 public:
  AngleDensity() = default;
  // a_1 ... a_J, b_1 ... b_J.
  explicit AngleDensity(Vector coefficients);

  bool is_uniform() const { return coefficients_.size() == 0; }
  Index harmonics() const { return coefficients_.size() / 2; }
  const Vector& coefficients() const { return coefficients_; }
  double log_normaliser() const { return log_normaliser_; }  // log Z
  // log r at each of these angles, and its derivatives.
  Vector log_ratio(ConstVectorRef angles) const;
  Vector slope(ConstVectorRef angles) const;

 private:
  Vector coefficients_;
  double log_normaliser_ = 0;
};

// Places all around a circle, so many that sums over them are integrals.
inline constexpr Index angles_of_integrals = 256;
// Of these angles cos jx, j = 1 ... J, then sin jx: a row each.
Matrix harmonics_at(ConstVectorRef angles, Index J);
// The middles of angles_of_integrals equal stretches.
Vector evenly_around();

}  // namespace wgp
