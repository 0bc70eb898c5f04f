// Cholesky factor and inverse of a symmetric positive definite matrix, lower triangles only; the other triangle is
// neither read nor written.
#pragma once

#include "core/run_control.h"
#include "wgp/types.h"

namespace wgp {

// A = L L', L over the lower triangle. False if a pivot is not positive: the triangle is then spoiled. A control is
// asked on the way through a large matrix; throws Stopped.
bool cholesky_lower(MatrixRef A, RunControl* control = nullptr);

// L -> L^-1
void invert_triangle(MatrixRef L);
// L -> L' L
void triangle_gram(MatrixRef L);
// L -> (L L')^-1
inline void inverse_from_cholesky(MatrixRef L) {
  invert_triangle(L);
  triangle_gram(L);
}

// 2 sum log L_ii
double log_det_from_cholesky(ConstMatrixRef L);

}  // namespace wgp
