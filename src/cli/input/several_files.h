// Several files as one table: the rows of the first, then those of the second, and so on, and a column of text, "file",
// with each row's file as it was named.
//
// One file is open at a time, and blocks go on across their ends, so that they are those of the same rows in one file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/arguments.h"
#include "cli/input/tensor_image.h"
#include "io/tables/chosen_rows.h"
#include "wgp/io.h"

namespace wgp::cli {

inline constexpr const char* file_column = "file";

// What a command reads as one table.
class InputFiles {
 public:
  InputFiles(std::string path) : paths_{std::move(path)} {}  // one, without a column that says so
  explicit InputFiles(std::vector<std::string> paths) : paths_(std::move(paths)), several_(true) {}
  const std::vector<std::string>& paths() const { return paths_; }
  const std::string& first() const { return paths_.front(); }
  bool several() const { return several_; }
  // For messages: "a.csv", "standard input", "a.csv and 3 more files".
  std::string name() const;

 private:
  std::vector<std::string> paths_;
  bool several_ = false;
};

// Files that were named, and those in directories that were, in the order of their names. Wrong usage if the files of a
// directory are of several kinds, or standard input is among several.
InputFiles input_files(const std::vector<std::string>& named);
// All operands from this one on.
InputFiles input_files(const Arguments& arguments, std::size_t first_operand = 0);
// The regular files that an operand stands for: itself, or those in a directory.
std::vector<std::string> files_named_by(const std::string& operand);

class SeveralFiles final : public TableReader {
 public:
  enum class Saying { notes, nothing };  // files that are opened to be looked at have nothing to say
  using Open =
      std::function<std::unique_ptr<TableReader>(const std::string& path, const TableOptions& options, Saying saying)>;
  SeveralFiles(InputFiles files, TableOptions options, Open open);

  Index width() const override { return width_; }
  std::vector<std::string> names() const override { return names_; }
  std::vector<TableColumn> columns() const override { return columns_; }
  std::optional<Index> rows() const override { return rows_; }
  std::vector<Index> shape() const override { return shape_; }
  std::string format() const override { return format_; }
  std::vector<std::string> channel_names() const override { return channels_; }
  bool read(Index max_rows, TableBlock& block) override;
  void skip(Index count) override;

  struct Place {
    std::string path;
    Index row;  // in that file, from 0 on
  };
  Place place(Index row) const;  // of those that have been read or passed over
  // Of an image's row in the block that was read last: "voxel (3, 4, 5): "; else empty.
  std::string voxel_of(Index in_block) const;

 private:
  bool open_next();
  void look_at(const TableReader& reader, const std::string& path);
  void add_file_column(TableBlock& part) const;

  InputFiles files_;
  TableOptions options_;              // without the column "file"
  std::vector<std::size_t> file_at_;  // where it stands among the columns of text
  Open open_;
  Index width_ = 0;
  std::vector<std::string> names_;
  std::vector<TableColumn> columns_;
  std::vector<Index> shape_;
  std::string format_;
  std::vector<std::string> channels_;
  std::optional<Index> rows_;
  RowChoice choice_;  // of each file's rows

  std::unique_ptr<TableReader> reader_;
  std::vector<Index> starts_;  // of the files that have been opened
  Index next_row_ = 0;
  // Of the last block, where its rows are voxels: from this row of it on.
  struct Voxels {
    Index first;
    NiftiGrid grid;
    std::vector<Index> voxels;
  };
  std::vector<Voxels> voxels_;
};

// Where a row of any reader stands. path: of a single file.
SeveralFiles::Place place_of(const TableReader& reader, const std::string& path, Index row);

}  // namespace wgp::cli
