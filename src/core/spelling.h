// What a mistyped word was meant to be.
#pragma once

#include <string>
#include <vector>

namespace wgp {

// The candidate with the smallest edit distance to the word; empty if none is near (more than 60 % of the word
// changed).
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace wgp
