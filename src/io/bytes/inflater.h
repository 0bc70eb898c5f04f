// Deflated bytes, unpacked piece by piece: what gzip files and zip entries share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

struct z_stream_s;

namespace wgp {

class Inflater {
 public:
  enum class Wrapping { none, gzip, zlib };  // none: the bare stream of a zip entry
  explicit Inflater(Wrapping wrapping);

  enum class Status {
    more,    // one of the two ranges was used up
    ended,   // the stream is complete (with gzip: its checksum was right)
    broken,  // not a deflated stream
  };
  struct Progress {
    std::size_t read, written;
    Status status;
  };
  // Unpacks from one range into the other until one of them is used up.
  Progress run(const char* from, std::size_t available, char* to, std::size_t room);
  void restart();  // for another stream behind the first

 private:
  std::unique_ptr<z_stream_s, void (*)(z_stream_s*)> stream_;
};

// Deflate reaches 1032 : 1 at most. Measured data and even masks stay far below 500 : 1; a large file beyond that was
// made to exhaust whoever unpacks it.
bool is_bomb(std::uint64_t unpacked, std::uint64_t packed, std::uint64_t harmless = std::uint64_t{16} << 20);

}  // namespace wgp
