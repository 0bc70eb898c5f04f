// The checksum of zip archives and gzip files.
#pragma once

#include <cstdint>
#include <string_view>

namespace wgp {

// Of these bytes behind others whose checksum is `before`.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);
// Of two pieces, the second of this many bytes, whose checksums are known.
std::uint32_t crc32_of_both(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

}  // namespace wgp
