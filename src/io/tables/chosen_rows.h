// Some of a table's rows: a range of them, and of these every so many.
#pragma once

#include <memory>
#include <optional>

#include "wgp/io.h"

namespace wgp {

struct RowChoice {
  Index first = 0;             // 0-based
  std::optional<Index> count;  // rows of the file from there on; none: all
  Index every = 1;
  bool all() const { return first == 0 && !count && every == 1; }
  // The row of the file that is this row of the chosen ones.
  Index in_file(Index row) const { return first + every * row; }
};

// A reader of the chosen rows, which count from 0 on in its blocks. Error, as they are read, if the file ends before
// the first of them; a range may go beyond the end.
class ChosenRows final : public TableReader {
 public:
  ChosenRows(std::unique_ptr<TableReader> source, std::string file, const RowChoice& choice);
  const RowChoice& choice() const { return choice_; }

  Index width() const override { return source_->width(); }
  std::vector<std::string> names() const override { return source_->names(); }
  std::vector<TableColumn> columns() const override { return source_->columns(); }
  std::optional<Index> rows() const override;
  std::vector<Index> shape() const override { return source_->shape(); }
  std::string format() const override { return source_->format(); }
  std::vector<std::string> channel_names() const override { return source_->channel_names(); }
  bool read(Index max_rows, TableBlock& block) override;
  void skip(Index count) override;

 private:
  // How many of at most so many more rows of the choice there may be.
  Index left(Index most) const;
  void start();

  std::unique_ptr<TableReader> source_;
  std::string file_;
  RowChoice choice_;
  bool started_ = false, ended_ = false;
  Index row_ = 0;  // of the chosen ones
};

}  // namespace wgp
