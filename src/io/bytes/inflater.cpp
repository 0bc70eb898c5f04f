#include "io/bytes/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace wgp {
namespace {

void end_and_delete(z_stream* stream) {
  inflateEnd(stream);
  delete stream;
}

}  // namespace

Inflater::Inflater(Wrapping wrapping) : stream_(new z_stream{}, end_and_delete) {
  const int bits = wrapping == Wrapping::gzip ? 16 + MAX_WBITS : wrapping == Wrapping::zlib ? MAX_WBITS : -MAX_WBITS;
  if (inflateInit2(stream_.get(), bits) != Z_OK) throw std::bad_alloc();
}

Inflater::Progress Inflater::run(const char* from, std::size_t available, char* to, std::size_t room) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();  // zlib counts in 32 bits
  const std::size_t in = std::min(most, available), out = std::min(most, room);
  Bytef nothing = 0;  // zlib wants a place even for no bytes
  stream_->next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(from));
  stream_->avail_in = static_cast<uInt>(in);
  stream_->next_out = out > 0 ? reinterpret_cast<Bytef*>(to) : &nothing;
  stream_->avail_out = static_cast<uInt>(out);
  const int result = inflate(stream_.get(), Z_NO_FLUSH);
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  const bool fine = result == Z_OK || result == Z_BUF_ERROR;  // the latter: nothing to read or no room to write
  return {in - stream_->avail_in, out - stream_->avail_out,
          fine ? Status::more : (result == Z_STREAM_END ? Status::ended : Status::broken)};
}

void Inflater::restart() { inflateReset(stream_.get()); }

bool is_bomb(std::uint64_t unpacked, std::uint64_t packed, std::uint64_t harmless) {
  constexpr std::uint64_t ratio = 500;
  return unpacked > harmless && unpacked / ratio > packed;
}

}  // namespace wgp
