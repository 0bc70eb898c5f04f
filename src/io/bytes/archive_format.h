// The fields of zip archives. Reference: PKWARE's APPNOTE.TXT, sections 4.3 to 4.5. An archive is
//   (local header, name, extra fields, data) per entry, directory, [zip64 end record, zip64 locator,] end record
// and is read from its end: the end record finds the directory, the directory finds the entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wgp::zip {

inline constexpr std::string_view local_signature = "PK\x03\x04", directory_signature = "PK\x01\x02",
                                  end_signature = "PK\x05\x06", end64_signature = "PK\x06\x06",
                                  locator_signature = "PK\x06\x07";
inline constexpr std::size_t local_size = 30, directory_size = 46, end_size = 22, end64_size = 56, locator_size = 20;

// A field with all bits set says that the value stands in a zip64 record.
inline constexpr std::uint64_t full16 = 0xffff, full32 = 0xffffffff;
inline constexpr std::uint64_t zip64_field = 1;
inline constexpr std::uint64_t stored = 0, deflated = 8;
inline constexpr std::uint64_t utf8_flag = 0x0800, sizes_follow_flag = 0x0008;
inline constexpr std::uint64_t encryption_flags = 0x2041, patch_flag = 0x0020;
inline constexpr std::uint64_t plain_version = 20, zip64_version = 45, newest_version = 63;  // "needed to extract"
inline constexpr std::uint64_t made_on_unix = 3 << 8;
inline constexpr std::uint64_t readable_file = std::uint64_t{0100644} << 16;  // -rw-r--r--, where Unix keeps the mode
inline constexpr std::uint64_t midnight = 0, first_day = 1 << 5 | 1;          // 1980-01-01

// Little-endian, of up to eight bytes.
inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

}  // namespace wgp::zip
