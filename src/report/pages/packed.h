// Bytes as text that a page can hold.
#pragma once

#include <string>
#include <string_view>

namespace wgp::report {

std::string base64(std::string_view bytes);
std::string gzipped(std::string_view bytes);

}  // namespace wgp::report
