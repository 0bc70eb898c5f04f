// The multivariate Student t of unit scale, by its squared radius Q = |y|^2: y = eps / sqrt(u), eps ~ N(0, I),
// u ~ Gamma(nu/2, nu/2), so that Q / d ~ F_{d,nu}. nu = infinity is the normal law, and is approached without loss of
// digits.
#pragma once

#include "wgp/random.h"
#include "wgp/types.h"

namespace wgp {

// lnGamma(a + by) - lnGamma(a) for a > 0, by >= 0: the difference keeps its digits where both terms are huge.
double log_gamma_increase(double a, double by);

class StudentRadial {
 public:
  StudentRadial(Index dim, double degrees_of_freedom);

  double degrees_of_freedom() const { return nu_; }
  // Of y; its derivative by Q is -weight(Q) / 2.
  double log_density(double Q) const;
  // The same of many: in vectors of the processor.
  void log_densities(MatrixRef Q) const;        // in their place
  double weight(double Q) const;                // (nu + d) / (nu + Q) = E[u | Q]
  double share_within(double Q) const;          // P(|y|^2 <= Q)
  double share_beyond(double Q) const;          // one minus this
  double quantile(double level) const;          // the Q within which this share lies
  double variance() const;                      // of a coordinate: nu / (nu - 2)
  double draw_precision(Random& random) const;  // u; asks for no random number where nu is infinite

 private:
  double d_, nu_, log_constant_;
};

}  // namespace wgp
