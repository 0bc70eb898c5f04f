// Words of motion files: numbers that must be finite, and names whatever their case.
#pragma once

#include <string_view>
#include <vector>

#include "io/bytes/line_reader.h"

namespace wgp {

// At blanks and tabs only: names may hold anything else. At least one for a line that is not blank.
std::vector<std::string_view> words_of(std::string_view line);
bool equal_words(std::string_view a, std::string_view b);  // whatever the case
// The next line that is not blank and, where there is such a mark, no comment; false at the end.
bool next_filled(LineReader& lines, std::string_view& line, char comment = '\0');
// A finite number; the reader's error if the word is none. what: "an offset".
double number_in(const LineReader& lines, std::string_view word, const char* what);

}  // namespace wgp
