#include "io/tables/csv_sample.h"

#include <algorithm>

#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"
#include "io/tables/csv_records.h"

namespace wgp {
namespace {

using FieldViews = std::vector<std::string_view>;

std::string with_mark(std::string_view field, char from, char to) {
  std::string text(field);
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

bool has_number(const FieldViews& fields, const FieldNumbers& parse) {
  return std::any_of(fields.begin(), fields.end(), [&](std::string_view field) { return parse(field).has_value(); });
}

// The record that a comment is as a header, or nothing.
std::optional<std::string> header_of(std::string_view comment, std::size_t columns, char delimiter,
                                     const FieldNumbers& parse) {
  comment = trim(comment);
  comment.remove_prefix(std::min(comment.find_first_not_of("# \t"), comment.size()));
  FieldSplitter splitter(delimiter);
  const FieldViews fields = splitter.split(comment);
  if (fields.size() == columns && delimiter != blank_separated)
    return has_number(fields, parse) ? std::nullopt : std::optional(std::string(comment));
  // Words with blanks or commas between, whatever stands between the numbers.
  const FieldViews words = split_words(comment);
  if (words.size() != columns || has_number(words, parse)) return std::nullopt;
  return fmt::format("{}", fmt::join(words, std::string(1, delimiter)));
}

}  // namespace

std::optional<double> FieldNumbers::operator()(std::string_view field) const {
  if (decimal_ == '.') return parse_number(field);
  if (field.find('.') != std::string_view::npos) return std::nullopt;
  return parse_number(with_mark(field, decimal_, '.'));
}

std::string FieldNumbers::advice(std::string_view field) const {
  if (decimal_ != '.')
    return parse_number(field)
               ? fmt::format("; with --decimal {} it would be {}", decimal_, with_mark(trim(field), '.', decimal_))
               : "";
  const std::string point = with_mark(trim(field), ',', '.');
  if (point == trim(field) || !parse_number(point)) return "";
  return fmt::format("; write a decimal point: {}, or say --decimal ,", point);
}

bool starts_as_comment(std::string_view record) { return trim(record).starts_with('#'); }

TextSample sort_out_comments(std::vector<std::string> records, const FieldNumbers& parse) {
  TextSample sample;
  const auto first = std::find_if_not(records.begin(), records.end(), starts_as_comment);
  std::vector<std::string> rows;
  std::copy_if(records.begin(), records.end(), std::back_inserter(rows),
               [](const std::string& record) { return !starts_as_comment(record); });
  if (rows.empty()) {  // text that happens to start so
    sample.delimiter = detect_delimiter(records, parse.decimal());
    sample.records = std::move(records);
    return sample;
  }
  sample.delimiter = detect_delimiter(rows, parse.decimal());
  FieldSplitter splitter(sample.delimiter);
  const auto last_row = splitter.split(rows.back());
  sample.comments_follow = !last_row.empty() && parse(last_row.front()).has_value();
  const FieldViews first_row = splitter.split(rows.front());
  const std::size_t columns = first_row.size();
  const bool rows_start = has_number(first_row, parse);  // else a header stands there
  if (!sample.comments_follow) {
    FieldSplitter of_records(sample.delimiter);
    const bool are_rows = std::any_of(records.begin(), first, [&](const std::string& record) {
      const FieldViews& fields = of_records.split(record);
      return fields.size() == columns && has_number(fields, parse);
    });
    if (are_rows) {
      sample.records = std::move(records);
      return sample;
    }
  }
  std::optional<std::string> header;
  if (first != records.begin() && rows_start) header = header_of(*(first - 1), columns, sample.delimiter, parse);
  if (sample.comments_follow)
    sample.records = std::move(rows);
  else
    sample.records.assign(first, records.end());
  if (header) sample.records.insert(sample.records.begin(), *header);
  return sample;
}

}  // namespace wgp
