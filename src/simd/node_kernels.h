// To which of many nodes a point belongs: see evidence/grid_engine.cpp.
#pragma once

#include <cstddef>

namespace wgp {

using Index = std::ptrdiff_t;

// Nodes g with log2 weights bias_g + sum_k slopes_kg v_k for a point v. slopes is [d][padded]; padded is a multiple of
// node_padding; behind the nodes the slopes are 0 and the bias is minus infinity. All is aligned to 64 bytes.
struct WeightedNodes {
  const double *slopes, *bias;
  Index d, padded;
};
inline constexpr Index node_padding = 24;

// What a point has of each node: share_g = 2^(log2 weight_g - most), and their sum. Shares below 2^-60 are left out:
// registers where all are have no place among `held`, and hold anything.
struct NodeShares {
  double* shares;  // [padded], aligned
  int* held;       // room for padded / 2
  Index held_count;
  double most, sum;
};

struct NodeKernels {
  // Of four points.
  void (*share)(const WeightedNodes& nodes, const double* const v[4], NodeShares* const of[4]);
  // sums is [1 + d][padded]: weight share_g is added to the first row, times v_k to row 1 + k.
  void (*add)(const WeightedNodes& nodes, const NodeShares& shares, const double* v, double weight, double* sums);
};

}  // namespace wgp
