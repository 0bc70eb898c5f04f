// CSV and NPY writers.
#include "core/format.h"

#include "io/bytes/output_file.h"
#include "io/tables/npy_format.h"
#include "io/tables/writers.h"

namespace wgp {
namespace {

std::string csv_field(const std::string& text, char delimiter) {
  if (text.find_first_of(std::string("\"\r\n") + delimiter) == std::string::npos && text.find_first_of(" \t") != 0)
    return text;
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"') escaped += c;
    escaped += c;
  }
  return escaped + '"';
}

class CsvWriter final : public TableWriter {
 public:
  CsvWriter(const TableTarget& target, char delimiter)
      : file_(target.path), columns_(target.names.size()), delimiter_(delimiter) {
    const auto& names = target.names;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (j > 0) file_.write({&delimiter_, 1});
      file_.write(csv_field(names[j], delimiter));
    }
    file_.write("\n");
  }

  void write(ConstMatrixRef rows) override { write(rows, {}); }

  void write(ConstMatrixRef rows, const std::vector<std::vector<std::string>>& text) override {
    if (static_cast<std::size_t>(rows.rows()) + text.size() != columns_)
      throw Error(fmt::format("a table of {} columns was given rows of {} numbers and {} texts", columns_, rows.rows(),
                              text.size()));
    for (Index i = 0; i < rows.cols(); ++i) {
      for (Index j = 0; j < rows.rows(); ++j) {
        if (j > 0) lines_.push_back(delimiter_);
        append(rows(j, i));
      }
      for (std::size_t j = 0; j < text.size(); ++j) {
        if (rows.rows() > 0 || j > 0) lines_.push_back(delimiter_);
        const std::string field = csv_field(text[j][static_cast<std::size_t>(i)], delimiter_);
        lines_.append(field.data(), field.data() + field.size());
      }
      lines_.push_back('\n');
      if (lines_.size() >= many_bytes) flush();
    }
    flush();
  }

  void close() override { file_.commit(); }

 private:
  static constexpr std::size_t many_bytes = 1 << 16, longest_number = 32;

  void append(double number) {
    const std::size_t size = lines_.size();
    lines_.resize(size + longest_number);
    const char* end = fmt::format_to(lines_.data() + size, FMT_COMPILE("{}"), number);
    lines_.resize(static_cast<std::size_t>(end - lines_.data()));
  }
  void flush() {
    file_.write({lines_.data(), lines_.size()});
    lines_.clear();
  }

  OutputFile file_;
  std::size_t columns_;
  char delimiter_;
  fmt::memory_buffer lines_;
};

// The number of rows is not known at first: the header has a fixed size and is written again at the end.
class NpyWriter final : public TableWriter {
 public:
  explicit NpyWriter(const TableTarget& target)
      : file_(target.path), width_(static_cast<Index>(target.names.size())), shape_(row_shape_of(target, width_)) {
    if (!file_.is_seekable()) throw Error(fmt::format("{}: NPY is written to files only", target.path));
    shape_.insert(shape_.begin(), 0);
    file_.write(npy_preamble(shape_, preamble_bytes));
  }

  void write(ConstMatrixRef rows) override {
    if (rows.rows() != width_)
      throw Error(fmt::format("a table of {} numbers a row was given {}", width_, rows.rows()));
    bytes_.clear();
    append_doubles(rows, bytes_);
    file_.write(bytes_);
    shape_[0] += rows.cols();
  }

  void write(ConstMatrixRef rows, const std::vector<std::vector<std::string>>& text) override {
    if (!text.empty()) throw Error("NPY files have no text columns; write CSV");
    write(rows);
  }

  void close() override {
    file_.rewrite_start(npy_preamble(shape_, preamble_bytes));
    file_.commit();
  }

 private:
  static constexpr std::size_t preamble_bytes = 256;  // a multiple of 64, as numpy aligns its data
  OutputFile file_;
  Index width_;
  std::vector<Index> shape_;
  std::string bytes_;
};

}  // namespace

std::vector<Index> row_shape_of(const TableTarget& target, Index width) {
  Index items = 1;
  for (const Index size : target.row_shape) items *= size;
  if (!target.row_shape.empty() && items != width)
    throw Error(fmt::format("{}: rows of {} numbers do not have the shape asked for", target.path, width));
  if (target.row_shape.empty() && width > 1) return {width};
  return target.row_shape;
}

std::unique_ptr<TableWriter> create_csv(const TableTarget& target) { return std::make_unique<CsvWriter>(target, ','); }
std::unique_ptr<TableWriter> create_tsv(const TableTarget& target) { return std::make_unique<CsvWriter>(target, '\t'); }
std::unique_ptr<TableWriter> create_npy(const TableTarget& target) { return std::make_unique<NpyWriter>(target); }

}  // namespace wgp
