// Lifts along a base point function on the sphere and in hyperbolic space, by arithmetic on few numbers.
//
// In the frame at the centre mu a point is p = a mu + C c. The motion that carries mu along the geodesic to Exp_mu(xi),
// and the frame with it, is a rotation (a boost) in the plane of mu and xi; undoing it brings p to
//   a' = cos r a + sin r <u, c>,   c' = c + ((cos r - 1) <u, c> - sin r a) u,    r = |xi|,  u = xi / r
// (hyperbolic: cosh and sinh, and a' = cosh r a - sinh r <u, c>), where the logarithm is v = theta c'/|c'| with
// theta = atan2(|c'|, a') (asinh |c'|), in the frame that was carried along. Everything else follows from theta, r and
// a few inner products: see wgp/basepoint.h for the formulas of the derivatives, with Lambda = +-r^2 across and 0
// along.
#pragma once

#include "wgp/manifold.h"

namespace wgp {

class UnitCurvature {
 public:
  // Points in the frame of a tangent space.
  struct Seen {
    Vector a;
    Matrix C;
  };
  UnitCurvature(int curvature, const TangentSpace& centre) : sign_(curvature), centre_(centre) {}

  Seen see(ConstMatrixRef points) const;
  // Whether coordinates of this size keep their digits: those of hyperbolic space grow like e^distance.
  bool is_exact(const Seen& seen, ConstMatrixRef Xi) const;

  // Point i of `seen` from displacement i; report and log|det dExp| of each.
  void lift(const Seen& seen, ConstMatrixRef Xi, MatrixRef V, LogReport& report, VectorRef log_volume) const;
  // All points from one displacement; log_volume of those within the radius, 0 for others.
  void lift_at(const Seen& seen, ConstVectorRef xi, double radius, MatrixRef V, LogReport& report,
               VectorRef log_volume) const;
  // From dL/dV to dL/dXi, column by column, and to dL/dmu; of L minus the sum of log_volume if `volume`.
  enum class Volume { ignored, subtracted };
  void pull_back(ConstMatrixRef Xi, ConstMatrixRef V, ConstMatrixRef dL_dV, Volume volume, MatrixRef by_Xi,
                 VectorRef by_centre) const;

 private:
  struct Motion;
  struct Length {
    double theta, sine;  // of a vector, the sine circular or hyperbolic
  };
  double log_abs_S(const Length& length) const;
  Length lift_one(const Motion& motion, const Seen& seen, Index i, VectorRef v, LogReport& report, Index to) const;

  int sign_;
  const TangentSpace& centre_;
};

}  // namespace wgp
