// The real normal form of skew-symmetric and of rotation matrices: planes that turn, each by its own angle.
//   Omega      = sum_a angle_a (w_(2a+1) w_(2a)' - w_(2a) w_(2a+1)')
//   exp(Omega) turns w_(2a) towards w_(2a+1) by angle_a; for odd n the last column of W is an axis and stays.
#pragma once

#include "wgp/types.h"

namespace wgp {

struct RotationPlanes {
  Matrix W;      // n x n, orthogonal
  Vector angle;  // floor(n / 2) numbers, none negative

  Matrix skew() const { return skew(angle); }  // Omega
  Matrix skew(ConstVectorRef other) const;     // the same planes with other angles
  // exp(fraction Omega) - I, with the digits of small angles.
  Matrix rotation_minus_identity(double fraction = 1) const;
};

// Of a skew-symmetric matrix, by Householder reduction to skew tridiagonal form, whose even and odd rows decouple into
// the singular value problem of a bidiagonal matrix of half the size (Ward and Gray 1978). Angles are accurate relative
// to the largest one, and decreasing.
RotationPlanes planes_of_skew(ConstMatrixRef Omega);

// Of a rotation A, given as A - I (so that rotations near the identity keep their digits): angles in [0, pi].
struct RotationLog {
  RotationPlanes planes;
  double margin = 0;       // pi - largest angle, to the accuracy of A
  bool half_turn = false;  // margin zero up to rounding: -1 is an eigenvalue and its planes' orientation is a choice
};
RotationLog planes_of_rotation(ConstMatrixRef A_minus_I);

}  // namespace wgp
