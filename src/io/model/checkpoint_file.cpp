// A head: a magic word, the fingerprint of the fit, a checksum of both. Then a record for each step: the lengths of its
// name and of its numbers, a checksum of both; the name, the numbers, a checksum of these. Everything little-endian.
// The lengths have a checksum of their own because a wrong one would look like a record that was never finished.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "core/format.h"
#include "io/bytes/archive.h"
#include "io/bytes/byte_source.h"
#include "io/bytes/crc32.h"
#include "io/bytes/output_file.h"
#include "wgp/model_file.h"

namespace wgp {
namespace {

constexpr std::string_view magic = "wgpckpt2";
constexpr std::size_t checksum_bytes = 4, head_bytes = 16 + checksum_bytes, record_head_bytes = 16 + checksum_bytes;
constexpr std::uint64_t longest_name = 1000;

void put(std::string& bytes, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}
std::uint64_t take_number(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])) << (8 * i);
  return value;
}
void put_checksum(std::string& bytes, std::size_t from) {
  put(bytes, crc32_of(std::string_view(bytes).substr(from)), checksum_bytes);
}
// Of bytes that their checksum follows.
bool is_whole(std::string_view bytes, std::size_t from, std::size_t size) {
  return !checksums_matter || crc32_of(bytes.substr(from, size)) == take_number(bytes, from + size, checksum_bytes);
}

std::string head_of(std::uint64_t fingerprint) {
  std::string bytes(magic);
  put(bytes, fingerprint, 8);
  put_checksum(bytes, 0);
  return bytes;
}
std::string record_of(const std::string& name, const Vector& numbers) {
  std::string bytes;
  bytes.reserve(record_head_bytes + name.size() + static_cast<std::size_t>(8 * numbers.size()) + checksum_bytes);
  put(bytes, name.size(), 8);
  put(bytes, static_cast<std::uint64_t>(numbers.size()), 8);
  put_checksum(bytes, 0);
  bytes += name;
  for (const double number : numbers) put(bytes, std::bit_cast<std::uint64_t>(number), 8);
  put_checksum(bytes, record_head_bytes);
  return bytes;
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::string path, const FitCheckpoint& finished) : path_(std::move(path)) {
  std::string bytes = head_of(finished.fingerprint);
  for (const auto& [name, numbers] : finished.steps) bytes += record_of(name, numbers);
  OutputFile file(path_);
  file.write(bytes);
  file.commit();
}

void CheckpointWriter::add(const FitStep& step) {
  const std::string bytes = record_of(step.name, step.numbers);
  const int file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const auto fail = [&] {
    const std::string why = std::strerror(errno);
    if (file >= 0) close(file);
    throw Error(fmt::format("{}: cannot be written: {}", path_, why));
  };
  struct stat before {};
  if (file < 0 || fstat(file, &before) != 0) fail();
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int why = count < 0 ? errno : ENOSPC;
      if (S_ISREG(before.st_mode) && ftruncate(file, before.st_size) != 0) errno = why;
      errno = why;
      fail();
    }
    done += static_cast<std::size_t>(count);
  }
  if (close(file) != 0) throw Error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

namespace {

// Step by step, no further than the sizes that a step begins with: what is no checkpoint, or stops being one, is not
// read to its end, which a device or a pipe may not have.
class CheckpointReader {
 public:
  explicit CheckpointReader(ByteSource& source) : source_(source) {}

  FitCheckpoint read() {
    const std::string head = take(head_bytes);
    if (!head.starts_with(magic.substr(0, magic.size() - 1))) fail("not a checkpoint of wgp fit");
    if (head.size() >= magic.size() && !head.starts_with(magic))
      fail("a checkpoint of another version of wgp: it cannot be resumed");
    if (head.size() < head_bytes || !is_whole(head, 0, head_bytes - checksum_bytes))
      fail("the checkpoint is damaged: its beginning is not what was written");
    FitCheckpoint checkpoint;
    checkpoint.fingerprint = take_number(head, magic.size(), 8);
    while (add_step(checkpoint)) {
    }
    return checkpoint;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", source_.name(), what)); }

  // Fewer at the end. Memory follows what is there, not what was promised.
  std::string take(std::uint64_t count) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    std::string bytes;
    while (count > 0) {
      const auto wanted = static_cast<std::size_t>(std::min(piece, count));
      const std::size_t before = bytes.size();
      bytes.resize(before + wanted);
      const std::size_t got = source_.read(bytes.data() + before, wanted);
      bytes.resize(before + got);
      if (got < wanted) break;
      count -= wanted;
    }
    taken_ += bytes.size();
    if (taken_ > most_piped_bytes && !source_.size())
      fail(fmt::format("a checkpoint of more than {} MB, and no end of it yet", most_piped_bytes >> 20));
    return bytes;
  }

  // Whether there was one. A step that does not end was being written when the program was killed: the last one,
  // whatever is in it.
  bool add_step(FitCheckpoint& checkpoint) {
    const std::string head = take(record_head_bytes);
    if (head.size() < record_head_bytes) return false;
    const std::uint64_t name_size = take_number(head, 0, 8), count = take_number(head, 8, 8);
    if (!is_whole(head, 0, record_head_bytes - checksum_bytes) || name_size > longest_name)
      fail("the checkpoint is damaged: the sizes of a step are not what was written");
    if (count > most_piped_bytes / 8) {
      if (source_.size()) return false;  // no more than what the file has is there
      fail("the checkpoint is damaged: a step of more numbers than any fit has");
    }
    const std::uint64_t size = name_size + 8 * count;
    const std::string body = take(size + checksum_bytes);
    if (body.size() < size + checksum_bytes) return false;
    if (!is_whole(body, 0, size)) fail("the checkpoint is damaged: the checksum of a step is wrong");
    Vector numbers(static_cast<Index>(count));
    for (std::uint64_t i = 0; i < count; ++i)
      numbers[static_cast<Index>(i)] = std::bit_cast<double>(take_number(body, name_size + 8 * i, 8));
    checkpoint.steps[body.substr(0, name_size)] = std::move(numbers);
    return true;
  }

  ByteSource& source_;
  std::uint64_t taken_ = 0;
};

}  // namespace

FitCheckpoint parse_checkpoint(std::string bytes, const std::string& name) {
  return CheckpointReader(*memory_bytes(std::move(bytes), name)).read();
}

FitCheckpoint load_checkpoint(const std::string& path) { return CheckpointReader(*open_bytes(path)).read(); }

}  // namespace wgp
