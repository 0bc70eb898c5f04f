// Columns of a matrix that need not be in memory, read block by block: points or vectors of a file, or of a matrix.
#pragma once

#include <vector>

#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

class ColumnBlocks {
 public:
  virtual ~ColumnBlocks() = default;
  virtual Index rows() const = 0;
  virtual Index count() const = 0;
  // Columns first, first + 1, ... Many threads may read at a time; the same columns are the same bytes each time.
  virtual void read(Index first, MatrixRef into) const = 0;
  // These columns, in their order.
  virtual Matrix gathered(const std::vector<Index>& members) const;
};

class MatrixColumns final : public ColumnBlocks {
 public:
  explicit MatrixColumns(ConstMatrixRef columns) : columns_(columns) {}  // kept by reference
  Index rows() const override { return columns_.rows(); }
  Index count() const override { return columns_.cols(); }
  void read(Index first, MatrixRef into) const override { into = columns_.middleCols(first, into.cols()); }

 private:
  const Eigen::Ref<const Matrix> columns_;
};

}  // namespace WGP_PUBLIC
