// The work of the sweep (linalg/sweep.h) inside of one step, on memory that the caller owns.
//
// A panel is `rows` = 3 registers of consecutive rows of a matrix, column after column: [column][rows]. The same bytes
// serve as left factor (three registers a column) and as right factor (one register's worth of scalars a column, to be
// broadcast), so nothing is ever packed. A group is `vec_size` consecutive columns; three vectors by one group fill the
// register file: 24 x 8 with AVX-512, 12 x 4 with AVX2.
#pragma once

#include <cstddef>

namespace wgp {

using Index = std::ptrdiff_t;

// The lower triangle of a square matrix of size n with rows appended, cut into panels that end with the diagonal.
struct PanelView {
  double* data;
  const Index* offset;  // of each panel
  Index n, appended;
  Index columns;  // n rounded up to a group
};

struct SweepBlock {
  Index first, last;   // panels [first, last)
  Index size, padded;  // pivots, and those rounded up to a group: the rest is the identity
};

// One panel and one square for each worker in P and tile; a slot of `rows * block` doubles a panel in L, Lt and W.
struct SweepWork {
  Index block;         // pivots swept together, at most
  double *L, *Lt;      // panels of the block's factor and of its transpose
  double* inverse;     // 1 / L_ii
  double* W;           // panels of W, one for each panel of A
  double *P, *tile;    // one panel and one square for each worker
  double* quadratics;  // of each panel
};

// invert: the whole sweep; factor: what the log-determinant and the quadratic form need of it.
enum class SweepGoal { invert, factor };

struct SweepKernels {
  int vec_size, rows;  // doubles of a register; rows of a panel
  bool fast;           // faster than Eigen's Cholesky
  // D = L L'; adds log|D|. False if D is not positive definite.
  bool (*factor_block)(const PanelView& A, const SweepWork& work, const SweepBlock& block, double& log_det);
  void (*transpose_factor)(const SweepWork& work, const SweepBlock& block);
  void (*solve_below)(const PanelView& A, const SweepWork& work, const SweepBlock& block, SweepGoal goal, Index panel);
  void (*solve_above)(const PanelView& A, const SweepWork& work, const SweepBlock& block, Index panel, int worker);
  // The appended rows that share a panel with the last pivots.
  void (*solve_mixed)(const PanelView& A, const SweepWork& work, const SweepBlock& block, SweepGoal goal);
  // A(I,J) -= W_I W_J' for the panels J in begin..end that are not above I.
  void (*update_rows)(const PanelView& A, const SweepWork& work, const SweepBlock& block, SweepGoal goal, Index begin,
                      Index end, Index I);
  // D <- -L^-T L^-1
  void (*invert_block)(const PanelView& A, const SweepWork& work, const SweepBlock& block, int worker);
};

}  // namespace wgp
