// NPY files. C order is streamed; Fortran order is read column by column where the file allows it, else held in memory.
#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "io/tables/columns.h"
#include "io/tables/npy_format.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

constexpr Index widest_row = Index{1} << 26;
constexpr std::size_t read_at_once = std::size_t{1} << 22;

class NpyReader final : public TableReader {
 public:
  NpyReader(std::unique_ptr<ByteSource> source, const TableOptions& options)
      : source_(std::move(source)), non_finite_(options.non_finite) {
    read_header();
    if (!options.text_columns.empty())
      throw Error(fmt::format("{}: NPY files have no text columns; give labels and weights in a CSV table", file()));
    if (options.columns.empty()) {
      selected_.resize(static_cast<std::size_t>(full_width_));
      std::iota(selected_.begin(), selected_.end(), Index{0});
      trailing_.assign(header_.shape.begin() + 1, header_.shape.end());
    } else {
      selected_ = select_columns(options.columns, {}, full_width_, file());
      trailing_ = {width()};
    }
    if (header_.fortran_order && !source_->size()) hold_in_memory();
  }

  Index width() const override { return static_cast<Index>(selected_.size()); }
  std::vector<std::string> names() const override { return {}; }
  std::optional<Index> rows() const override { return total_rows_; }
  std::vector<Index> shape() const override { return trailing_; }
  std::string format() const override { return "npy"; }
  std::vector<TableColumn> columns() const override {
    std::vector<TableColumn> all(static_cast<std::size_t>(full_width_));
    for (auto& column : all) column.selected = false;
    for (const Index column : selected_) all[static_cast<std::size_t>(column)].selected = true;
    return all;
  }

  bool read(Index max_rows, TableBlock& block) override {
    const Index count = std::min(max_rows, total_rows_ - row_);
    block.text.clear();
    block.first_row = row_;
    if (count == 0) {
      block.values.resize(width(), 0);
      return false;
    }
    if (header_.fortran_order)
      read_fortran(count, block.values);
    else
      read_c(count, block.values);
    if (non_finite_ == TableOptions::NonFinite::reject) check_finite(block);
    row_ += count;
    if (row_ == total_rows_ && !source_->size()) check_end();
    return true;
  }

  void skip(Index count) override {
    if (!source_->size() && !header_.fortran_order) return TableReader::skip(count);
    row_ = std::min(total_rows_, row_ + count);
  }

 private:
  const std::string& file() const { return source_->name(); }

  [[noreturn]] void truncated() const {
    throw Error(fmt::format("{}: truncated: the header promises {} elements of {} bytes, the file ends before", file(),
                            shape_text(header_.shape), header_.item));
  }

  void read_header() {
    NpyPreamble preamble =
        read_npy_preamble([this](char* to, std::size_t size) { return source_->read(to, size); }, file());
    header_ = std::move(preamble.header);
    data_start_ = preamble.size;
    check_sizes(preamble.data_bytes);
  }

  void check_sizes(std::uint64_t bytes) {
    const auto& shape = header_.shape;
    if (shape.empty()) throw Error(fmt::format("{}: a single number, not a table; the shape must be (n, k)", file()));
    if (bytes == 0) throw Error(fmt::format("{}: shape {}: no rows of data", file(), shape_text(shape)));
    total_rows_ = shape[0];
    full_width_ = std::accumulate(shape.begin() + 1, shape.end(), Index{1}, std::multiplies<>());
    if (full_width_ > widest_row)
      throw Error(fmt::format("{}: shape {} is too large to be read", file(), shape_text(shape)));
    if (const auto size = source_->size()) {
      if (*size < data_start_ + bytes)
        throw Error(fmt::format("{}: truncated: shape {} needs {} bytes after the header, the file has {}", file(),
                                shape_text(shape), bytes, *size - std::min(*size, data_start_)));
      if (*size > data_start_ + bytes)
        throw Error(fmt::format("{}: {} bytes after the end of the array; is it one array?", file(),
                                *size - data_start_ - bytes));
    }
  }

