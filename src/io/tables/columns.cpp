#include "io/tables/columns.h"

#include "core/format.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "io/bytes/number.h"

namespace wgp {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<Index> position(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string known_columns(const std::vector<std::string>& names, Index count) {
  if (names.empty()) return fmt::format("it has {} columns without names", count);
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < 12; ++i) list += (i > 0 ? ", " : "") + names[i];
  return fmt::format("its columns are {}{}", list, names.size() > 12 ? ", ..." : "");
}

}  // namespace

bool selects_by_name(std::string_view selection) {
  for (const auto part : split(selection, ','))
    for (const auto end : split(part, ':'))
      if (!position(end)) return true;
  return false;
}

std::vector<Index> select_columns(std::string_view selection, const std::vector<std::string>& names, Index count,
                                  const std::string& file) {
  // A number is always a position, even where a header happens to be a number.
  const auto find = [&](std::string_view text) -> std::optional<Index> {
    if (const auto number = position(text)) {
      if (*number < 1 || *number > count)
        throw Error(fmt::format("{}: no column {}; columns are 1 to {}", file, *number, count));
      return *number - 1;
    }
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return std::nullopt;
    if (std::find(found + 1, names.end(), text) != names.end())
      throw Error(fmt::format("{}: two columns are called {}; choose by number", file, quote_text(text)));
    return found - names.begin();
  };
  const auto need = [&](std::string_view text) {
    if (text.empty())
      throw Error(fmt::format("columns {}: an empty entry; write 4:19, 1,3,5 or x,y,z", quote_text(selection)));
    if (const auto found = find(text)) return *found;
    throw Error(fmt::format("{}: no column {}; {}", file, quote_text(text), known_columns(names, count)));
  };

  std::vector<Index> chosen;
  for (const auto part : split(selection, ',')) {
    const auto colon = part.find(':');
    // A header may hold a colon; the whole name comes first.
    if (colon == std::string_view::npos || std::find(names.begin(), names.end(), part) != names.end()) {
      chosen.push_back(need(part));
      continue;
    }
    const Index first = need(trim(part.substr(0, colon))), last = need(trim(part.substr(colon + 1)));
    if (last < first) throw Error(fmt::format("columns {}: the range ends before it starts", quote_text(part)));
    for (Index i = first; i <= last; ++i) chosen.push_back(i);
  }
  std::vector<Index> sorted = chosen;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw Error(fmt::format("columns {}: column {} is chosen twice", quote_text(selection), *twice + 1));
  return chosen;
}

}  // namespace wgp
