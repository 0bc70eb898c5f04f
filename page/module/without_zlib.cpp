// What the readers of models ask of zlib. A page carries its model in an archive whose entries are stored, so that
// there is nothing to unpack: of zlib the checksum alone is needed.
#include <boost/crc.hpp>

#include "io/bytes/crc32.h"
#include "io/bytes/inflater.h"
#include "wgp/types.h"

struct z_stream_s {};

namespace wgp {

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  // Boost's register is the reflected one before the final complement, zlib's checksum behind it.
  boost::crc_optimal<32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  std::uint32_t reflected = 0;
  for (std::uint32_t bits = ~before, i = 0; i < 32; ++i, bits >>= 1) reflected = reflected << 1 | (bits & 1);
  crc.reset(reflected);
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

Inflater::Inflater(Wrapping) : stream_(nullptr, [](z_stream_s*) {}) {}
Inflater::Progress Inflater::run(const char*, std::size_t, char*, std::size_t) {
  throw Error("a page reads models whose entries are stored, and this one has a compressed entry");
}
void Inflater::restart() {}

bool is_bomb(std::uint64_t, std::uint64_t, std::uint64_t) { return false; }

}  // namespace wgp
