// Exponentials and logarithms of many numbers, in their place.
#pragma once

#include <cstddef>

#include "simd/level.h"

namespace wgp {

using Index = std::ptrdiff_t;

struct FunctionKernels {
  void (*exp)(double* x, Index count);
  void (*log)(double* x, Index count);
  void (*log1p)(double* x, Index count);  // log(1 + x) for x >= 0, to its last digits where x is small
};

// Of simd_level(). (What few need has a header of its own beside simd/kernels.h, which nearly all files include.)
const FunctionKernels& simd_functions();
// Of any level that is available.
const FunctionKernels& simd_functions(SimdLevel level);

}  // namespace wgp
