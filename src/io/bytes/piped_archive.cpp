#include "io/bytes/piped_archive.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/format.h"
#include "io/bytes/archive_format.h"
#include "wgp/types.h"

namespace wgp {
namespace {

using namespace zip;

// The bytes of the entry's data by its local header and extra fields; nothing where they do not say.
std::optional<std::uint64_t> packed_size(std::string_view header, std::string_view extra) {
  if ((number_at(header, 6, 2) & sizes_follow_flag) != 0) return std::nullopt;
  const std::uint64_t packed = number_at(header, 18, 4);
  if (packed != full32) return packed;
  const bool size_is_long = number_at(header, 22, 4) == full32;  // it then stands first
  while (extra.size() >= 4) {
    const auto length = static_cast<std::size_t>(number_at(extra, 2, 2));
    if (length > extra.size() - 4) break;
    if (number_at(extra, 0, 2) == zip64_field && length >= (size_is_long ? 16u : 8u))
      return number_at(extra, size_is_long ? 12 : 4, 8);
    extra.remove_prefix(4 + length);
  }
  return std::nullopt;
}

// Whether a local header is one that can be unpacked: sizes in any other are chance, and lead nowhere.
bool is_readable(std::string_view header) {
  const std::uint64_t version = number_at(header, 4, 2), method = number_at(header, 8, 2);
  return version <= newest_version && (method == stored || method == deflated);
}

class PipedArchive {
 public:
  explicit PipedArchive(ByteSource& source) : source_(source) {}

  std::string read() {
    while (take(local_signature.size())) {
      const std::string_view signature = last(local_signature.size());
      if (signature == local_signature) {
        if (!take_entry()) break;
        continue;
      }
      // Directory, its end and a comment: as long as the entries before can make it.
      const bool directory = signature == directory_signature || signature == end64_signature;
      if (directory || signature == end_signature) take_rest(longest_directory());
      break;
    }
    return std::move(bytes_);
  }

 private:
  // Whether there were that many more.
  bool take(std::uint64_t count) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    if (bytes_.size() + count > most_piped_bytes) too_long(most_piped_bytes);
    while (count > 0) {
      const auto wanted = static_cast<std::size_t>(std::min(piece, count));
      const std::size_t before = bytes_.size();
      bytes_.resize(before + wanted);
      const std::size_t got = source_.read(bytes_.data() + before, wanted);
      bytes_.resize(before + got);
      if (got < wanted) return false;
      count -= wanted;
    }
    return true;
  }
  std::string_view last(std::size_t count) const { return std::string_view(bytes_).substr(bytes_.size() - count); }

  // From behind its signature; whether something can follow.
  bool take_entry() {
    ++entries_;
    if (!take(local_size - local_signature.size())) return false;
    const std::string header(last(local_size));
    const auto name = static_cast<std::size_t>(number_at(header, 26, 2)),
               extra = static_cast<std::size_t>(number_at(header, 28, 2));
    if (!take(name + extra) || !is_readable(header)) return false;
    if (const auto packed = packed_size(header, last(extra))) return take(*packed);
    take_rest(most_unsized_bytes);
    return false;
  }

  std::uint64_t longest_directory() const {
    return (entries_ + 1) * (directory_size + 3 * full16) + end64_size + locator_size + end_size + full16;
  }
  void take_rest(std::uint64_t most) {
    const std::uint64_t room = std::min<std::uint64_t>(most, most_piped_bytes - bytes_.size());
    if (take(room) && take(1)) too_long(room);
  }
  [[noreturn]] void too_long(std::uint64_t most) const {
    throw Error(fmt::format("{}: a zip archive of which {} MB more do not make an end; write it to a file first",
                            source_.name(), std::max<std::uint64_t>(most >> 20, 1)));
  }

  ByteSource& source_;
  std::string bytes_;
  std::uint64_t entries_ = 0;
};

}  // namespace

std::string read_piped_archive(ByteSource& source) { return PipedArchive(source).read(); }

}  // namespace wgp
