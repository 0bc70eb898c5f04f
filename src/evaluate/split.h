// Random splits into training and test points, the same as NumPy makes: permutation(N, s) is
// numpy.random.default_rng(s).permutation(N), so that an experiment can be repeated elsewhere on the very same splits.
#pragma once

#include <cstdint>
#include <vector>

#include "wgp/types.h"

namespace wgp {

std::vector<Index> permutation(Index size, std::uint64_t seed);

struct Split {
  std::vector<Index> train, test;
};
// The first floor(share N) of the permutation train, the others test.
Split random_split(Index size, double train_share, std::uint64_t seed);

Matrix take_columns(ConstMatrixRef points, const std::vector<Index>& chosen);

}  // namespace wgp
