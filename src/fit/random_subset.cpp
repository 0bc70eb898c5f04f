#include "fit/random_subset.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "wgp/random.h"

namespace wgp {

std::vector<Index> random_subset(Index N, Index most, std::uint64_t seed, std::uint64_t stream) {
  std::vector<Index> some(static_cast<std::size_t>(std::min(N, most)));
  std::iota(some.begin(), some.end(), Index{0});
  if (N <= most) return some;
  Random random(seed, stream);
  // The beginning of a shuffle of all; of these only those that are not in their place are kept.
  std::unordered_map<Index, Index> moved;
  const auto at = [&](Index place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  for (Index i = 0; i < most; ++i) {
    const Index from = i + random.below(N - i);
    some[static_cast<std::size_t>(i)] = at(from);
    moved[from] = at(i);
  }
  std::sort(some.begin(), some.end());
  return some;
}

}  // namespace wgp
