#include "cli/input/label_file.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/input/tensor_image.h"
#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"
#include "io/tables/npy_format.h"
#include "io/tables/npy_text.h"

namespace wgp::cli {
namespace {

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// The labels of rows: by the text that stands for them, by row, or one for all.
struct Labels {
  enum class By { id, row, file } by;
  LabelFile file;
  std::string id_column;
  std::map<std::string, std::string> of_ids;
  std::vector<std::string> of_rows;
  std::string of_file;

  const std::string& of_id(const std::string& id, const std::string& path, Index row) const {
    const auto found = of_ids.find(id);
    if (found == of_ids.end())
      throw Error(
          fmt::format("{}: row {}: {} has no row with the {} {}", path, row + 1, file.path, id_column, quote_text(id)));
    return found->second;
  }
  const std::string& of_row(const std::string& path, Index row) const {
    if (row >= static_cast<Index>(of_rows.size()))
      throw Error(fmt::format("{}: has more rows than the {} labels of {}", path, of_rows.size(), file.path));
    return of_rows[static_cast<std::size_t>(row)];
  }
};

std::vector<std::string> array_of_labels(const std::string& path) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 28;
  const auto source = open_bytes(path);
  const NpyPreamble preamble =
      read_npy_preamble([&](char* to, std::size_t size) { return source->read(to, size); }, path, NpyText::allowed);
  if (preamble.header.kind == 'U') {
    const std::uint64_t size = source->size().value_or(0);
    if (size > longest) throw Error(fmt::format("{}: {} bytes of labels; at most {} are read", path, size, longest));
    std::string bytes(static_cast<std::size_t>(size), '\0');
    bytes.resize(source->read_at(0, bytes.data(), bytes.size()));
    return texts_of_npy(bytes, path);
  }
  const auto reader = open_table(path);
  if (reader->width() != 1)
    throw Error(fmt::format("{}: {} numbers for each row; an array of labels has one", path, reader->width()));
  const Matrix numbers = read_rest(*reader).values;
  std::vector<std::string> labels;
  for (Index i = 0; i < numbers.cols(); ++i) labels.push_back(format_number(numbers(0, i)));
  return labels;
}

// The only id that is a folder of the path, or stands at the beginning of the file's name up to a sign.
std::string id_of_path(const std::string& path, const Labels& labels) {
  std::vector<std::string> words;
  for (const auto& part : std::filesystem::path(path)) words.push_back(part.string());
  const std::string name = words.empty() ? "" : words.back();
  std::vector<std::string> found;
  for (const auto& [id, label] : labels.of_ids) {
    const bool folder = std::find(words.begin(), words.end(), id) != words.end();
    const bool start = !id.empty() && name.starts_with(id) && name.size() > id.size() &&
                       std::string_view("_-. ").find(name[id.size()]) != std::string_view::npos;
    if (folder || start) found.push_back(id);
  }
  if (found.size() == 1) return found.front();
  throw Error(
      fmt::format("{}: {} of the {} in {} {} its folders or the beginning of its name{}; one is needed, or a "
                  "column of ids (--id)",
                  path, found.empty() ? "none" : std::to_string(found.size()), labels.id_column, labels.file.path,
                  found.size() < 2 ? "is one of" : "are among",
                  found.size() < 2 ? "" : fmt::format(" ({}, {})", quote_text(found[0]), quote_text(found[1]))));
}

Labels read_labels(const std::string& path, const LabelFile& file, const TableOptions& options, const std::string& id,
                   const OpenWithText& open) {
  Labels labels{file.column.empty() ? Labels::By::row : Labels::By::id, file, "", {}, {}, ""};
  if (labels.by == Labels::By::row) {
    labels.of_rows = array_of_labels(file.path);
    return labels;
  }
  TableOptions of_labels;
  of_labels.non_finite = TableOptions::NonFinite::keep;
  const std::vector<TableColumn> there = [&] {
    TableOptions looked_at = of_labels;
    looked_at.text_columns = {file.column};
    return open_table(file.path, looked_at)->columns();
  }();
  const std::string first = there.front().name;
  std::string own = id;
  if (own.empty() && path != "-" && is_file(path)) {
    TableOptions plain = options;
    plain.text_columns.clear();
    plain.columns.clear();
    const auto reader = open(plain, Looking::at_columns);
    if (dynamic_cast<const NiftiTable*>(reader.get()) == nullptr)
      for (const std::string& wanted : {to_lower(first), std::string("id"), std::string("name")})
        for (const TableColumn& column : reader->columns())
          if (own.empty() && !column.name.empty() && to_lower(column.name) == wanted) own = column.name;
  }
  const bool same_name =
      std::any_of(there.begin(), there.end(), [&](const TableColumn& column) { return column.name == own; });
  labels.id_column = same_name && !own.empty() ? own : first;
  of_labels.text_columns = {labels.id_column.empty() ? "1" : labels.id_column, file.column};
  const TableBlock block = read_rest(*open_table(file.path, of_labels));
  for (std::size_t i = 0; i < block.text[0].size(); ++i)
    if (!labels.of_ids.emplace(block.text[0][i], block.text[1][i]).second)
      throw Error(fmt::format("{}: several rows have the {} {}; an id is one row's alone", file.path, labels.id_column,
                              quote_text(block.text[0][i])));
  if (own.empty()) {
    labels.by = Labels::By::file;
    labels.of_file = labels.of_ids.at(id_of_path(path, labels));
  } else {
    labels.id_column = own;
  }
  return labels;
}

// A reader with its labels among its columns of text.
template <class Base>
class Labelled : public Base {
 public:
  Labelled(std::unique_ptr<TableReader> source, std::string path, std::size_t at, Labels labels)
      : source_(std::move(source)), path_(std::move(path)), at_(at), labels_(std::move(labels)) {}
  Index width() const override { return source_->width(); }
  std::vector<std::string> names() const override { return source_->names(); }
  std::vector<TableColumn> columns() const override { return source_->columns(); }
  std::optional<Index> rows() const override { return source_->rows(); }
  std::vector<Index> shape() const override { return source_->shape(); }
  std::string format() const override { return source_->format(); }
  std::vector<std::string> channel_names() const override { return source_->channel_names(); }
  std::vector<std::string> remarks() const override { return source_->remarks(); }
  void skip(Index count) override {
    source_->skip(count);
    passed_over_ = true;
  }
  bool read(Index max_rows, TableBlock& block) override {
    if (!source_->read(max_rows, block)) {
      if (labels_.by == Labels::By::row && !passed_over_ && seen_ > 0 &&
          seen_ < static_cast<Index>(labels_.of_rows.size()))
        throw Error(fmt::format("{}: has {} rows, but {} has {} labels", path_, seen_, labels_.file.path,
                                labels_.of_rows.size()));
      return false;
    }
    const Index count = block.values.cols();
    seen_ = block.first_row + count;
    const auto place = block.text.begin() + static_cast<std::ptrdiff_t>(at_);
    if (labels_.by == Labels::By::id) {
      for (Index i = 0; i < count; ++i) {
        std::string& text = (*place)[static_cast<std::size_t>(i)];
        text = labels_.of_id(text, path_, block.first_row + i);
      }
      return true;
    }
    std::vector<std::string> texts;
    for (Index i = 0; i < count; ++i)
      texts.push_back(labels_.by == Labels::By::file ? labels_.of_file : labels_.of_row(path_, block.first_row + i));
    block.text.insert(place, std::move(texts));
    return true;
  }

