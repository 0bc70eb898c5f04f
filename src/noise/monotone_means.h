// The nearest sequence that does not increase.
#pragma once

#include <vector>

#include "wgp/types.h"

namespace wgp {

// Minimises the sum of squared differences from x among sequences that do not increase: neighbours that increase are
// replaced by their mean until none does (pool adjacent violators).
inline Vector decreasing_means(ConstVectorRef x) {
  struct Block {
    double sum;
    Index count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (const double one : x) {
    blocks.push_back({one, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() < blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  Vector result(x.size());
  Index at = 0;
  for (const Block& block : blocks) {
    result.segment(at, block.count).setConstant(block.mean());
    at += block.count;
  }
  return result;
}

}  // namespace wgp
