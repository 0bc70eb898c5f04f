// Text to double, correctly rounded: std::from_chars where the standard library has it for doubles, else fast_float.
#pragma once

#include <charconv>

namespace wgp {

// As std::from_chars; beyond the range of doubles either result_out_of_range or the nearest of 0 and infinity.
std::from_chars_result read_double(const char* first, const char* last, double& value);

}  // namespace wgp
