#include "io/bytes/gzip_source.h"

#include "core/format.h"

#include <algorithm>

#include "wgp/types.h"

namespace wgp {

GzipSource::GzipSource(std::unique_ptr<ByteSource> packed)
    : ByteSource(packed->name()), packed_(std::move(packed)), inflater_(Inflater::Wrapping::gzip) {}

std::size_t GzipSource::read(char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size && !at_end_) {
    if (begin_ == buffer_.size()) refill();
    const bool source_ended = begin_ == buffer_.size();
    if (source_ended && between_members_) {
      at_end_ = true;
      break;
    }
    between_members_ = false;
    const auto progress = inflater_.run(buffer_.data() + begin_, buffer_.size() - begin_, to + done, size - done);
    begin_ += progress.read;
    packed_count_ += progress.read;
    done += progress.written;
    count_ += progress.written;
    if (progress.status == Inflater::Status::broken)
      throw Error(
          fmt::format("{}: damaged gzip data after {} unpacked bytes; copy or download it again", name(), count_));
    check_repetition();
    if (progress.status == Inflater::Status::ended) {
      inflater_.restart();
      between_members_ = true;
    } else if (source_ended && progress.written == 0) {
      throw Error(fmt::format("{}: truncated: the gzip data end in the middle; copy or download it again", name()));
    }
  }
  return done;
}

void GzipSource::refill() {
  constexpr std::size_t chunk = std::size_t{1} << 16;
  buffer_.resize(chunk);
  buffer_.resize(packed_->read(buffer_.data(), chunk));
  begin_ = 0;
}

// Text takes longer to read than to unpack: less of it is harmless.
void GzipSource::check_repetition() const {
  constexpr std::uint64_t harmless_text = std::uint64_t{4} << 20, harmless_zeros = std::uint64_t{64} << 20;
  const std::uint64_t whole = std::max(packed_count_, packed_->size().value_or(0));
  const bool bomb = is_bomb(count_, packed_count_, content_ == Content::text ? harmless_text : harmless_zeros) ||
                    is_bomb(count_, whole);
  if (bomb)
    throw Error(
        fmt::format("{}: its gzip data unpack to more than {} MB of repetitions, like a gzip bomb; unpack it "
                    "first if it is meant",
                    name(), count_ >> 20));
}

}  // namespace wgp
