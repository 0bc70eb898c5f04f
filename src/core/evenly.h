// Some of many things in a row, evenly among them.
#pragma once

#include <algorithm>
#include <vector>

#include "wgp/types.h"

namespace wgp {

// Their positions, in order; all if there are no more.
inline std::vector<Index> evenly(Index count, Index most) {
  const Index kept = std::min(count, most);
  const double stride = static_cast<double>(count) / static_cast<double>(std::max<Index>(1, kept));
  std::vector<Index> some;
  for (Index k = 0; k < kept; ++k) some.push_back(static_cast<Index>(static_cast<double>(k) * stride));
  return some;
}

}  // namespace wgp
