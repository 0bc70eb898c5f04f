// Columns of numbers in a temporary file that is gone with its owner: what does not fit into memory and is read again
// and again.
#pragma once

#include <string>

#include "wgp/column_blocks.h"

namespace wgp {

class ColumnFile final : public ColumnBlocks {
 public:
  // Where the system keeps temporary files (TMPDIR, or /tmp). Error where none can be made.
  explicit ColumnFile(Index rows);
  ~ColumnFile() override;
  ColumnFile(const ColumnFile&) = delete;
  ColumnFile& operator=(const ColumnFile&) = delete;

  Index rows() const override { return rows_; }
  Index count() const override { return count_; }
  void read(Index first, MatrixRef into) const override;
  void append(ConstMatrixRef columns);
  void resize(Index count);  // columns that are not written are zeros
  void write(Index first, ConstMatrixRef columns);

 private:
  [[noreturn]] void fail(const char* what) const;
  int file_ = -1;
  Index rows_, count_ = 0;
  std::string folder_;
};

}  // namespace wgp
