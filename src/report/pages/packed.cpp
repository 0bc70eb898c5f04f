#include "report/pages/packed.h"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <string>

namespace wgp::report {

std::string in_pairs(std::string_view bytes) {
  // Printable characters but <, which is the only one that means something within a script element.
  static constexpr auto digit = [](unsigned value) {
    return static_cast<char>(value + (value < '<' - '!' ? '!' : '!' + 1));
  };
  constexpr unsigned base = 91, bits = 13;
  std::string text = std::to_string(bytes.size()) + " ";
  text.reserve(text.size() + bytes.size() * 16 / bits + 4);
  unsigned held = 0, count = 0;
  const auto put = [&] {
    const unsigned value = held & ((1U << bits) - 1);
    text += digit(value % base);
    text += digit(value / base);
  };
  for (const char byte : bytes) {
    held |= static_cast<unsigned>(static_cast<unsigned char>(byte)) << count;
    count += 8;
    if (count < bits) continue;
    put();
    held >>= bits;
    count -= bits;
  }
  if (count > 0) put();
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
