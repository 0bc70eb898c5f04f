#include "fit/random_subset.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "wgp/random.h"

namespace wgp {

std::vector<Index> random_subset(Index N, Index most, std::uint64_t seed, std::uint64_t stream) {
  std::vector<Index> chosen(static_cast<std::size_t>(std::min(N, most)));
  std::iota(chosen.begin(), chosen.end(), Index{0});
  if (N <= most) return chosen;
  // The first of a shuffled row of N, of which only the places that have changed are kept.
  std::unordered_map<Index, Index> changed;
  const auto at = [&](Index place) {
    const auto found = changed.find(place);
    return found == changed.end() ? place : found->second;
  };
  Random random(seed, stream);
  for (Index i = 0; i < most; ++i) {
    const Index other = i + random.below(N - i);
    chosen[static_cast<std::size_t>(i)] = at(other);
    changed[other] = at(i);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace wgp
