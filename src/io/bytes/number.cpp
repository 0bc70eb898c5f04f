#include "io/bytes/number.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include "core/format.h"
#include "core/read_double.h"
#include "wgp/io.h"

namespace wgp {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = read_double(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  // from_chars gives no value beyond the range; strtod gives 0, a subnormal or infinity.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

bool is_missing(std::string_view text) {
  text = trim(text);
  constexpr std::array<std::string_view, 7> spellings = {"", "NA", "N/A", "n/a", "null", "NULL", "None"};
  for (const auto spelling : spellings)
    if (text == spelling) return true;
  return false;
}

std::string quote_text(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  // Do not cut a UTF-8 character in two.
  if (text.size() > longest)
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0x80) != 0) result.pop_back();
  return result + (text.size() > longest ? "...'" : "'");
}

std::string format_number(double value) { return fmt::format("{}", value); }

}  // namespace wgp
