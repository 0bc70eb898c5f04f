// Zip archives from a pipe or a device. Their end must be read first and a pipe has no end to go to, so they are held
// in memory, but no further than their own headers lead: what stops looking like an archive is not read on, since it
// may have no end at all.
#pragma once

#include <cstdint>
#include <string>

#include "io/bytes/byte_source.h"

namespace wgp {

// Of entries that were written to a pipe, whose headers do not say their sizes.
inline constexpr std::uint64_t most_unsized_bytes = std::uint64_t{64} << 20;

// All bytes of the archive, or as many as were needed to see that it is none: the reader of archives says what is wrong
// with those. Error beyond most_piped_bytes, and beyond most_unsized_bytes behind an entry without sizes.
std::string read_piped_archive(ByteSource& source);

}  // namespace wgp
