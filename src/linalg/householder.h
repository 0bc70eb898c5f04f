// Orthonormal frames of a hyperplane, and random orthogonal matrices.
#pragma once

#include "wgp/random.h"
#include "wgp/types.h"

namespace wgp {

// The frame of the orthogonal complement of a unit vector p in R^(n+1) given by columns 1..n of the Householder matrix
// H = I - 2 w w' / w'w, w = p + sign(p_0) e_0. Applied in O(n), never formed.
class HouseholderFrame {
 public:
  explicit HouseholderFrame(ConstVectorRef p);
  // coords = rows 1..n of H x. The part of x along p drops out.
  void to_coords(ConstVectorRef x, VectorRef coords) const;
  // x = H (0, coords). x may not alias coords.
  void to_ambient(ConstVectorRef coords, VectorRef x) const;

  const Vector& w() const { return w_; }  // H = I - w w'

 private:
  Vector w_;  // scaled so that H = I - w w'
};

// Haar-distributed orthogonal matrix.
Matrix random_orthogonal(Random& random, Index n);

}  // namespace wgp
