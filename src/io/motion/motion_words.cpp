#include "io/motion/motion_words.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>

#include "io/bytes/number.h"

namespace wgp {

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t start = line.find_first_not_of(blanks); start != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, start), line.size());
    words.push_back(line.substr(start, end - start));
    start = line.find_first_not_of(blanks, end);
  }
  return words;
}

bool equal_words(std::string_view a, std::string_view b) { return a.size() == b.size() && to_lower(a) == to_lower(b); }

bool next_filled(LineReader& lines, std::string_view& line, char comment) {
  while (lines.next(line))
    if (!line.empty() && (comment == '\0' || line.front() != comment)) return true;
  return false;
}

double number_in(const LineReader& lines, std::string_view word, const char* what) {
  const auto number = parse_number(word);
  if (!number || !std::isfinite(*number)) lines.fail(fmt::format("{} is not {}", quote_text(word), what));
  return *number;
}

}  // namespace wgp
