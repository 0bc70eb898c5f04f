// One geodesic of the Stiefel manifold with the canonical metric, and the linear maps along it.
//
// With Q = [Y Y_perp] orthogonal, a tangent vector Y a + Y_perp b is lifted to the skew x = [[a, -b'], [b, 0]]; the
// lifts span m, and Exp(v) = Q exp(w) I_(n,p) for the lift w of v. The metric is normal homogeneous, so that all is
// explicit:
//   transport:  x(1) = exp(-ad_m(w) / 2) x(0), with ad_m(w) x = the m-part of [w, x]
//   J0 x = the m-part of f(ad w) x,  f(z) = (1 - exp(-z)) / z
//   J1 x = the m-part of exp(-ad w) x + f(ad w) (ad_m(w) x) / 2
// all as lifts at the end Q exp(w). A QR factorisation b = O [R; 0] splits w into a block of size at most 2p and zeros:
// the rows of O'b beyond the block move independently of each other, all in the same way.
// References: Edelman, Arias and Smith (1998); Zimmermann (2017).
#pragma once

#include "geometry/deferred_jacobi.h"
#include "linalg/decompositions.h"
#include "wgp/types.h"

namespace wgp {

// exp(w) - I and the mean of exp(s w) over 0 <= s <= 1, for skew w; accurate relative to |w|.
Matrix rotation_minus_identity(ConstMatrixRef skew);
Matrix mean_rotation(ConstMatrixRef skew);

// Coordinates of (a, b): the strict lower triangle of a, then b, both row by row.
class StiefelCoordinates {
 public:
  StiefelCoordinates(Index n, Index p) : n_(n), p_(p) {}
  Index dim() const { return p_ * (p_ - 1) / 2 + (n_ - p_) * p_; }
  Matrix skew(ConstVectorRef coords) const;               // a, p x p
  Matrix normal(ConstVectorRef coords) const;             // b, (n - p) x p
  Vector join(ConstMatrixRef a, ConstMatrixRef b) const;  // reads the lower triangle of a
  Matrix lift(ConstVectorRef coords) const;               // n x n
  Vector unlift(ConstMatrixRef x) const;                  // coordinates of the m-part

 private:
  Index n_, p_;
};

class StiefelGeodesic {
 public:
  StiefelGeodesic(Index n, Index p, ConstVectorRef v);

  // exp(w) x I_(n,p) - x_0, n x p: for the point (identity) x = I and x_0 = I_(n,p); for a lift x = (a, b), x_0 = 0.
  Matrix displacement() const;
  Matrix end_vector(ConstVectorRef coords) const;

  Matrix transport(ConstMatrixRef coords) const;  // to coordinates of lifts at the end
  JacobiMatrices jacobi() const;                  // J0, J1, expressed in the transported frame
  double log_det() const;

 private:
  // How a linear map acts after b has been multiplied by O': on the block, and on each further row of b from the right.
  struct SplitMap {
    Matrix block, right;
  };
  SplitMap transport_map() const;
  SplitMap dexp_map() const;
  SplitMap dexp_base_map() const;
  Matrix apply(const SplitMap& map, ConstMatrixRef coords) const;

  template <class Function>
  Matrix block_matrix(Function f) const;  // columns f(lift of a unit vector), as coordinates

  Index n_, p_, r_;  // r = min(p, n - p)
  StiefelCoordinates all_, small_;
  Qr qr_;
  Matrix a_, w_;  // w: the block
};

}  // namespace wgp
