#include "core/format.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "io/bytes/archive.h"
#include "io/bytes/archive_format.h"
#include "io/bytes/crc32.h"
#include "io/bytes/inflater.h"
#include "io/bytes/number.h"
#include "io/bytes/piped_archive.h"
#include "wgp/types.h"

namespace wgp {
namespace {

using namespace zip;

std::string damage(const std::string& file, const std::string& what) {
  return fmt::format("{}: a damaged zip archive: {}; copy or download it again", file, what);
}

// One entry's bytes as they are unpacked.
class EntrySource final : public ByteSource {
 public:
  EntrySource(ByteSource& archive, const ArchiveMember& member, std::uint64_t data_start)
      : ByteSource(fmt::format("{}: {}", archive.name(), member.name)),
        archive_(archive),
        member_(member),
        next_(data_start),
        packed_left_(member.packed),
        left_(member.size),
        inflater_(Inflater::Wrapping::none) {}

  std::size_t read(char* to, std::size_t size) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, left_));
    if (member_.method == stored)
      read_packed(to, wanted);
    else
      unpack(to, wanted);
    crc_ = crc32_of({to, wanted}, crc_);
    left_ -= wanted;
    if (left_ == 0 && !checked_) check_end();
    return wanted;
  }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  std::size_t read_at(std::uint64_t, char*, std::size_t) override { return 0; }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(damage(archive_.name(), fmt::format("entry {}: {}", quote_text(member_.name), what)));
  }

  void read_packed(char* to, std::size_t size) {
    if (archive_.read_at(next_, to, size) < size)
      throw Error(fmt::format("{}: truncated: it became shorter while it was read", archive_.name()));
    next_ += size;
    packed_left_ -= size;
  }

  void unpack(char* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size)
      if (!step(to, size, done)) damaged(fmt::format("its deflated data do not give {} bytes", member_.size));
  }

  // Whether anything was read or written.
  bool step(char* to, std::size_t size, std::size_t& done) {
    if (used_ == buffer_.size() && packed_left_ > 0) {
      buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(packed_left_, std::size_t{1} << 16)));
      read_packed(buffer_.data(), buffer_.size());
      used_ = 0;
    }
    if (status_ != Inflater::Status::more) return false;
    const auto progress = inflater_.run(buffer_.data() + used_, buffer_.size() - used_, to + done, size - done);
    used_ += progress.read;
    done += progress.written;
    status_ = progress.status;
    return progress.read > 0 || progress.written > 0;
  }

  void check_end() {
    checked_ = true;
    if (member_.method == deflated) {
      char nothing = 0;
      std::size_t none = 0;
      while (status_ == Inflater::Status::more && step(&nothing, 0, none)) {
      }
      if (status_ != Inflater::Status::ended || used_ != buffer_.size() || packed_left_ > 0)
        damaged(fmt::format("its deflated data do not give {} bytes", member_.size));
    }
    if (checksums_matter && crc_ != member_.crc)
      damaged(fmt::format("wrong checksum: {:08x}, and {:08x} was written", crc_, member_.crc));
  }

  ByteSource& archive_;
  ArchiveMember member_;
  std::uint64_t next_, packed_left_, left_;
  Inflater inflater_;
  Inflater::Status status_ = Inflater::Status::more;
  std::string buffer_;
  std::size_t used_ = 0;
  std::uint32_t crc_ = 0;
  bool checked_ = false;
};

}  // namespace

Archive::Archive(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  if (!source_->size()) {
    const std::string name = source_->name();
    source_ = memory_bytes(read_piped_archive(*source_), name);
  }
  file_size_ = *source_->size();
  find_directory();
  read_directory();
  check_overlap();
}

std::unique_ptr<ByteSource> Archive::open(const ArchiveMember& member) const {
  if (is_bomb(member.size, member.packed))
    fail(member, fmt::format("{} bytes are to unpack to {} MB, like a zip bomb; unpack it first if it is meant",
                             member.packed, member.size >> 20));
  return std::make_unique<EntrySource>(*source_, member, data_start(member));
}

