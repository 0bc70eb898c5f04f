// Functions of many small symmetric matrices, eight at a time; see linalg/small_symmetric.h.
#pragma once

#include "simd/product_kernels.h"

namespace wgp {

// Doubles of scratch memory that each of the functions below needs for matrices of n x n.
inline constexpr Index symmetric_room(Index n) { return n >= 2 && n <= 4 ? 0 : 8 * (2 * n * n + 2 * n) + 8; }

// full: n * n numbers a column, the lower triangle read; vech: the lower triangle row by row, off-diagonals times
// sqrt 2. L: n x n lower triangular, column-major, and behind it the n inverses of its diagonal; or null. failed[i] is
// set where column i could not be done; such columns hold anything.
struct SymmetricKernels {
  // log(L^-1 Q L^-T), or log Q without L.
  void (*log)(Index n, const double* L, const ConstColumns& full, const Columns& vech, bool* failed, double* room);
  // |log(L^-1 Q L^-T)|
  void (*log_norm)(Index n, const double* L, const ConstColumns& full, double* norms, bool* failed, double* room);
  // L exp(offset + S) L'; offset in vech form, or null.
  void (*exp)(Index n, const double* L, const ConstColumns& vech, const double* offset, const Columns& full,
              bool* failed, double* room);
  void (*square_root)(Index n, const ConstColumns& full, const Columns& roots, bool* failed, double* room);
};

}  // namespace wgp
