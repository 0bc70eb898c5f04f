// CSV, TSV and their relatives: what the columns are is decided from a sample, then rows are streamed.
#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/bytes/number.h"
#include "io/tables/columns.h"
#include "io/tables/csv_records.h"
#include "io/tables/csv_sample.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

using Fields = std::vector<std::string>;

constexpr std::size_t sample_rows = 100, sample_bytes = std::size_t{1} << 20;

bool is_blank_record(std::string_view record) { return trim(record).empty(); }

// A first row that mixes numbers with other things is a header if its numbers are few, or count upwards like labels
// (",0,1,2", "id,400,500"); otherwise it is data with a mistake in it, which must not vanish as a header.
bool is_header(const Fields& first, const std::vector<Index>& used, const FieldNumbers& parse) {
  std::vector<double> numbers;
  for (const Index column : used)
    if (const auto number = parse(first[static_cast<std::size_t>(column)])) numbers.push_back(*number);
  if (numbers.size() == used.size()) return false;
  if (2 * numbers.size() < used.size() || numbers.empty()) return true;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != std::floor(numbers[i]) || (i > 0 && !(numbers[i] > numbers[i - 1]))) return false;
  return true;
}

class CsvReader final : public TableReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, const TableOptions& options)
      : records_(std::move(source)), splitter_(','), parse_(options.decimal), non_finite_(options.non_finite) {
    take_sample();
    TextSample sample = sort_out_comments(std::move(sample_), parse_);
    sample_ = std::move(sample.records);
    delimiter_ = sample.delimiter;
    comments_ = sample.comments_follow;
    splitter_ = FieldSplitter(delimiter_);
    const Fields first = fields_of(sample_.front());
    count_ = first.size();
    find_numeric_columns();
    choose_columns(first, options);
    if (has_header_) {
      if (sample_.size() == 1) throw Error(fmt::format("{}: a header but no rows of data", file()));
      names_ = first;
      replay_ = 1;
    }
  }

  Index width() const override { return static_cast<Index>(selected_.size()); }
  std::optional<Index> rows() const override { return std::nullopt; }
  std::vector<Index> shape() const override { return {width()}; }
  std::string format() const override { return delimiter_ == '\t' ? "tsv" : "csv"; }

  std::vector<std::string> names() const override {
    std::vector<std::string> chosen;
    if (has_header_)
      for (const Index column : selected_) chosen.push_back(names_[static_cast<std::size_t>(column)]);
    return chosen;
  }

  std::vector<TableColumn> columns() const override {
    std::vector<TableColumn> all(count_);
    for (std::size_t j = 0; j < count_; ++j)
      all[j] = {has_header_ ? names_[j] : "", static_cast<bool>(numeric_[j]), false};
    for (const Index column : selected_) all[static_cast<std::size_t>(column)].selected = true;
    return all;
  }

  bool read(Index max_rows, TableBlock& block) override {
    numbers_.clear();
    block.text.assign(text_.size(), {});
    block.first_row = row_;
    std::string_view record;
    Index count = 0;
    while (count < max_rows && next_record(record)) {
      ++row_;
      ++count;
      parse(record, block);
    }
    block.values = Eigen::Map<const Matrix>(numbers_.data(), width(), count);
    return count > 0;
  }

  // What is passed over is not looked at, but must be there.
  void skip(Index count) override {
    std::string_view record;
    while (count-- > 0 && next_record(record)) ++row_;
  }

 private:
  const std::string& file() const { return records_.name(); }

  Fields fields_of(std::string_view record) {
    const auto& fields = splitter_.split(record);
    return Fields(fields.begin(), fields.end());
  }

  void take_sample() {
    std::string_view record;
    std::size_t bytes = 0, rows = 0;
    while (rows < sample_rows && bytes < sample_bytes && records_.next(record)) {
      if (is_blank_record(record)) {
        if (rows == 0) continue;
        sample_ended_blank_ = true;  // a blank line ends the sample; next_record() sees whether anything follows
        break;
      }
      bytes += record.size();
      rows += !starts_as_comment(record);
      sample_.emplace_back(record);
    }
    if (sample_.empty()) throw Error(fmt::format("{}: is empty", file()));
  }

  // A column is numeric if at least half of its sampled entries are; missing ones do not count, nor does text in the
  // first row, which may be a header.
  void find_numeric_columns() {
    std::vector<int> numbers(count_, 0), texts(count_, 0);
    for (std::size_t i = 0; i < sample_.size(); ++i) {
      const auto& fields = splitter_.split(sample_[i]);
      for (std::size_t j = 0; j < std::min(count_, fields.size()); ++j) {
        const bool number = parse_(fields[j]).has_value();
        numbers[j] += number;
        texts[j] += !number && !is_missing(fields[j]) && i > 0;
      }
    }
    numeric_.resize(count_);
    for (std::size_t j = 0; j < count_; ++j) numeric_[j] = numbers[j] > 0 && numbers[j] >= texts[j];
  }

  void choose_columns(const Fields& first, const TableOptions& options) {
    const auto count = static_cast<Index>(count_);
    const bool any_text =
        std::any_of(first.begin(), first.end(), [&](const std::string& field) { return !parse_(field); });
    bool by_name = !options.columns.empty() && selects_by_name(options.columns);
    for (const auto& column : options.text_columns) by_name = by_name || selects_by_name(column);
    has_header_ = by_name && any_text;
    const Fields names = has_header_ ? first : Fields();
    for (const auto& column : options.text_columns) {
      const auto found = select_columns(column, names, count, file());
      text_.insert(text_.end(), found.begin(), found.end());
    }
    if (!options.columns.empty()) {
      selected_ = select_columns(options.columns, names, count, file());
    } else {
      for (Index j = 0; j < count; ++j)
        if (numeric_[static_cast<std::size_t>(j)] && std::find(text_.begin(), text_.end(), j) == text_.end())
          selected_.push_back(j);
    }
    if (!has_header_ && !selected_.empty()) has_header_ = is_header(first, selected_, parse_);
    if (selected_.empty() && text_.empty()) {
      if (sample_.size() == 1 && any_text) throw Error(fmt::format("{}: a header but no rows of data", file()));
      throw Error(fmt::format("{}: no column of numbers; it starts with {}{}", file(), quote_text(sample_.front()),
                              advice_on(fields_of(sample_.back()))));
    }
  }

  std::string advice_on(const Fields& fields) const {
    for (const auto& field : fields)
      if (std::string advice = parse_.advice(field); !advice.empty()) return advice;
    return "";
  }

  // Blank lines are fine at the end; anything after one is an error, since a row may be missing there.
  bool next_record(std::string_view& record) {
    if (replay_ < sample_.size()) {
      record = sample_[replay_++];
      return true;
    }
    bool blank = std::exchange(sample_ended_blank_, false);
    while (records_.next(record)) {
      if (comments_ && starts_as_comment(record)) continue;
      if (!is_blank_record(record)) {
        if (blank) throw Error(fmt::format("{}: a blank line after row {}, with more rows below it", file(), row_));
        return true;
      }
      blank = true;
    }
    return false;
  }

  std::string column_label(Index column) const {
    const auto j = static_cast<std::size_t>(column);
    return has_header_ && !names_[j].empty() ? fmt::format("column {} ({})", column + 1, names_[j])
                                             : fmt::format("column {}", column + 1);
  }

  void parse(std::string_view record, TableBlock& block) {
    const auto& fields = splitter_.split(record);
    if (fields.size() != count_)
      throw Error(fmt::format("{}: row {}: {} field{}, expected {} as in the {}", file(), row_, fields.size(),
                              fields.size() == 1 ? "" : "s", count_, has_header_ ? "header" : "first row"));
    for (const Index column : selected_) numbers_.push_back(number(fields[static_cast<std::size_t>(column)], column));
    for (std::size_t j = 0; j < text_.size(); ++j)
      block.text[j].emplace_back(fields[static_cast<std::size_t>(text_[j])]);
  }

  double number(std::string_view field, Index column) const {
    const auto value = parse_(field);
    const bool keep = non_finite_ == TableOptions::NonFinite::keep;
    if (value && (keep || std::isfinite(*value))) return *value;
    const auto fail = [&](const std::string& what) {
      throw Error(fmt::format("{}: row {}, {}: {}", file(), row_, column_label(column), what));
    };
    if (value) fail(fmt::format("not finite: {}", quote_text(field)));
    if (is_missing(field)) {
      if (keep) return std::numeric_limits<double>::quiet_NaN();
      fail(trim(field).empty() ? "empty, a number is needed" : fmt::format("{} is not a number", quote_text(field)));
    }
    fail(fmt::format("{} is not a number{}", quote_text(field), parse_.advice(field)));
    return 0;
  }

  RecordReader records_;
  FieldSplitter splitter_;
  FieldNumbers parse_;
  TableOptions::NonFinite non_finite_;
  std::vector<std::string> sample_;
  std::size_t replay_ = 0;
  bool sample_ended_blank_ = false;
  bool comments_ = false;  // lines that start with # are comments from here on
  char delimiter_ = ',';
  std::size_t count_ = 0;
  std::vector<char> numeric_;
  bool has_header_ = false;
  Fields names_;
  std::vector<Index> selected_, text_;
  std::vector<double> numbers_;
  Index row_ = 0;
};

}  // namespace

std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  return std::make_unique<CsvReader>(std::move(source), options);
}

}  // namespace wgp
