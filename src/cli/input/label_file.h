// Labels that stand in a file of their own: --labels participants.tsv:group, joined by ids, and --labels groups.npy,
// one for each row.
//
// The id of a point is its text in the column --id, else in the column that is called as the first one of the table of
// labels, else id or name. A file without such a column, an image say, is looked up by its path: the one id of the
// table that is a folder of it, or the beginning of its name (sub-01/dti.nii.gz, sub-01_dti.nii.gz).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "wgp/io.h"

namespace wgp::cli {

struct LabelFile {
  std::string path;
  std::string column;  // empty: an array with one label for each row
  std::string name() const { return column.empty() ? "label" : column; }
};
// What a value of --labels names if the part before its last colon is a file, or it is an NPY file itself.
std::optional<LabelFile> label_file(const std::string& labels);
// What to call them: the column's name.
std::string label_name(const std::string& labels);

// Opens a table whose columns of text may be in files of labels. open: the table with other columns of text. id: --id.
enum class Looking { at_columns, at_rows };
using OpenWithText = std::function<std::unique_ptr<TableReader>(const TableOptions& options, Looking looking)>;
std::unique_ptr<TableReader> open_with_labels(const std::string& path, const TableOptions& options,
                                              const std::string& id, const OpenWithText& open);

}  // namespace wgp::cli
