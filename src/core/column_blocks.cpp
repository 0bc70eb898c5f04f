#include "wgp/column_blocks.h"

namespace wgp {

Matrix ColumnBlocks::gathered(const std::vector<Index>& members) const {
  Matrix found(rows(), static_cast<Index>(members.size()));
  for (std::size_t k = 0; k < members.size(); ++k) read(members[k], found.middleCols(static_cast<Index>(k), 1));
  return found;
}

}  // namespace wgp
