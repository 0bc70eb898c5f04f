// Minimises for all candidates of all points at once.
#pragma once

#include "model/encode_objectives.h"

namespace wgp {

struct Candidates {
  Matrix X;
  std::vector<Index> owner;
  Vector f;  // infinite for those that were given up: at the place of a better one of the same point, or much worse
  std::vector<bool> converged;
  Matrix gradient;  // at X
};

// BFGS with backtracking on every candidate, one evaluation of all of them a round. owner: the point of each.
Candidates descend(const EncodeObjective& objective, Matrix X, std::vector<Index> owner);

}  // namespace wgp
