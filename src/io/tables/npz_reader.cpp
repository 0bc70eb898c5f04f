// NPZ: a zip archive of NPY arrays, read as a table from one of them. Arrays of text beside it serve as text columns.
#include "core/format.h"

#include <algorithm>
#include <limits>

#include "io/bytes/archive.h"
#include "io/bytes/archive_format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"
#include "io/tables/npy_format.h"
#include "io/tables/npy_text.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

constexpr std::string_view array_ending = ".npy";
constexpr std::size_t most_looked_into = 1000;

struct ArchivedArray {
  const ArchiveMember* member;
  std::string name;  // without .npy, as NumPy calls it
  NpyPreamble preamble;
  std::string defect;  // why it cannot be read, if so

  bool is_text() const { return defect.empty() && preamble.header.kind == 'U'; }
};

class NpzReader final : public TableReader {
 public:
  NpzReader(std::unique_ptr<ByteSource> source, const TableOptions& options) : archive_(std::move(source)) {
    list_arrays();
    const ArchivedArray& array = chosen(options.array);
    check(array);
    TableOptions rest = options;
    rest.text_columns.clear();
    table_ = open_npy(archive_.open(*array.member), rest);
    read_channels();
    for (const auto& list : options.text_columns)
      for (const auto name : split_words(list)) add_text(std::string(name));
  }

  Index width() const override { return table_->width(); }
  std::vector<std::string> names() const override { return table_->names(); }
  std::vector<TableColumn> columns() const override {
    std::vector<TableColumn> all = table_->columns();
    for (const auto& array : arrays_)
      if (is_column(array)) all.push_back({array.name, false, false});
    return all;
  }
  std::optional<Index> rows() const override { return table_->rows(); }
  std::vector<Index> shape() const override { return table_->shape(); }
  std::string format() const override { return "npz"; }
  std::vector<std::string> channel_names() const override { return channels_; }

  bool read(Index max_rows, TableBlock& block) override {
    const bool more = table_->read(max_rows, block);
    block.text.assign(texts_.size(), {});
    for (std::size_t j = 0; j < texts_.size(); ++j)
      for (Index i = 0; i < block.values.cols(); ++i) block.text[j].push_back(texts_[j].next());
    return more;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", archive_.file(), what)); }

  void list_arrays() {
    for (const ArchiveMember& member : archive_.members()) {
      if (!member.name.ends_with(array_ending)) continue;
      arrays_.push_back({&member, member.name.substr(0, member.name.size() - array_ending.size()), {}, {}});
      if (arrays_.size() > most_looked_into) continue;
      ArchivedArray& array = arrays_.back();
      try {
        const auto source = archive_.open(member);
        array.preamble = read_npy_preamble([&](char* to, std::size_t size) { return source->read(to, size); },
                                           source->name(), NpyText::allowed);
      } catch (const Error& error) {
        array.defect = error.what();
      }
    }
    if (arrays_.empty())
      fail("is a zip archive without .npy arrays; save the arrays with numpy.savez, or the sheet (.xlsx) as CSV");
  }

  std::string list() const {
    constexpr std::size_t shown = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, arrays_.size()); ++i) {
      const ArchivedArray& array = arrays_[i];
      text += fmt::format("{}{} {}{}", i > 0 ? ", " : "", array.name,
                          array.defect.empty() ? shape_text(array.preamble.header.shape) : "(not readable)",
                          array.is_text() ? " of text" : "");
    }
    return arrays_.size() > shown ? text + fmt::format(", ... ({} in all)", arrays_.size()) : text;
  }

  const ArchivedArray& chosen(const std::string& name) const {
    const auto called = [&](const ArchivedArray& array) { return array.name == name || array.member->name == name; };
    if (!name.empty()) {
      const auto found = std::find_if(arrays_.begin(), arrays_.end(), called);
      if (found == arrays_.end()) fail(fmt::format("no array {}; it holds {}", quote_text(name), list()));
      return *found;
    }
    const auto is_table = [](const ArchivedArray& array) { return !array.is_text(); };
    if (std::count_if(arrays_.begin(), arrays_.end(), is_table) > 1)
      fail(fmt::format("holds several arrays: {}; choose one with --array NAME", list()));
    const auto only = std::find_if(arrays_.begin(), arrays_.end(), is_table);
    if (only == arrays_.end()) fail(fmt::format("holds no array of numbers: {}", list()));
    return *only;
  }

  // The entry's size is known before it is unpacked.
  void check(const ArchivedArray& array) const {
    if (!array.defect.empty()) throw Error(array.defect);
    const std::uint64_t promised = array.preamble.size + array.preamble.data_bytes;
    if (array.preamble.size != 0 && promised != array.member->size)
      fail(fmt::format("{}: {}: shape {} needs {} bytes, the entry has {}", array.member->name,
                       promised > array.member->size ? "truncated" : "too long",
                       shape_text(array.preamble.header.shape), promised, array.member->size));
  }

  bool is_column(const ArchivedArray& array) const {
    const auto& shape = array.preamble.header.shape;
    return array.is_text() && shape.size() == 1 && shape[0] == *table_->rows() && !array.preamble.header.fortran_order;
  }

  void read_channels() {
    constexpr Index most = 10000;  // of a matrix that can be worked with
    for (const ArchivedArray& array : arrays_) {
      const auto& shape = array.preamble.header.shape;
      const bool is_named = array.name == "channels" || array.name == "channel_names" || array.name == "ch_names";
      if (!is_named || !array.is_text() || shape.size() != 1 || shape[0] > most) continue;
      check(array);
      TextColumn texts(archive_.open(*array.member));
      for (Index i = 0; i < shape[0]; ++i) channels_.push_back(texts.next());
      return;
    }
  }

  void add_text(const std::string& name) {
    const auto found =
        std::find_if(arrays_.begin(), arrays_.end(), [&](const ArchivedArray& array) { return array.name == name; });
    if (found == arrays_.end() || !is_column(*found))
      fail(fmt::format("no array of {} texts called {}; it holds {}", *table_->rows(), quote_text(name), list()));
    check(*found);
    texts_.emplace_back(archive_.open(*found->member));
  }

  Archive archive_;
  std::vector<ArchivedArray> arrays_;
  std::unique_ptr<TableReader> table_;
  std::vector<TextColumn> texts_;
  std::vector<std::string> channels_;
};

}  // namespace

bool is_npz(std::string_view head) {
  return head.starts_with(zip::local_signature) || head.starts_with(zip::end_signature);
}

std::unique_ptr<TableReader> open_npz(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  return std::make_unique<NpzReader>(std::move(source), options);
}

}  // namespace wgp