void Archive::fail(const std::string& what) const { throw Error(fmt::format("{}: {}", file(), what)); }
void Archive::damaged(const std::string& what) const { throw Error(damage(file(), what)); }
void Archive::fail(const ArchiveMember& member, const std::string& what) const {
  fail(fmt::format("entry {}: {}", quote_text(member.name), what));
}
void Archive::damaged(const ArchiveMember& member, const std::string& what) const {
  damaged(fmt::format("entry {}: {}", quote_text(member.name), what));
}

// Callers have checked that the range lies in the file; it may still have shrunk since.
std::string Archive::bytes_at(std::uint64_t offset, std::uint64_t size) const {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (source_->read_at(offset, bytes.data(), bytes.size()) < bytes.size())
    fail("truncated: it became shorter while it was read");
  return bytes;
}

void Archive::find_directory() {
  const std::uint64_t tail_size = std::min<std::uint64_t>(file_size_, end_size + full16);  // with the longest comment
  const std::uint64_t tail_start = file_size_ - tail_size;
  const std::string tail = bytes_at(tail_start, tail_size);
  std::size_t at = tail.rfind(end_signature);
  // The bytes of a signature may also stand in a comment: only the true record ends where the file ends.
  while (at != std::string::npos &&
         (tail.size() - at < end_size || tail.size() - at - end_size != number_at(tail, at + 20, 2)))
    at = at == 0 ? std::string::npos : tail.rfind(end_signature, at - 1);
  if (at == std::string::npos) {
    const std::string start = bytes_at(0, std::min<std::uint64_t>(file_size_, local_signature.size()));
    if (start == local_signature || start == end_signature)
      fail("a truncated zip archive: it ends without a directory; copy or download it again");
    fail(file_size_ == 0 ? "not a zip archive: the file is empty"
                         : fmt::format("not a zip archive: it starts with {}", quote_text(start)));
  }
  if (number_at(tail, at + 4, 2) % full16 != 0 || number_at(tail, at + 6, 2) % full16 != 0)
    fail("one part of a split zip archive; join the parts into one file");
  if (number_at(tail, at + 8, 2) != number_at(tail, at + 10, 2)) damaged("two counts of its entries");
  count_ = number_at(tail, at + 10, 2);
  directory_bytes_ = number_at(tail, at + 12, 4);
  directory_start_ = number_at(tail, at + 16, 4);
  std::uint64_t directory_end = tail_start + at;
  if (const auto end64 = find_end64(directory_end)) {
    read_end64(*end64);
    directory_end = *end64;
  }
  if (directory_bytes_ > directory_end || directory_start_ != directory_end - directory_bytes_)
    damaged(fmt::format("a directory of {} bytes at {} does not end at {}", directory_bytes_, directory_start_,
                        directory_end));
  if (count_ > directory_bytes_ / directory_size)
    damaged(fmt::format("{} entries in a directory of {} bytes", count_, directory_bytes_));
}

// Where the zip64 end record starts, if there is one.
std::optional<std::uint64_t> Archive::find_end64(std::uint64_t end) const {
  if (end < locator_size + end64_size) return std::nullopt;
  const std::string locator = bytes_at(end - locator_size, locator_size);
  if (!locator.starts_with(locator_signature)) return std::nullopt;
  if (number_at(locator, 4, 4) != 0 || number_at(locator, 16, 4) > 1)
    fail("one part of a split zip archive; join the parts into one file");
  const std::uint64_t start = number_at(locator, 8, 8);
  if (start > end - locator_size - end64_size) damaged("its zip64 directory end lies outside");
  return start;
}

