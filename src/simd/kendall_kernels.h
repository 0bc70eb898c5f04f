// Planar shapes many at a time: groups of columns share the loads of the base point and of the frame, and the angles of
// eight columns are taken together; see geometry/kendall.cpp.
//
// Directions come as a complex vector w with i w beside it (interleaved storage), so that <w, x> = (w.x, iw.x) and
// c w = re(c) w + im(c) iw are real vector operations.
#pragma once

#include "simd/product_kernels.h"

namespace wgp {

struct ComplexNumber {
  double re, im;
};
struct ComplexPair {
  const double* w;
  const double* iw;
};

// The frame of T_z as kendall.cpp builds it: H2 H1 with H = I - w w^H; w1 is `tail` beyond its first entry, w2 is
// `second`. Coordinates are the entries of H2 H1 v beyond the first four reals.
struct HorizontalPlan {
  Index n;  // reals of a point; a vector has n - 4 coordinates
  ComplexPair z, second;
  double head, tail;           // the first and the other entries of w1, which is real
  ComplexNumber second_first;  // <w2, w1>
  ComplexNumber second_z;      // <w2, z>
};

struct KendallKernels {
  // Coordinates of the log, (theta / sin theta) (q - c z) conj(c)/|c| with c = <z, q>; theta too. Where |c| is at most
  // `indistinct` the phase is taken as 1. room: 8 (n + 8) doubles.
  void (*log)(const HorizontalPlan& plan, const ConstColumns& points, double indistinct, const Columns& coords,
              double* theta, double* cosine, double* room);
  void (*exp)(const HorizontalPlan& plan, const ConstColumns& coords, const Columns& points);
  void (*angles)(const HorizontalPlan& plan, const ConstColumns& points, double* theta);
  // sum_i weight_i Log(q_i) as an ambient vector (n numbers), with theta and cosine of every column. room: 2 n doubles.
  void (*log_sum)(const HorizontalPlan& plan, const ConstColumns& points, const double* weights, double indistinct,
                  double* sum, double* theta, double* cosine, double* room);
  // How many of the first columns are centred and have the length 1, both up to this rounding.
  Index (*exact)(const ConstColumns& points, double rounding);
  // y += across x + along (w.x) w + turned (iw.x) iw of every column: Jacobi fields, whose frame is w, iw and the rest.
  void (*add_along_direction)(const ComplexPair& direction, double across, double along, double turned,
                              const ConstColumns& x, const Columns& y);
  // The same of x = 1: y += across 1 + along w w' + turned iw iw'.
  void (*add_direction_matrix)(const ComplexPair& direction, double across, double along, double turned,
                               const Columns& y);
};

}  // namespace wgp
