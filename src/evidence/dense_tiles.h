// Between a covariance in panels (linalg/sweep.h) and the likelihood's gradient, tile by tile.
//
// After a sweep of [K .; Z .] the panels S hold -K^-1 and below it A' = (K^-1 Z')', so that
//   2 G = 2 dL/dK = A A' + d S
// is formed for one tile at a time, used, and forgotten. An executor, if one is given, shares what takes time; it is
// kept by reference, and the results are the same to the last bit without it.
#pragma once

#include "evidence/evidence.h"
#include "linalg/sweep.h"

namespace wgp {

// Z into the appended rows.
void append_rows(ConstMatrixRef Z, PanelMatrix& S, Executor* executor = nullptr);
// The appended rows of a swept matrix: A'.
Matrix appended_rows(const PanelMatrix& S);
// The lower triangle of a dense matrix, with something added to its diagonal, into the square part.
void pack_lower(ConstMatrixRef K, double added, PanelMatrix& S);

class LikelihoodTiles {
 public:
  LikelihoodTiles(Index N, Index rank, Executor* executor = nullptr, const SimdKernels& kernels = simd());

  // Reads A off the swept matrix, which must not change while the rest is used.
  void take(const PanelMatrix& S, Index d);
  double twice_trace() const;     // 2 tr G
  void lower(MatrixRef G) const;  // G itself, dense, lower triangle
  LikelihoodView view() const { return {A_.data(), rank_, d_, S_->view()}; }

 private:
  const SimdKernels& kernels_;
  Index rank_;
  Executor* executor_;
  Vector A_;  // for each panel of points: [row of Z][rows]
  const PanelMatrix* S_ = nullptr;
  double d_ = 0;
};

// The squared-exponential kernel of plain latents, shared length-scale or one each: theta as in wgp/kernel.h.
class RbfTiles {
 public:
  RbfTiles(Index N, Index q, Executor* executor = nullptr, const SimdKernels& kernels = simd());

  // K and the square part of S get the covariance; S with `added` on the diagonal, K with a diagonal of zeros, which is
  // what pull_back needs.
  void fill(ConstVectorRef theta, ConstMatrixRef X, double added, PanelMatrix& K, PanelMatrix& S);
  // K alone once more: S <- K + added on the diagonal.
  void refill(ConstVectorRef theta, double added, const PanelMatrix& K, PanelMatrix& S) const;
  // At the theta and X of the last fill().
  void pull_back(ConstVectorRef theta, const PanelMatrix& K, const LikelihoodTiles& G, EvidenceGradient& gradient);

 private:
  const SimdKernels& kernels_;
  Index N_, q_, rows_, padded_;
  Executor* executor_;
  Index strip_, parts_;  // panels of columns that are summed together; parts that threads may take
  Vector u_;             // see RbfPoints
  Matrix sums_;          // a column for each part: sums of 2 G k against u_, in panels of points: [q + 1][rows]
  Matrix of_columns_;    // a column for each part: those of a strip's columns, lane by lane
};

}  // namespace wgp
