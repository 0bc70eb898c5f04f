// libFuzzer target of one reader of tables, named by WGP_FUZZ_FORMAT: whatever the bytes are, the reader delivers rows
// or throws wgp::Error. Built and run by scripts/fuzz.
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "io/bytes/gzip_source.h"
#include "io/tables/formats.h"

namespace {

const wgp::Format& format_under_test() {
  for (const wgp::Format& format : wgp::formats())
    if (format.name == WGP_FUZZ_FORMAT) return format;
  throw std::logic_error("no format is called " WGP_FUZZ_FORMAT);
}

std::unique_ptr<wgp::TableReader> open(const std::string& bytes, const wgp::TableOptions& options) {
  const wgp::Format& format = format_under_test();
  const std::string name = "fuzz" + format.endings.front();
  // The way through open_table is longer, but the only one that unpacks, and refuses what is no text.
  if (format.recognise == nullptr || bytes.starts_with(wgp::gzip_magic)) return wgp::parse_table(bytes, name, options);
  return format.open(wgp::memory_bytes(bytes, name), options);
}

void read_all(const std::string& bytes, wgp::TableOptions options) {
  try {
    const auto reader = open(bytes, options);
    const auto rows = reader->rows();
    wgp::Index count = 0;
    wgp::TableBlock block;
    while (reader->read(7, block)) {
      if (block.values.rows() != reader->width() || block.first_row != count) throw std::logic_error("a wrong block");
      for (const auto& column : block.text)
        if (static_cast<wgp::Index>(column.size()) != block.values.cols())
          throw std::logic_error("a wrong text column");
      count += block.values.cols();
    }
    if (rows && *rows != count) throw std::logic_error("not as many rows as promised");
    if (!reader->names().empty() && static_cast<wgp::Index>(reader->names().size()) != reader->width())
      throw std::logic_error("not as many names as numbers");
    if (!options.text_columns.empty()) return;
    // Once more, with the first column of text.
    const auto columns = reader->columns();
    const auto text = std::find_if(columns.begin(), columns.end(), [](const auto& column) { return !column.numeric; });
    if (text == columns.end() || text->name.empty()) return;
    options.text_columns = {text->name};
    read_all(bytes, options);
  } catch (const wgp::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  wgp::TableOptions options;
  read_all(bytes, options);
  options.non_finite = wgp::TableOptions::NonFinite::keep;
  read_all(bytes, options);
  const std::string format = WGP_FUZZ_FORMAT;
  if (format == "csv" || format == "tsv") {
    options.decimal = ',';
    read_all(bytes, options);
  }
  if (format == "tps") {
    options.curves = wgp::TableOptions::Curves::ignore;
    read_all(bytes, options);
  }
  if (format == "mat")
    for (options.sample_axis = 1; options.sample_axis <= 3; ++options.sample_axis) read_all(bytes, options);
  return 0;
}
