// The bound on the evidence of a process seen through inducing inputs, their values integrated out.
//
// With K = k(Z, Z) + jitter I = L L', b = 1/noise, A = L^-1 Psi2 L^-T, B = I + b A = R R', c = L^-1 C, w = B^-1 c:
//   F = -(Nd/2) log(2 pi noise) - (d/2) log|B| - (b/2) tr V'V + (b^2/2) |R^-1 c|^2 - (b d/2)(psi0 - tr A)
// to which minus the divergence of q(x) is added elsewhere (Titsias and Lawrence, 2010). The jitter is the variance of
// noise on the inducing values, so that F is a bound on the evidence with it as well. Derivatives are taken between
// L^-T and L^-1, where K^-1 and (K + b Psi2)^-1 do not cancel:
//   dF/dPsi2 = L^-T [(b d/2)(I - B^-1) - (b^3/2) w w'] L^-1,   dF/dC = b^2 L^-T w,   dF/dpsi0 = -b d/2
//   dF/dK    = L^-T [(d/2)(I - B^-1) - (b^2/2) w w' - (b d/2) A] L^-1
#pragma once

#include "wgp/types.h"

namespace wgp {

// Sums over points under q(x).
struct InducingSums {
  double count = 0, squares = 0;  // N, tr V'V
  double variance = 0;            // psi0
  Matrix second;                  // Psi2, M x M
  Matrix cross;                   // C = Psi1' V', M x rows
  Index d = 0;                    // outputs; the rows of V may be fewer (evidence.h)
};

struct InducingGradient {
  Matrix by_second, by_K;  // symmetric
  Matrix by_cross;
  double by_variance = 0, by_noise = 0;
};

class InducingBound {
 public:
  // K: the lower triangle is read, jitter is in it. -infinity where it has no factor, or where rounding divided by the
  // jitter would show: in exact numbers B has no pivot below 1.
  double value(ConstMatrixRef K, double noise, const InducingSums& sums);
  // At the arguments of the last value().
  void gradient(const InducingSums& sums, InducingGradient& gradient) const;
  // b (K + b Psi2)^-1 C: the mean of the process at x is k(x, Z) times this.
  Matrix weights() const;

 private:
  double noise_ = 0, explained_ = 0;
  Matrix L_, A_, R_;
  Matrix c_, w_;
};

}  // namespace wgp
