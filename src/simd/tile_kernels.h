// Covariances of the squared-exponential kernel in panels, and sums over the likelihood's gradient, tile by tile; see
// gp/dense_tiles.h.
#pragma once

#include "simd/sweep_kernels.h"

namespace wgp {

// u: [q + 1][padded], scaled coordinates of the points, then ones; zero behind N.
struct RbfPoints {
  const double* u;
  Index N, q, padded;
};
// 2 G = A A' + d S: A as [panel][row of Z][rows]
struct LikelihoodView {
  const double* A;
  Index rank;
  double d;
  PanelView S;
};

struct TileKernels {
  // A panel of variance 2^-|u_i - u_j|^2 into K, with a diagonal of zeros, and into S, with `added` on the diagonal.
  void (*rbf_panel)(const RbfPoints& points, double variance, double added, const PanelView& K, const PanelView& S,
                    Index panel);
  // The appended rows of a swept matrix over one panel of points, as [row][rows] into A.
  void (*take_appended)(const PanelView& S, Index panel, Index rank, double* A);
  // 2 G over one group of columns of one tile, into tile[vec_size][rows].
  void (*likelihood_tile)(const LikelihoodView& G, Index I, Index J, int group, double* tile);
  // Sums of 2 G k against u over the tiles of every `parts`-th strip of columns, `strip` panels wide, into
  // sums[panel][q + 1][rows]; of_columns: room for (q + 1) strip rows vec_size doubles.
  void (*rbf_sums)(const RbfPoints& points, const PanelView& K, const LikelihoodView& G, Index part, Index parts,
                   Index strip, double* sums, double* of_columns);
};

}  // namespace wgp
