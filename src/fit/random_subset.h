// Some of N things.
#pragma once

#include <cstdint>
#include <vector>

#include "wgp/types.h"

namespace wgp {

// A random subset of this size, in order; all if there are no more. stream: see core/random_streams.h.
std::vector<Index> random_subset(Index N, Index most, std::uint64_t seed, std::uint64_t stream);

}  // namespace wgp
