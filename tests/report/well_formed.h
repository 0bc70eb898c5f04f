// A check that every tag of an XML or HTML text is closed by its own name, in order, and that no bare & or < is left.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace wgp::test {

inline ::testing::AssertionResult well_formed(const std::string& text) {
  static const std::set<std::string> without_end = {"meta", "!doctype", "?xml"};
  const auto failure = [&](std::size_t at, const std::string& what) {
    return ::testing::AssertionFailure() << what << " at " << at << ": " << text.substr(at, 80);
  };
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '&') {
      const std::size_t end = text.find(';', at);
      if (end == std::string::npos || end - at > 7) return failure(at, "a bare &");
    }
    if (text[at] == '>' && (open.empty() || open.back() != "style")) return failure(at, "a bare >");
    if (text[at] != '<') continue;
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return failure(at, "a tag without end");
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return failure(at, "a bare <");
    std::size_t quotes = 0;
    for (const char c : tag) quotes += c == '"';
    if (quotes % 2 != 0) return failure(at, "an open quote");
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return failure(at, "closes what is not open");
      open.pop_back();
    } else if (const std::string name = tag.substr(0, tag.find_first_of(" /"));
               tag.back() != '/' && !without_end.count(name)) {
      open.push_back(name);
    }
    at = end;
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "never closed: " << open.back();
  return ::testing::AssertionSuccess();
}

inline std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t found = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) ++found;
  return found;
}

}  // namespace wgp::test