  void read_c(Index count, Matrix& values) {
    const auto row_items = static_cast<std::size_t>(full_width_);
    const std::size_t row_bytes = row_items * header_.item;
    const std::size_t rows_at_once = std::max<std::size_t>(1, read_at_once / row_bytes);
    values.resize(width(), 0);
    std::vector<double> decoded;
    // The matrix grows as bytes arrive, so that an absurd shape on a pipe cannot ask for memory in advance.
    Index done = 0;
    while (done < count) {
      const auto now = std::min<std::size_t>(rows_at_once, static_cast<std::size_t>(count - done));
      raw_.resize(now * row_bytes);
      if (read_rows(row_ + done) < raw_.size()) truncated();
      decoded.resize(now * row_items);
      decode_npy(header_, raw_.data(), decoded.size(), decoded.data());
      const auto columns = static_cast<Index>(now);
      const Eigen::Map<const Matrix> all(decoded.data(), full_width_, columns);
      const Index capacity =
          values.cols() >= done + columns ? values.cols() : std::min(count, std::max(2 * done, done + columns));
      if (capacity != values.cols()) values.conservativeResize(Eigen::NoChange, capacity);
      values.middleCols(done, columns) = all(selected_, Eigen::all);
      done += columns;
    }
  }

  // Into all of raw_, from where the row begins.
  std::size_t read_rows(Index row) {
    if (!source_->size()) return source_->read(raw_.data(), raw_.size());
    const std::uint64_t row_bytes = static_cast<std::uint64_t>(full_width_) * header_.item;
    return source_->read_at(data_start_ + static_cast<std::uint64_t>(row) * row_bytes, raw_.data(), raw_.size());
  }

  // Element (i, j, k, ...) of shape (n, a, b, ...) stands at i + n (j + a (k + ...)).
  std::uint64_t fortran_position(Index column) const {
    std::uint64_t position = 0, stride = 1;
    Index rest = column, below = full_width_;
    for (std::size_t axis = 1; axis < header_.shape.size(); ++axis) {
      below /= header_.shape[axis];
      position += static_cast<std::uint64_t>(rest / below) * stride;
      rest %= below;
      stride *= static_cast<std::uint64_t>(header_.shape[axis]);
    }
    return position * static_cast<std::uint64_t>(total_rows_);
  }

  void read_fortran(Index count, Matrix& values) {
    const auto items = static_cast<std::size_t>(count);
    values.resize(width(), count);
    Vector decoded(count);
    raw_.resize(items * header_.item);
    for (Index j = 0; j < width(); ++j) {
      const std::uint64_t offset =
          (fortran_position(selected_[static_cast<std::size_t>(j)]) + static_cast<std::uint64_t>(row_)) * header_.item;
      if (!held_.empty())
        held_.copy(raw_.data(), raw_.size(), offset);
      else if (source_->read_at(data_start_ + offset, raw_.data(), raw_.size()) < raw_.size())
        truncated();
      decode_npy(header_, raw_.data(), items, decoded.data());
      values.row(j) = decoded.transpose();
    }
  }

  void hold_in_memory() {
    const std::size_t bytes =
        static_cast<std::size_t>(full_width_) * static_cast<std::size_t>(total_rows_) * header_.item;
    while (held_.size() < bytes) {
      const std::size_t before = held_.size(), now = std::min(read_at_once, bytes - before);
      held_.resize(before + now);
      if (source_->read(held_.data() + before, now) < now) truncated();
    }
  }

  // Of streams only the end says that there is no more; compressed ones check their sums there.
  void check_end() {
    char more = 0;
    if (source_->read(&more, 1) > 0)
      throw Error(fmt::format("{}: more bytes after the end of the array; is it one array?", file()));
  }

  void check_finite(const TableBlock& block) const {
    if (block.values.allFinite()) return;
    for (Index i = 0; i < block.values.cols(); ++i)
      for (Index j = 0; j < block.values.rows(); ++j)
        if (!std::isfinite(block.values(j, i)))
          throw Error(fmt::format("{}: row {}, column {}: not finite: {}", file(), block.first_row + i + 1,
                                  selected_[static_cast<std::size_t>(j)] + 1, block.values(j, i)));
  }

  std::unique_ptr<ByteSource> source_;
  TableOptions::NonFinite non_finite_;
  NpyHeader header_;
  std::uint64_t data_start_ = 0;
  Index full_width_ = 1, total_rows_ = 0, row_ = 0;
  std::vector<Index> selected_, trailing_;
  std::string raw_, held_;
};

}  // namespace

bool is_npy(std::string_view head) { return head.starts_with(npy_magic); }

std::unique_ptr<TableReader> open_npy(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  return std::make_unique<NpyReader>(std::move(source), options);
}

}  // namespace wgp
