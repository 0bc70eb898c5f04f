#include "io/bytes/bounded_json.h"

namespace wgp {
namespace {

constexpr int deepest = 32;

// Brackets outside of strings.
bool is_deep(const std::string& text) {
  int depth = 0;
  bool inside_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inside_string = false;
      continue;
    }
    if (c == '"') inside_string = true;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > deepest) return true;
  }
  return false;
}

}  // namespace

nlohmann::ordered_json parse_bounded_json(const std::string& text, std::size_t longest) {
  using Json = nlohmann::ordered_json;
  return text.size() > longest || is_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace wgp
