#include "fit/random_subset.h"

#include <algorithm>
#include <numeric>

#include "wgp/random.h"

namespace wgp {

std::vector<Index> random_subset(Index N, Index most, std::uint64_t seed, std::uint64_t stream) {
  std::vector<Index> all(static_cast<std::size_t>(N));
  std::iota(all.begin(), all.end(), Index{0});
  if (N <= most) return all;
  Random random(seed, stream);
  for (Index i = 0; i < most; ++i)
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i + random.below(N - i))]);
  all.resize(static_cast<std::size_t>(most));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace wgp
