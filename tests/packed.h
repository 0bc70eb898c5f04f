// Bytes that zlib has packed, for tests.
#pragma once

#include <zlib.h>

#include <string>

namespace wgp::test {

// window: 16 + MAX_WBITS for gzip, MAX_WBITS for zlib, -MAX_WBITS for the bare stream of archives.
inline std::string deflated(const std::string& bytes, int window) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}
inline std::string gzip(const std::string& bytes) { return deflated(bytes, 16 + MAX_WBITS); }

}  // namespace wgp::test
