// Text tables below the level of meaning: records (lines, unless a quoted field holds a line end) and their fields.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.h"

namespace wgp {

inline constexpr char blank_separated = ' ';  // any run of blanks and tabs

// Delivers one record at a time out of a buffer; memory is bounded by the longest record.
class RecordReader {
 public:
  enum class Quotes { hold_line_ends, ordinary };  // whether a quoted field may go on in the next line
  explicit RecordReader(std::unique_ptr<ByteSource> source, Quotes quotes = Quotes::hold_line_ends);
  const std::string& name() const { return source_->name(); }
  // The next record without its line end, valid until the next call; false at the end.
  bool next(std::string_view& record);

 private:
  bool fill();  // more bytes behind end_; false at the end of the source
  std::size_t find_end(std::size_t& scanned, bool& in_quotes, std::size_t from) const;

  std::unique_ptr<ByteSource> source_;
  Quotes quotes_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
  char terminator_ = '\n';
};

// Splits a record. Fields are trimmed, quotes removed; views into the record, or into this object where "" had to be
// replaced.
class FieldSplitter {
 public:
  explicit FieldSplitter(char delimiter) : delimiter_(delimiter) {}
  const std::vector<std::string_view>& split(std::string_view record);

 private:
  std::string_view quoted_field(std::string_view record, std::size_t& position);

  char delimiter_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;
};

// ',', '\t', ';' or blank_separated: the one that splits these records evenly into the most numbers; not the decimal
// mark.
char detect_delimiter(const std::vector<std::string>& records, char decimal = '.');

}  // namespace wgp
