#include "io/tables/mat_arrays.h"

#include <algorithm>

#include "core/format.h"
#include "io/bytes/number.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

std::string list_of(const std::vector<MatArray>& arrays) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(shown, arrays.size()); ++i)
    words.push_back(fmt::format("{} ({})", arrays[i].name,
                                arrays[i].defect.empty() ? shape_words(arrays[i].shape) : arrays[i].defect));
  return fmt::format("{}{}", fmt::join(words, ", "), arrays.size() > shown ? ", ..." : "");
}

// The reader of NPY, under another name.
class MatReader final : public TableReader {
 public:
  explicit MatReader(std::unique_ptr<TableReader> table) : table_(std::move(table)) {}
  Index width() const override { return table_->width(); }
  std::vector<std::string> names() const override { return table_->names(); }
  std::vector<TableColumn> columns() const override { return table_->columns(); }
  std::optional<Index> rows() const override { return table_->rows(); }
  std::vector<Index> shape() const override { return table_->shape(); }
  std::string format() const override { return "mat"; }
  bool read(Index max_rows, TableBlock& block) override { return table_->read(max_rows, block); }
  void skip(Index count) override { table_->skip(count); }

 private:
  std::unique_ptr<TableReader> table_;
};

}  // namespace

std::string shape_words(const std::vector<Index>& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

std::size_t chosen_array(const std::vector<MatArray>& arrays, const std::string& name, const std::string& file) {
  if (arrays.empty()) throw Error(fmt::format("{}: holds no arrays", file));
  const auto place = [&](auto found) { return static_cast<std::size_t>(found - arrays.begin()); };
  if (!name.empty()) {
    const auto found =
        std::find_if(arrays.begin(), arrays.end(), [&](const MatArray& array) { return array.name == name; });
    if (found == arrays.end())
      throw Error(fmt::format("{}: no array {}; it holds {}", file, quote_text(name), list_of(arrays)));
    if (!found->defect.empty())
      throw Error(
          fmt::format("{}: {} is no table of numbers ({}); it holds {}", file, name, found->defect, list_of(arrays)));
    return place(found);
  }
  // Single numbers are settings that stand beside.
  const auto is_table = [](const MatArray& array) {
    return array.defect.empty() && !std::all_of(array.shape.begin(), array.shape.end(), [](Index n) { return n == 1; });
  };
  const auto tables = std::count_if(arrays.begin(), arrays.end(), is_table);
  if (tables == 1) return place(std::find_if(arrays.begin(), arrays.end(), is_table));
  throw Error(fmt::format("{}: {}: {}{}", file, tables == 0 ? "no array of numbers is a table" : "holds several arrays",
                          list_of(arrays), tables == 0 ? "" : "; choose one with --array NAME"));
}

std::size_t sample_axis(const MatArray& array, Index given, const std::string& file) {
  const auto& shape = array.shape;
  const std::size_t axes = shape.size();
  if (given > static_cast<Index>(axes))
    throw Error(fmt::format("{}: {} is {}; it has no axis {} that could count samples", file, array.name,
                            shape_words(shape), given));
  if (given > 0) return static_cast<std::size_t>(given - 1);
  if (axes == 2) return 0;
  // Square matrices, one for each sample.
  const bool last = axes == 3 && shape[0] == shape[1] && shape[2] != shape[0];
  const bool first = axes == 3 && shape[1] == shape[2] && shape[2] != shape[0];
  if (last || first) return last ? 2 : 0;
  throw Error(fmt::format("{}: {} is {}; say with --sample-axis which axis counts the samples, from 1 on", file,
                          array.name, shape_words(shape)));
}

std::unique_ptr<TableReader> open_mat_array(std::unique_ptr<ByteSource> npy, const TableOptions& options) {
  if (!options.text_columns.empty())
    throw Error(fmt::format(
        "{}: arrays of MATLAB have no columns of text; give labels in a CSV table (--labels FILE:COL)", npy->name()));
  return std::make_unique<MatReader>(open_npy(std::move(npy), options));
}

}  // namespace wgp
