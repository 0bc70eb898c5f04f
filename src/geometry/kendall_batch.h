// Planar shapes many at a time: groups of columns share the loads of the base point and of the frame, and the angles of
// eight columns are taken together.
//
// Directions come as a complex vector w with i w beside it (interleaved storage), so that <w, x> = (w.x, iw.x) and
// c w = re(c) w + im(c) iw are real vector operations.
#pragma once

#include <complex>

#include "wgp/types.h"

namespace wgp {

struct ComplexPair {
  const double* w;
  const double* iw;
};

// The frame of T_z as kendall.cpp builds it: H2 H1 with H = I - w w^H; w1 is `tail` beyond its first entry, w2 is
// `second`. Coordinates are the entries of H2 H1 v beyond the first four reals.
struct HorizontalPlan {
  Index n;  // reals of a point; a vector has n - 4 coordinates
  ComplexPair z, second;
  double head, tail;                  // the first and the other entries of w1, which is real
  std::complex<double> second_first;  // <w2, w1>
  std::complex<double> second_z;      // <w2, z>
};

// Coordinates of the log, (theta / sin theta) (q - c z) conj(c)/|c| with c = <z, q>; theta too. Where |c| is at most
// `indistinct` the phase is taken as 1.
void kendall_log(const HorizontalPlan& plan, ConstMatrixRef points, double indistinct, MatrixRef coords,
                 VectorRef theta, VectorRef cosine);

void kendall_exp(const HorizontalPlan& plan, ConstMatrixRef coords, MatrixRef points);

void kendall_angles(const HorizontalPlan& plan, ConstMatrixRef points, VectorRef theta);

// sum_i weight_i Log(q_i) as an ambient vector (n numbers), with theta and cosine of every column.
void kendall_log_sum(const HorizontalPlan& plan, ConstMatrixRef points, ConstVectorRef weights, double indistinct,
                     VectorRef sum, VectorRef theta, VectorRef cosine);

}  // namespace wgp
