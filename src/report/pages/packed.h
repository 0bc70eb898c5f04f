// Bytes as text that a page can hold.
#pragma once

#include <string>
#include <string_view>

namespace wgp::report {

// Thirteen bits in two characters of 91, a twelfth shorter than base64; none of them ends or begins an element. The
// length in bytes and a blank stand before.
std::string in_pairs(std::string_view bytes);
std::string gzipped(std::string_view bytes);

}  // namespace wgp::report
