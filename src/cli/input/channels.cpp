#include "cli/input/channels.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <utility>

#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"
#include "io/tables/npy_text.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

bool is_list_in_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

constexpr std::size_t most_names = 100000;

std::string beginning_of(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{1} << 24;
  const auto source = open_bytes(path);
  std::string bytes(most_bytes, '\0');
  bytes.resize(source->read(bytes.data(), bytes.size()));
  return bytes;
}

std::string without_quotes(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

std::vector<std::string> split_at(const std::string& line, char mark) {
  std::vector<std::string> fields;
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string::npos; start = end + 1) {
    end = mark == '\0' ? std::string::npos : line.find(mark, start);
    fields.push_back(
        without_quotes(std::string_view(line).substr(start, end == std::string::npos ? end : end - start)));
  }
  return fields;
}

bool is_heading(const std::string& word) {
  static const std::vector<std::string> headings = {"name",  "names",  "channel",   "channels", "ch_name", "ch_names",
                                                    "label", "labels", "electrode", "region",   "roi"};
  return std::find(headings.begin(), headings.end(), to_lower(word)) != headings.end();
}

// Lines of names, or a table with a column of them. Blanks at the edges of a line may be empty fields.
std::vector<std::string> names_in_lines(const std::string& path) {
  std::string bytes = beginning_of(path);
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  std::istringstream lines(bytes);
  std::vector<std::string> names;
  std::string line;
  char mark = '\0';
  std::size_t column = 0;
  bool first = true;
  for (Index number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (trim(line).empty() || line.front() == '#') continue;
    const bool is_first = std::exchange(first, false);
    if (is_first)
      for (const char one : {'\t', ';', ','})
        if (mark == '\0' && line.find(one) != std::string::npos) mark = one;
    const std::vector<std::string> fields = split_at(line, mark);
    if (is_first)
      if (const auto heading = std::find_if(fields.begin(), fields.end(), is_heading); heading != fields.end()) {
        column = static_cast<std::size_t>(heading - fields.begin());
        continue;
      }
    if (column >= fields.size() || fields[column].empty())
      throw Error(fmt::format("{}: line {}: no name of a channel in column {}", path, number, column + 1));
    names.push_back(fields[column]);
    if (names.size() > most_names) throw Error(fmt::format("{}: more than {} names", path, most_names));
  }
  return names;
}

void check_different(const std::vector<std::string>& names, const std::string& where) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const auto [before, fresh] = seen.emplace(names[i], i); !fresh)
      throw Error(fmt::format("{}: channels {} and {} have the same name {}", where, before->second + 1, i + 1,
                              quote_text(names[i])));
}

}  // namespace

Index channel_count(const Manifold& manifold) {
  const std::string spec = manifold.spec();
  const bool matrices = spec.starts_with("spd:") || spec.starts_with("correlation:");
  if (!matrices || spec.find_first_of(",^*") != std::string::npos) return 0;
  return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(manifold.ambient_dim()))));
}

std::vector<std::string> channels_from(const Arguments& arguments, const Manifold& manifold) {
  if (!arguments.has("channels")) return {};
  const Index n = channel_count(manifold);
  if (n == 0)
    throw UsageError(fmt::format(
        "--channels names the rows and columns of matrices (spd:n, correlation:n), not points of {}", manifold.spec()));
  const std::string given = arguments.text("channels");
  std::vector<std::string> names;
  if (is_list_in_file(given))
    names = given.ends_with(".npy") ? texts_of_npy(beginning_of(given), given) : names_in_lines(given);
  else
    names = split_at(given, ',');
  const std::string where = is_list_in_file(given) ? given : "--channels " + quote_text(given);
  if (!is_list_in_file(given) && names.size() == 1 && n > 1)
    throw Error(fmt::format("{}: no such file; it is a file of names, or a list of them: Fz,Cz,Pz", where));
  if (static_cast<Index>(names.size()) != n)
    throw Error(fmt::format("{}: {} name{}, but the matrices of {} have {} channels", where, names.size(),
                            names.size() == 1 ? "" : "s", manifold.spec(), n));
  check_different(names, where);
  return names;
}

void check_same_channels(const std::vector<std::string>& names, const std::string& whose,
                         const std::vector<std::string>& others, const std::string& of_others) {
  if (names.empty() || others.empty() || names == others) return;
  if (names.size() != others.size())
    throw Error(fmt::format("{} names {} channels, but {} {}", whose, names.size(), of_others, others.size()));
  const auto at =
      static_cast<std::size_t>(std::mismatch(names.begin(), names.end(), others.begin()).first - names.begin());
  std::vector<std::string> a = names, b = others;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  throw Error(fmt::format("{}: channel {} is {}, but that of {} is {}; {}", whose, at + 1, quote_text(names[at]),
                          of_others, quote_text(others[at]),
                          a == b ? "the same channels are needed in the same order" : "they are other channels"));
}

std::string with_channels(const std::string& text, const std::vector<std::string>& names) {
  if (names.empty()) return text;
  static const std::regex entry(R"(\((\d{1,6}),(\d{1,6})\))");
  std::string result;
  auto rest = text.cbegin();
  for (std::sregex_iterator found(text.begin(), text.end(), entry), end; found != end; ++found) {
    const auto i = static_cast<std::size_t>(std::stoul((*found)[1])),
               j = static_cast<std::size_t>(std::stoul((*found)[2]));
    if (i < 1 || j < 1 || i > names.size() || j > names.size()) continue;
    result.append(rest, (*found)[0].first).append(fmt::format("({},{})", names[i - 1], names[j - 1]));
    rest = (*found)[0].second;
  }
  return result.append(rest, text.cend());
}

}  // namespace wgp::cli
