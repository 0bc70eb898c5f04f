// Who of several ranks does which of many tasks.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "wgp/types.h"

namespace wgp {

// Of each task a rank: the dearest first, each to whoever has least to do so far.
inline std::vector<int> rank_shares(const std::vector<double>& costs, int ranks) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::vector<double> load(static_cast<std::size_t>(ranks));
  std::vector<int> shares(costs.size());
  for (const std::size_t task : order) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += costs[task];
    shares[task] = static_cast<int>(least - load.begin());
  }
  return shares;
}

}  // namespace wgp
