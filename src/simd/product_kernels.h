// Products and triangular solutions of dense matrices in columns; see linalg/products.h.
#pragma once

#include <cstddef>

namespace wgp {

using Index = std::ptrdiff_t;

struct ConstColumns {
  const double* data;
  Index rows, cols, stride;
};
struct Columns {
  double* data;
  Index rows, cols, stride;
};
enum class Turned { no, yes };  // yes: the transpose is meant

struct ProductKernels {
  void (*add_product)(const Columns& C, double scale, const ConstColumns& A, Turned a, const ConstColumns& B, Turned b);
  // B <- L^-1 B or L^-T B; what is above the diagonal of L is not read.
  void (*solve_lower)(const ConstColumns& L, Turned l, const Columns& B);
  // The lower triangle of C += scale A A'.
  void (*add_gram)(const Columns& C, double scale, const ConstColumns& A);
  void (*solve_right)(const ConstColumns& L, const Columns& B);  // B <- B L^-T
  // Lower triangles, the other one neither read nor written. A = L L', false if a pivot is not positive; L^-1; L' L.
  bool (*factor)(const Columns& A);
  void (*invert_lower)(const Columns& L);
  void (*lower_gram)(const Columns& L);
};

}  // namespace wgp
