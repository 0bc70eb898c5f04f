// What passes (evidence/normal_passes.h) do with one block of points: all of it from the block's own vectors and
// latents and a few numbers that are the same for all blocks, so that it does not matter where a block is.
#pragma once

#include <vector>

#include "gp/lattice.h"

namespace wgp {

// What points add up to under their q(x).
struct BlockSums {
  Matrix table;  // gp/lattice.h
  Matrix cross;  // features x rows
  double count = 0, squares = 0;
  double divergence = 0;  // of q(x) from the prior
  void each_part(auto&& visitor) { visitor(table, cross, count, squares, divergence); }
  void add(const BlockSums& other);
  void subtract(const BlockSums& other);
};

// Where latents are; of their variances the sum of logarithms.
struct BlockExtents {
  Vector low, high, sum, squares, log_variances;
  static BlockExtents of(ConstMatrixRef X, ConstMatrixRef S);
  void each_part(auto&& visitor) { visitor(low, high, sum, squares, log_variances); }
  void add(const BlockExtents& other);
};

// What points move by: the derivatives of their part of the bound by features and table.
struct PassWeights {
  Matrix by_cross, by_table;
  void each_part(auto&& visitor) { visitor(by_cross, by_table); }
};

class BlockSteps {
 public:
  explicit BlockSteps(const Lattice& lattice) : lattice_(lattice) {}  // kept by reference

  BlockSums sums(ConstMatrixRef V, ConstMatrixRef X, ConstMatrixRef S) const;
  // A step of each point by itself, and the sums after it.
  BlockSums move(const PassWeights& weights, ConstMatrixRef V, Matrix& X, Matrix& S, Vector& pace) const;
  // Those of the points that are in each of so many folds: of point n, its number among all, in fold n % folds.
  std::vector<BlockSums> sums_of_folds(int folds, const std::vector<Index>& members, ConstMatrixRef V, ConstMatrixRef X,
                                       ConstMatrixRef S) const;

 private:
  BlockSums sums_of(const LatticeBlock& block, ConstMatrixRef V, ConstMatrixRef X, ConstMatrixRef S) const;
  const Lattice& lattice_;
};

// Variances that a step may end at, where latents begin.
void keep_in_range(const LatentSpace& latent, MatrixRef S);

}  // namespace wgp
