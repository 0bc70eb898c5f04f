// Chooses reader and writer.
#include "core/format.h"

#include <algorithm>
#include <array>

#include "io/bytes/gzip_source.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"
#include "io/tables/formats.h"

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
constexpr std::array<Signature, 7> foreign_formats = {{
    {gzip_magic, "compressed with gzip twice; unpack it once"},
    {"\x89HDF", "an HDF5 file; save the array as NPY or CSV"},
    {"%PDF", "a PDF document; a table of numbers is needed (CSV or NPY)"},
    {"\xff\xfe", "UTF-16 text; save it as UTF-8"},
    {"\xfe\xff", "UTF-16 text; save it as UTF-8"},
    {"\x80\x04\x95", "a Python pickle; save the array with numpy.save"},
    {"MATLAB", "a damaged MATLAB file; save the array anew, with save('FILE', 'NAME', '-v7')"},
}};

std::string titles() {
  std::vector<std::string> all;
  for (const Format& format : formats()) all.push_back(format.title);
  return fmt::format("{}", fmt::join(all, ", "));
}

void refuse_foreign_formats(std::string_view head, const std::string& file) {
  for (const auto& format : foreign_formats)
    if (head.starts_with(format.bytes)) throw Error(fmt::format("{}: is {}", file, format.advice));
  const auto zeros = std::count(head.begin(), head.end(), '\0');
  if (zeros == 0) return;
  const auto size = static_cast<std::ptrdiff_t>(head.size());
  const bool half = 3 * zeros > size && 3 * zeros < 2 * size;
  const bool ascii = std::all_of(head.begin(), head.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  throw Error(fmt::format(
      "{}: is {}", file,
      half && ascii ? "UTF-16 text; save it as UTF-8" : fmt::format("binary data, not a table ({})", titles())));
}

std::string head_of(ByteSource& source) {
  std::string head(4096, '\0');
  head.resize(source.read(head.data(), head.size()));
  if (head.empty()) throw Error(fmt::format("{}: is empty", source.name()));
  return head;
}

bool has_ending(const std::string& path, const Format& format) {
  std::string file = to_lower(path);
  if (file.ends_with(".gz")) file.resize(file.size() - 3);
  return std::any_of(format.endings.begin(), format.endings.end(),
                     [&](const std::string& ending) { return file.ends_with(ending); });
}

// By content, then by name; what is left is a table of text, or not for us.
const Format& recognise(std::string_view head, const std::string& file) {
  for (const Format& format : formats())
    if (format.recognise != nullptr && format.recognise(head)) return format;
  for (const Format& format : formats()) {
    if (format.recognise == nullptr || !has_ending(file, format)) continue;
    if (format.content == Format::Content::binary)
      throw Error(
          fmt::format("{}: not an {} file: it starts with {}", file, format.title, quote_text(head.substr(0, 8))));
    refuse_foreign_formats(head, file);
    return format;
  }
  refuse_foreign_formats(head, file);
  return formats().front();
}

}  // namespace

RecognisedFile recognise_file(std::unique_ptr<ByteSource> source) {
  std::string head = head_of(*source);
  source = std::make_unique<PeekedSource>(std::move(source), head);
  GzipSource* unpacked = nullptr;
  if (head.starts_with(gzip_magic)) {
    auto gzip = std::make_unique<GzipSource>(std::move(source));
    unpacked = gzip.get();
    head = head_of(*gzip);
    source = std::make_unique<PeekedSource>(std::move(gzip), head);
  }
  const Format& format = recognise(head, source->name());
  if (unpacked != nullptr && format.content == Format::Content::text) unpacked->expect(GzipSource::Content::text);
  return {std::move(source), &format};
}

std::unique_ptr<TableReader> open_table(RecognisedFile file, const TableOptions& options) {
  if (!options.array.empty() && file.format->name != "npz" && file.format->name != "mat")
    throw Error(fmt::format("{}: has no arrays to choose from (it is {}); leave --array {} out", file.bytes->name(),
                            file.format->title, options.array));
  return file.format->open(std::move(file.bytes), options);
}

std::unique_ptr<TableReader> open_table(const std::string& path, const TableOptions& options) {
  return open_table(recognise_file(open_bytes(path)), options);
}

std::unique_ptr<TableReader> parse_table(std::string bytes, const std::string& name, const TableOptions& options) {
  return open_table(recognise_file(memory_bytes(std::move(bytes), name)), options);
}

void TableReader::skip(Index count) {
  constexpr Index rows_at_once = 4096;
  TableBlock block;
  while (count > 0 && read(std::min(rows_at_once, count), block)) count -= block.values.cols();
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
  return format_to_write(path).create({path, names, row_shape});
}

}  // namespace wgp