void Archive::read_end64(std::uint64_t start) {
  const std::string end64 = bytes_at(start, end64_size);
  if (!end64.starts_with(end64_signature)) damaged("no zip64 directory end where one should be");
  if (number_at(end64, 16, 4) != 0 || number_at(end64, 20, 4) != 0)
    fail("one part of a split zip archive; join the parts into one file");
  if (number_at(end64, 24, 8) != number_at(end64, 32, 8)) damaged("two counts of its entries");
  const auto replace = [&](std::uint64_t& value, std::uint64_t full, std::uint64_t value64) {
    if (value != full && value != value64) damaged("its two directory ends disagree");
    value = value64;
  };
  replace(count_, full16, number_at(end64, 32, 8));
  replace(directory_bytes_, full32, number_at(end64, 40, 8));
  replace(directory_start_, full32, number_at(end64, 48, 8));
}

void Archive::read_directory() {
  const std::string directory = bytes_at(directory_start_, directory_bytes_);
  members_.reserve(static_cast<std::size_t>(count_));
  std::set<std::string> names;
  std::string_view rest = directory;
  for (std::uint64_t i = 0; i < count_; ++i) {
    if (rest.size() < directory_size || !rest.starts_with(directory_signature))
      damaged(fmt::format("no entry {} of {} in its directory", i + 1, count_));
    ArchiveMember entry;
    entry.flags = number_at(rest, 8, 2);
    entry.method = number_at(rest, 10, 2);
    entry.crc = number_at(rest, 16, 4);
    entry.packed = number_at(rest, 20, 4);
    entry.size = number_at(rest, 24, 4);
    entry.start = number_at(rest, 42, 4);
    const auto name_bytes = static_cast<std::size_t>(number_at(rest, 28, 2)),
               extra_bytes = static_cast<std::size_t>(number_at(rest, 30, 2)),
               comment_bytes = static_cast<std::size_t>(number_at(rest, 32, 2));
    if (rest.size() - directory_size < name_bytes + extra_bytes + comment_bytes)
      damaged(fmt::format("entry {} of {} is longer than its directory", i + 1, count_));
    entry.name = rest.substr(directory_size, name_bytes);
    if (number_at(rest, 34, 2) % full16 != 0) fail(entry, "in another part of a split zip archive; join the parts");
    read_zip64(entry, rest.substr(directory_size + name_bytes, extra_bytes));
    check(entry);
    if (!names.insert(entry.name).second) damaged(entry, "the name occurs twice");
    members_.push_back(std::move(entry));
    rest.remove_prefix(directory_size + name_bytes + extra_bytes + comment_bytes);
  }
  if (!rest.empty()) damaged(fmt::format("{} bytes after the {} entries of its directory", rest.size(), count_));
}

// Replaces the values that did not fit 32 bits by those of the zip64 extra field.
void Archive::read_zip64(ArchiveMember& entry, std::string_view extra) const {
  std::string_view values;
  while (!extra.empty()) {
    if (extra.size() < 4 || extra.size() - 4 < number_at(extra, 2, 2)) damaged(entry, "a broken extra field");
    const auto size = static_cast<std::size_t>(number_at(extra, 2, 2));
    if (number_at(extra, 0, 2) == zip64_field) values = extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.start}) {
    if (*value != full32) continue;
    if (values.size() < 8) damaged(entry, "a size or place of 64 bits is missing");
    *value = number_at(values, 0, 8);
    values.remove_prefix(8);
  }
}

