#include "cli/input/row_order.h"

#include <algorithm>
#include <map>
#include <set>

#include "cli/input/points.h"
#include "core/format.h"
#include "io/bytes/line_reader.h"

namespace wgp::cli {
namespace {

using Names = std::vector<std::string>;
// What a column holds, whatever it is called: "w", "2,1", "3 x". Empty: the names do not say.
using Keys = std::vector<std::string>;

Index common_prefix(const Names& names) {
  std::size_t length = names.front().size();
  for (const auto& name : names) {
    std::size_t same = 0;
    while (same < std::min(length, name.size()) && name[same] == names.front()[same]) ++same;
    length = same;
  }
  return static_cast<Index>(length);
}

// Small letters, without what all have in common at their beginning: q_W, q_X -> w, x.
Names bare(const Names& names) {
  Names result;
  for (const auto& name : names) {
    std::string word;
    for (const char c : to_lower(name))
      if (std::string_view("[](){} ").find(c) == std::string_view::npos) word += c;
    result.push_back(word);
  }
  const Index prefix = result.empty() ? 0 : common_prefix(result);
  for (auto& word : result) word.erase(0, static_cast<std::size_t>(prefix));
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return std::string_view("_.,:-").find(c) != std::string_view::npos; }
bool is_axis(char c) { return c >= 'x' && c <= 'z'; }

// A word of two parts, each a number or one of x, y, z: "12" and "1_2" are 1 and 2, "xy" is x and y, "x12" x and 12.
bool split(const std::string& word, std::string& first, std::string& second) {
  const auto take = [&](std::size_t at) {
    std::size_t end = at;
    if (at < word.size() && is_axis(word[at])) return at + 1;
    while (end < word.size() && is_digit(word[end])) ++end;
    return end;
  };
  std::size_t end = take(0);
  if (end == word.size() && end == 2 && is_digit(word[0])) end = 1;  // "12": one digit each
  if (end == 0 || end == word.size()) return false;
  first = word.substr(0, end);
  std::size_t next = end;
  while (next < word.size() && is_separator(word[next])) ++next;
  const std::size_t last = take(next);
  if (last == next || last != word.size()) return false;
  second = word.substr(next);
  return true;
}

// The numbers that occur, counted from 1 on: files count from 0 or 1.
class Ranks {
 public:
  void add(const std::string& number) { seen_.insert(value(number)); }
  Index of(const std::string& number) const { return std::distance(seen_.begin(), seen_.find(value(number))) + 1; }

