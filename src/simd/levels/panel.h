// Places in a matrix of panels (simd/sweep_kernels.h).
#pragma once

#include "simd/levels/vector.h"
#include "simd/sweep_kernels.h"

namespace wgp::WGP_SIMD {

// Rows s rows.. of column j, `rows` of them; the next column follows.
inline double* column(const PanelView& A, Index s, Index j) { return A.data + A.offset[s] + j * rows; }
inline Index panel_columns(const PanelView& A, Index s) { return least((s + 1) * rows, A.columns); }
inline Index pivot_panels(const PanelView& A) { return (A.n + rows - 1) / rows; }
// Registers of a panel that hold any row at all.
inline int used_vectors(const PanelView& A, Index s) {
  return static_cast<int>(least((A.n + A.appended - s * rows + vec_size - 1) / vec_size, vectors));
}

}  // namespace wgp::WGP_SIMD
