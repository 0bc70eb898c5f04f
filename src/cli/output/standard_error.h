// Words on standard error. Whether anybody can read them must not change what the program does: a closed, full or
// broken standard error is no error.
#pragma once

#include <string>
#include <string_view>

namespace wgp::cli {

void write_to_standard_error(std::string_view text) noexcept;

// From now on words are kept there instead, by reference; null: they are written again.
void hold_back_standard_error(std::string* words) noexcept;

// Standard streams that the caller has closed are opened on nothing: the next file that is opened would take their
// place, and be written to by everybody who has something to say.
void open_standard_streams() noexcept;

}  // namespace wgp::cli
