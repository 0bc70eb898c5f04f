// Text files line by line, with the line's number for messages. LF, CRLF or CR; a byte order mark is skipped.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/tables/csv_records.h"
#include "wgp/types.h"

namespace wgp {

class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteSource> source);
  const std::string& file() const { return records_.name(); }
  // The next line without blanks around it, valid until the next call; false at the end.
  bool next(std::string_view& line);
  void put_back(std::string_view line);                   // the last line, once: next() gives it again
  Index number() const { return number_; }                // of the last line, 1-based; 0 before the first
  [[noreturn]] void fail(const std::string& what) const;  // "file: line 7: what"

 private:
  RecordReader records_;
  std::optional<std::string> again_;
  std::string held_;
  Index number_ = 0;
};

// The words of a line, separated by blanks, tabs, commas or semicolons.
std::vector<std::string_view> split_words(std::string_view line);
// A whole number that is not negative.
std::optional<Index> parse_count(std::string_view text);
std::string to_lower(std::string_view text);
// The first line of a file's beginning that is neither blank nor starts with one of these marks; for recognising files.
std::string_view first_line(std::string_view head, std::string_view comment_marks);

}  // namespace wgp