 protected:
  std::unique_ptr<TableReader> source_;

 private:
  std::string path_;
  std::size_t at_;
  Labels labels_;
  Index seen_ = 0;
  bool passed_over_ = false;  // some rows: how many there are is not known at the end
};

class LabelledImage final : public Labelled<NiftiTable> {
 public:
  using Labelled::Labelled;
  const NiftiGrid& grid() const override { return image().grid(); }
  bool holds_tensors() const override { return image().holds_tensors(); }
  std::optional<TensorForm> tensor_form() const override { return image().tensor_form(); }
  const std::vector<Index>& block_voxels() const override { return image().block_voxels(); }
  std::vector<Index> voxels() const override { return image().voxels(); }
  const std::vector<std::string>& notes() const override { return image().notes(); }

 private:
  const NiftiTable& image() const { return dynamic_cast<const NiftiTable&>(*source_); }
};

}  // namespace

std::optional<LabelFile> label_file(const std::string& labels) {
  const std::string named = labels.substr(0, labels.rfind(':'));
  for (const char* ending : {".npy", ".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"})
    if (named.ends_with(ending) && !is_file(named) && !is_file(labels))
      throw Error(fmt::format("{}: no such file (--labels {})", named, labels));
  if (labels.ends_with(".npy") && is_file(labels)) return LabelFile{labels, ""};
  const auto colon = labels.rfind(':');
  if (colon == std::string::npos || colon + 1 == labels.size() || !is_file(labels.substr(0, colon)))
    return std::nullopt;
  return LabelFile{labels.substr(0, colon), labels.substr(colon + 1)};
}

std::string label_name(const std::string& labels) {
  const auto file = label_file(labels);
  return file ? file->name() : labels;
}

std::unique_ptr<TableReader> open_with_labels(const std::string& path, const TableOptions& options,
                                              const std::string& id, const OpenWithText& open) {
  for (std::size_t at = 0; at < options.text_columns.size(); ++at) {
    const auto file = label_file(options.text_columns[at]);
    if (!file) continue;
    Labels labels = read_labels(path, *file, options, id, open);
    TableOptions rest = options;
    if (labels.by == Labels::By::id)
      rest.text_columns[at] = labels.id_column;
    else
      rest.text_columns.erase(rest.text_columns.begin() + static_cast<std::ptrdiff_t>(at));
    auto source = open(rest, Looking::at_rows);
    const std::string name = path == "-" ? "standard input" : path;
    if (dynamic_cast<const NiftiTable*>(source.get()) != nullptr)
      return std::make_unique<LabelledImage>(std::move(source), name, at, std::move(labels));
    return std::make_unique<Labelled<TableReader>>(std::move(source), name, at, std::move(labels));
  }
  return open(options, Looking::at_rows);
}

}  // namespace wgp::cli
