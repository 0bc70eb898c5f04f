// Numbers as text: reading without locale, writing so that they read back exactly, and quoting what was found instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wgp {

std::string_view trim(std::string_view text);
// The number that the whole text is; nan and inf count. Nothing if it is not one.
std::optional<double> parse_number(std::string_view text);
// "", NA, N/A, null, ...: what other programs write for a missing value.
bool is_missing(std::string_view text);
// 'text' with unprintable bytes escaped and the end cut off, for messages.
std::string quote_text(std::string_view text);

}  // namespace wgp