 private:
  static std::pair<std::size_t, std::string> value(const std::string& number) { return {number.size(), number}; }
  std::set<std::pair<std::size_t, std::string>> seen_;
};

Keys entry_keys(const Names& names, bool symmetric) {
  std::vector<std::pair<std::string, std::string>> parts;
  Ranks ranks;
  for (const auto& word : bare(names)) {
    std::string row, column;
    if (!split(word, row, column) || is_axis(row[0]) != is_axis(column[0])) return {};
    ranks.add(row);
    ranks.add(column);
    parts.emplace_back(row, column);
  }
  Keys keys;
  for (const auto& [row, column] : parts) {
    Index i = ranks.of(row), j = ranks.of(column);
    if (symmetric && i < j) std::swap(i, j);
    keys.push_back(fmt::format("{},{}", i, j));
  }
  return keys;
}

Keys landmark_keys(const Names& names) {
  std::vector<std::pair<std::string, char>> parts;
  Ranks ranks;
  for (const auto& word : bare(names)) {
    std::string first, second;
    if (!split(word, first, second) || is_axis(first[0]) == is_axis(second[0])) return {};
    if (is_axis(first[0])) std::swap(first, second);
    ranks.add(first);
    parts.emplace_back(first, second[0]);
  }
  Keys keys;
  for (const auto& [number, axis] : parts) keys.push_back(fmt::format("{} {}", ranks.of(number), axis));
  return keys;
}

Keys quaternion_keys(const Names& names) {
  static const std::map<std::string, std::string> meaning = {{"w", "w"},    {"s", "w"}, {"r", "w"}, {"re", "w"},
                                                             {"real", "w"}, {"x", "x"}, {"i", "x"}, {"y", "y"},
                                                             {"j", "y"},    {"z", "z"}, {"k", "z"}};
  Keys keys;
  for (const auto& word : bare(names)) {
    const auto found = meaning.find(word);
    if (found == meaning.end()) return {};
    keys.push_back(found->second);
  }
  return keys;
}

// The quaternion's four are those that are called as its w is: qw, qx, qy, qz beside tx, ty, tz.
Keys motion_keys(const Names& names) {
  std::string of_rotation;
  bool found = false;
  for (const auto& name : names) {
    const std::string word = to_lower(name);
    if (word.empty() || !word.ends_with('w')) continue;
    if (found) return {};
    of_rotation = word.substr(0, word.size() - 1);
    found = true;
  }
  if (!found) return {};
  Keys keys;
  for (const auto& name : names) {
    const std::string word = to_lower(name);
    if (word.empty() || !(is_axis(word.back()) || word.back() == 'w')) return {};
    keys.push_back((word.substr(0, word.size() - 1) == of_rotation ? "q" : "t") + word.substr(word.size() - 1));
  }
  return keys;
}

// "2.5*spd:3" is of the kind "spd" and the size "3"; products are of none.
struct Kind {
  std::string name, size;
};
Kind kind_of(const Manifold& manifold) {
  std::string spec = manifold.spec();
  if (const auto star = spec.rfind('*'); star != std::string::npos) spec.erase(0, star + 1);
  if (spec.find_first_of(",^") != std::string::npos) return {};
  const auto colon = spec.find(':'), slash = spec.find('/');
  return {spec.substr(0, colon), colon == std::string::npos ? "" : spec.substr(colon + 1, slash - colon - 1)};
}

Keys keys_of(const Names& names, const Kind& kind, const RowForm& form) {
  if (names.empty()) return {};
  if (form.name() == "quaternion") return quaternion_keys(names);
  if (form.name() == "quaternion and translation") return motion_keys(names);
  if (kind.name == "kendall" || kind.name == "kendall3d") return landmark_keys(names);
  if (kind.name == "spd" || kind.name == "correlation") return entry_keys(names, true);
  if (kind.name == "so" || kind.name == "grassmann" || kind.name == "stiefel") return entry_keys(names, false);
  if (kind.name == "se" || kind.name == "hyperbolic") return names;
  return {};  // plain vectors, angles: any order is the same up to a turn
}

// What the rows of a form are called; matrices with columns of their own have no names otherwise.
Names expected_names(const Manifold& manifold, const Kind& kind, const RowForm& form) {
  Names names;
  if (kind.name != "stiefel") return point_names(manifold, form);
  const auto x = kind.size.find('x');
  for (Index i = 1; i <= std::stol(kind.size); ++i)
    for (Index j = 1; j <= std::stol(kind.size.substr(x + 1)); ++j) names.push_back(fmt::format("y{}_{}", i, j));
  return names;
}

std::string list_of(const Names& names) {
  constexpr std::size_t shown = 12;
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, ...", fmt::join(names.begin(), names.begin() + shown, ", "));
}

// The file's columns in the order that is expected.
Names sorted_as(const Keys& expected, const Keys& found, const Names& names) {
  Names sorted;
  std::vector<bool> used(found.size());
  for (const auto& key : expected)
    for (std::size_t j = 0; j < found.size(); ++j)
      if (!used[j] && found[j] == key) {
        used[j] = true;
        sorted.push_back(names[j]);
        break;
      }
  return sorted;
}

void check_names(const TableReader& reader, const Manifold& manifold, const Kind& kind, const RowForm& form,
                 const std::string& file) {
  const Names names = reader.names(), expected = expected_names(manifold, kind, form);
  if (names.size() != expected.size()) return;
  const Keys found = keys_of(names, kind, form), wanted = keys_of(expected, kind, form);
  if (found.empty() || found == wanted) return;
  Keys a = found, b = wanted;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a == b) {
    const Names right = sorted_as(wanted, found, names);
    const std::string columns = right.size() <= 12
                                    ? fmt::format("{}", fmt::join(right, ","))
                                    : fmt::format("{},...", fmt::join(right.begin(), right.begin() + 6, ","));
    throw Error(fmt::format("{}: its columns are {}, but {} of {} are read in the order {}; --columns {} puts them so",
                            file, list_of(names), form.name() == "coordinates" ? "rows" : "rows (" + form.name() + ")",
                            manifold.spec(), list_of(expected), columns));
  }
  if (kind.name.starts_with("kendall"))
    throw Error(fmt::format("{}: its columns are {}, but rows of {} are {}; choose with --columns or take another k",
                            file, list_of(names), manifold.spec(), list_of(expected)));
}

// Arrays of more axes, and files of landmarks, have a shape for each row.
void check_shape(const TableReader& reader, const Manifold& manifold, const Kind& kind, const RowForm& form,
                 const std::string& file) {
  const std::vector<Index> shape = reader.shape();
  if (shape.size() != 2) return;
  std::vector<Index> expected;
  if (kind.name == "kendall") expected = {form.width() / 2, 2};
  if (kind.name == "kendall3d") expected = {form.width() / 3, 3};
  if (kind.name == "stiefel" || kind.name == "grassmann")
    expected = {std::stol(kind.size), std::stol(kind.size.substr(kind.size.find('x') + 1))};
  if (expected.empty() || shape == expected) return;
  const bool turned = shape[0] == expected[1] && shape[1] == expected[0];
  throw Error(fmt::format("{}: each row has the shape {} x {}, but {} takes {} x {}{}", file, shape[0], shape[1],
                          manifold.spec(), expected[0], expected[1],
                          turned ? "; swap the last two axes of the array" : ""));
}

}  // namespace

void check_row_order(const TableReader& reader, const Manifold& manifold, const RowForm& form,
                     const std::string& file) {
  const Kind kind = kind_of(manifold);
  check_shape(reader, manifold, kind, form, file);
  check_names(reader, manifold, kind, form, file);
}

Index stated_landmark_dimension(const TableReader& reader) {
  const std::string format = reader.format();
  const std::vector<Index> shape = reader.shape();
  if ((format == "tps" || format == "nts" || format == "morphologika") && shape.size() == 2) return shape[1];
  const Keys keys = reader.names().empty() ? Keys() : landmark_keys(reader.names());
  if (keys.empty()) return 0;
  return std::any_of(keys.begin(), keys.end(), [](const std::string& key) { return key.ends_with('z'); }) ? 3 : 2;
}

}  // namespace wgp::cli
