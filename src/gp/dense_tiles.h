// Between a covariance in slivers (linalg/sweep.h) and the likelihood's gradient, tile by tile.
//
// After a sweep of [K .; Z .] the slivers S hold -K^-1 and below it A' = (K^-1 Z')', so that
//   2 G = 2 dL/dK = A A' + d S
// is formed for one tile at a time, used, and forgotten. A team of threads, if one is given, shares what takes time; it
// is kept by reference, and the results are the same to the last bit without it.
#pragma once

#include "gp/likelihood.h"
#include "linalg/sweep.h"

namespace wgp {

// Z into the appended rows.
void append_rows(const Matrix& Z, Slivers& S, Team* team = nullptr);
// The lower triangle of a dense matrix, with something added to its diagonal, into the square part.
void pack_lower(ConstMatrixRef K, double added, Slivers& S);

class LikelihoodTiles {
 public:
  LikelihoodTiles(Index N, Index rank, Team* team = nullptr);

  // Reads A off the swept matrix, which must not change while the rest is used.
  void take(const Slivers& S, Index d);
  double twice_trace() const;     // 2 tr G
  void lower(MatrixRef G) const;  // G itself, dense, lower triangle
  // 2 G over one group of columns of one tile, into tile[lanes][rows]; what is above the diagonal's squares is not
  // defined.
  void fill(Index I, Index J, int group, double* tile) const;

 private:
  const double* points(Index s) const { return A_.data() + s * Slivers::rows * rank_; }
  Index rank_;
  Team* team_;
  Vector A_;  // for each sliver of points: [row of Z][rows]
  const Slivers* S_ = nullptr;
  double d_ = 0;
};

// The squared-exponential kernel of plain latents, shared length-scale or one each: theta as in wgp/kernel.h.
class RbfTiles {
 public:
  RbfTiles(Index N, Index q, Team* team = nullptr);

  // K and the square part of S get the covariance; S with `added` on the diagonal, K with a diagonal of zeros, which is
  // what pull_back needs.
  void fill(ConstVectorRef theta, ConstMatrixRef X, double added, Slivers& K, Slivers& S);
  // K alone once more: S <- K + added on the diagonal.
  void refill(ConstVectorRef theta, double added, const Slivers& K, Slivers& S) const;
  // At the theta and X of the last fill().
  void pull_back(ConstVectorRef theta, const Slivers& K, const LikelihoodTiles& G, GpGradient& gradient);

 private:
  void sum_part(Index part, const Slivers& K, const LikelihoodTiles& G);

  Index N_, q_, padded_;
  Team* team_;
  Index strip_, parts_;  // slivers of columns that are summed together; parts that threads may take
  Vector u_;             // [q + 1][padded]: scaled coordinates, then ones; zero behind N
  Matrix sums_;          // a column for each part: sums of 2 G k against u_, in slivers of points: [q + 1][rows]
  Matrix of_columns_;    // a column for each part: those of a strip's columns, lane by lane
};

}  // namespace wgp
