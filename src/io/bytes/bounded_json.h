// JSON from files that nobody vouches for: bounded in length and in depth, since brackets nested a million deep exhaust
// memory when they are parsed and the stack when they are printed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace wgp {

inline constexpr std::size_t longest_json = std::size_t{1} << 20;
// A discarded value (is_discarded()) where the text is not JSON, longer than a megabyte or nested deeper than 32.
nlohmann::ordered_json parse_bounded_json(const std::string& text, std::size_t longest = longest_json);

}  // namespace wgp
