// Columns that are spread over ranks: each rank can read those of its own range, and all of them together gather any.
#pragma once

#include "core/executor.h"
#include "wgp/column_blocks.h"

namespace wgp {

class RankColumns final : public ColumnBlocks {
 public:
  // columns: of which those of the range can be read. All are kept by reference. ranks: null where there is one.
  RankColumns(const ColumnBlocks& columns, Executor::Range own, RankExchange* ranks)
      : columns_(columns), own_(own), ranks_(ranks) {}
  Index rows() const override { return columns_.rows(); }
  Index count() const override { return columns_.count(); }
  void read(Index first, MatrixRef into) const override { columns_.read(first, into); }
  // So many at a time, since what is under way is there several times.
  static constexpr std::size_t at_once = std::size_t{1} << 15;
  Matrix gathered(const std::vector<Index>& members) const override;

 private:
  void gather_some(const std::vector<Index>& members, std::size_t first, std::size_t last, MatrixRef all) const;

  const ColumnBlocks& columns_;
  const Executor::Range own_;
  RankExchange* const ranks_;
};

}  // namespace wgp
