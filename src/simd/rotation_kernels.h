// Logarithms and distances of rotations of space, eight at a time; see geometry/so3.cpp.
#pragma once

#include "simd/product_kernels.h"

namespace wgp {

struct RotationKernels {
  // Of R'Q for each column Q; R and Q in row-major order, nine numbers. coords: rotation vectors. cosines: of half
  // their angles, never negative. margins: how far the angles are from pi.
  void (*log)(const double* R, const ConstColumns& points, const Columns& coords, double* cosines, double* margins);
  void (*distance)(const double* R, const ConstColumns& points, double* angles);
};

}  // namespace wgp
