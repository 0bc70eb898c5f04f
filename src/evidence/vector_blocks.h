// Vectors of any number of points, read block by block: of a matrix, or of files that are larger than memory.
#pragma once

#include "wgp/types.h"

namespace wgp {

class VectorBlocks {
 public:
  virtual ~VectorBlocks() = default;
  virtual Index count() const = 0;
  virtual Index rows() const = 0;
  // Columns first, first + 1, ... Many threads may read at a time; the same columns are the same bytes each time.
  virtual void read(Index first, MatrixRef into) const = 0;
};

class MatrixBlocks final : public VectorBlocks {
 public:
  explicit MatrixBlocks(ConstMatrixRef rows) : rows_(rows) {}  // kept by reference
  Index count() const override { return rows_.cols(); }
  Index rows() const override { return rows_.rows(); }
  void read(Index first, MatrixRef into) const override { into = rows_.middleCols(first, into.cols()); }

 private:
  const Eigen::Ref<const Matrix> rows_;
};

}  // namespace wgp
