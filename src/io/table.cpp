// Chooses reader and writer.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/npy_format.h"
#include "io/number.h"
#include "io/readers.h"
#include "io/writers.h"

namespace wgp {
namespace {

// Gives back the bytes that were looked at.
class PeekedSource final : public ByteSource {
 public:
  PeekedSource(std::unique_ptr<ByteSource> source, std::string peeked)
      : ByteSource(source->name()), source_(std::move(source)), peeked_(std::move(peeked)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t first = peeked_.copy(to, size, used_);
    used_ += first;
    return first == size ? first : first + source_->read(to + first, size - first);
  }
  std::optional<std::uint64_t> size() const override { return source_->size(); }
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) override {
    return source_->read_at(offset, to, size);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string peeked_;
  std::size_t used_ = 0;
};

struct Signature {
  std::string_view bytes;
  std::string_view advice;
};
constexpr std::array<Signature, 8> foreign_formats = {{
    {"PK\x03\x04", "a zip archive (.npz or .xlsx); give the .npy inside it, or save the sheet as CSV"},
    {"\x1f\x8b", "compressed with gzip; unpack it first"},
    {"\x89HDF", "an HDF5 file; save the array as NPY or CSV"},
    {"%PDF", "a PDF document; a table of numbers is needed (CSV or NPY)"},
    {"\xff\xfe", "UTF-16 text; save it as UTF-8"},
    {"\xfe\xff", "UTF-16 text; save it as UTF-8"},
    {"\x80\x04\x95", "a Python pickle; save the array with numpy.save"},
    {"MATLAB", "a MATLAB file; save the matrix as CSV"},
}};

void refuse_foreign_formats(std::string_view head, const std::string& file) {
  for (const auto& format : foreign_formats)
    if (head.starts_with(format.bytes)) throw Error(fmt::format("{}: is {}", file, format.advice));
  const auto zeros = std::count(head.begin(), head.end(), '\0');
  if (zeros == 0) return;
  const bool half = 3 * zeros > static_cast<std::ptrdiff_t>(head.size());
  const bool ascii = std::all_of(head.begin(), head.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  throw Error(
      fmt::format("{}: is {}", file,
                  half && ascii ? "UTF-16 text; save it as UTF-8" : "binary data, not a table (CSV, TSV or NPY)"));
}

std::unique_ptr<TableReader> open_source(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  std::string head(4096, '\0');
  head.resize(source->read(head.data(), head.size()));
  if (head.empty()) throw Error(fmt::format("{}: is empty", source->name()));
  const std::string file = source->name();
  auto whole = std::make_unique<PeekedSource>(std::move(source), head);
  if (head.starts_with(npy_magic)) return open_npy(std::move(whole), options);
  if (file.ends_with(".npy"))
    throw Error(fmt::format("{}: not an NPY file: it starts with {}", file, quote_text(head.substr(0, 8))));
  refuse_foreign_formats(head, file);
  return open_csv(std::move(whole), options);
}

}  // namespace

std::unique_ptr<TableReader> open_table(const std::string& path, const TableOptions& options) {
  return open_source(open_bytes(path), options);
}

std::unique_ptr<TableReader> parse_table(std::string bytes, const std::string& name, const TableOptions& options) {
  return open_source(memory_bytes(std::move(bytes), name), options);
}

TableBlock read_rest(TableReader& reader) {
  constexpr Index rows_at_once = 4096;
  TableBlock whole, block;
  std::vector<double> numbers;
  bool first = true;
  while (reader.read(rows_at_once, block)) {
    numbers.insert(numbers.end(), block.values.data(), block.values.data() + block.values.size());
    if (first) {
      whole.first_row = block.first_row;
      whole.text = std::move(block.text);
      first = false;
    } else {
      for (std::size_t j = 0; j < block.text.size(); ++j)
        std::move(block.text[j].begin(), block.text[j].end(), std::back_inserter(whole.text[j]));
    }
  }
  whole.values = Eigen::Map<const Matrix>(numbers.data(), reader.width(),
                                          static_cast<Index>(numbers.size()) / std::max<Index>(reader.width(), 1));
  return whole;
}

TableBlock read_table(const std::string& path, const TableOptions& options) {
  const auto reader = open_table(path, options);
  return read_rest(*reader);
}

std::unique_ptr<TableWriter> create_table(const std::string& path, const std::vector<std::string>& names,
                                          const std::vector<Index>& row_shape) {
  const auto slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto dot = file.rfind('.');
  const std::string ending = dot == std::string::npos || dot == 0 ? "" : file.substr(dot);
  if (ending == ".npy") return create_npy(path, static_cast<Index>(names.size()), row_shape);
  if (ending == ".tsv") return create_csv(path, names, '\t');
  if (ending.empty() || ending == ".csv" || ending == ".txt") return create_csv(path, names, ',');
  throw Error(fmt::format("{}: tables are written as .csv, .tsv or .npy, not {}", path, ending));
}

}  // namespace wgp