void Archive::check(const ArchiveMember& entry) const {
  if ((entry.flags & encryption_flags) != 0) fail(entry, "encrypted; write the archive without a password");
  if ((entry.flags & patch_flag) != 0) fail(entry, "holds a patch, not data; write the archive with plain entries");
  if (entry.method != stored && entry.method != deflated)
    fail(entry, fmt::format("compression method {}; stored (0) and deflated (8) entries can be read", entry.method));
  if (entry.method == stored && entry.packed != entry.size)
    damaged(entry, fmt::format("{} bytes are stored in {}", entry.size, entry.packed));
  // Deflate needs at least one byte for 1032, so that a wrong size cannot ask for memory beyond that.
  if (entry.method == deflated && entry.size / 1032 > entry.packed)
    damaged(entry, fmt::format("{} bytes cannot have been deflated to {}", entry.size, entry.packed));
  if (entry.start > directory_start_ || directory_start_ - entry.start < local_size ||
      directory_start_ - entry.start - local_size < entry.packed)
    damaged(entry, fmt::format("{} bytes at {} reach beyond the entries' end at {}", entry.packed, entry.start,
                               directory_start_));
}

// Entries that share bytes are damage, or a bomb that unpacks the same bytes again and again.
void Archive::check_overlap() const {
  std::vector<const ArchiveMember*> sorted;
  sorted.reserve(members_.size());
  for (const auto& entry : members_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->start < b->start; });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->start - sorted[i - 1]->start < local_size + sorted[i - 1]->packed)
      damaged(*sorted[i], fmt::format("it overlaps entry {}", quote_text(sorted[i - 1]->name)));
}

// Behind the local header, which must say the same as the directory.
std::uint64_t Archive::data_start(const ArchiveMember& entry) const {
  const std::string header = bytes_at(entry.start, local_size);
  if (!header.starts_with(local_signature)) damaged(entry, fmt::format("no header at {}", entry.start));
  const std::uint64_t name_bytes = number_at(header, 26, 2), extra_bytes = number_at(header, 28, 2);
  if (directory_start_ - entry.start - local_size - entry.packed < name_bytes + extra_bytes)
    damaged(entry, "it reaches beyond the entries' end");
  const std::string name_and_extra = bytes_at(entry.start + local_size, name_bytes + extra_bytes);
  if (name_bytes != entry.name.size() || !name_and_extra.starts_with(entry.name))
    damaged(entry, fmt::format("its header calls it {}",
                               quote_text(std::string_view(name_and_extra).substr(0, std::size_t(name_bytes)))));
  ArchiveMember local = entry;
  local.method = number_at(header, 8, 2);
  if (local.method != entry.method) damaged(entry, "its header names another compression method");
  // Written to a pipe, an entry's checksum and sizes were not known yet and follow the data.
  if ((number_at(header, 6, 2) & sizes_follow_flag) == 0) {
    local.crc = number_at(header, 14, 4);
    local.packed = number_at(header, 18, 4);
    local.size = number_at(header, 22, 4);
    local.start = 0;
    read_zip64(local, std::string_view(name_and_extra).substr(std::size_t(name_bytes)));
    if (local.crc != entry.crc || local.packed != entry.packed || local.size != entry.size)
      damaged(entry, "its header has another checksum or size than the directory");
  }
  return entry.start + local_size + name_bytes + extra_bytes;
}

std::vector<ArchiveEntry> read_archive(std::unique_ptr<ByteSource> source) {
  const Archive archive(std::move(source));
  std::uint64_t packed = 0, size = 0;
  for (const ArchiveMember& member : archive.members()) {
    packed += member.packed;
    size += member.size;
  }
  if (is_bomb(size, packed))
    throw Error(
        fmt::format("{}: {} bytes are to unpack to {} MB, like a zip bomb", archive.file(), packed, size >> 20));
  std::vector<ArchiveEntry> entries;
  entries.reserve(archive.members().size());
  for (const ArchiveMember& member : archive.members()) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    const auto bytes = archive.open(member);
    ArchiveEntry& entry = entries.emplace_back();
    entry.name = member.name;
    std::size_t got = 0;
    do {
      const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(piece, member.size - got));
      entry.bytes.resize(got + room);
      got += bytes->read(entry.bytes.data() + got, room);
    } while (got < member.size);
  }
  return entries;
}

std::vector<ArchiveEntry> read_archive(const std::string& path) { return read_archive(open_bytes(path)); }

}  // namespace wgp
