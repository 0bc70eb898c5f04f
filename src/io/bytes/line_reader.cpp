#include "io/bytes/line_reader.h"

#include "core/format.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/bytes/number.h"

namespace wgp {

LineReader::LineReader(std::unique_ptr<ByteSource> source)
    : records_(std::move(source), RecordReader::Quotes::ordinary) {}

bool LineReader::next(std::string_view& line) {
  if (again_) {
    held_ = *std::exchange(again_, std::nullopt);
    line = held_;
  } else {
    if (!records_.next(line)) return false;
    line = trim(line);
  }
  ++number_;
  return true;
}

void LineReader::put_back(std::string_view line) {
  again_ = std::string(line);
  --number_;
}

void LineReader::fail(const std::string& what) const {
  throw Error(fmt::format("{}: line {}: {}", file(), number_, what));
}

std::vector<std::string_view> split_words(std::string_view line) {
  constexpr std::string_view separators = " \t,;";
  std::vector<std::string_view> words;
  for (std::size_t start = line.find_first_not_of(separators); start != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(separators, start), line.size());
    words.push_back(line.substr(start, end - start));
    start = line.find_first_not_of(separators, end);
  }
  return words;
}

std::optional<Index> parse_count(std::string_view text) {
  Index value = 0;
  text = trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string_view first_line(std::string_view head, std::string_view comment_marks) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  while (!head.empty()) {
    const std::size_t end = std::min(head.find_first_of("\r\n"), head.size());
    const std::string_view line = trim(head.substr(0, end));
    if (!line.empty() && comment_marks.find(line[0]) == std::string_view::npos) return line;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return {};
}

}  // namespace wgp
