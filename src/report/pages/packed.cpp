#include "report/pages/packed.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace wgp::report {

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    unsigned triple = 0;
    for (std::size_t k = 0; k < 3; ++k)
      triple = triple << 8 | (k < here ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= here ? digits[triple >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string gzipped(std::string_view bytes) {
  constexpr int window_of_gzip = 15 + 16, memory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_of_gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::size_t read = 0, written = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    const std::size_t in = std::min(most, bytes.size() - read), out = std::min(most, packed.size() - written);
    stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(bytes.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(packed.data() + written);
    stream.avail_out = static_cast<uInt>(out);
    result = deflate(&stream, read + in == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  deflateEnd(&stream);
  packed.resize(written);
  return packed;
}

}  // namespace wgp::report
