// Reference: PKWARE's APPNOTE.TXT, sections 4.3 to 4.5. An archive is
//   (local header, name, extra fields, data) per entry, directory, [zip64 end record, zip64 locator,] end record
// and is read from its end: the end record finds the directory, the directory finds the entries.
#include "io/archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "io/byte_source.h"
#include "io/number.h"
#include "io/output_file.h"
#include "wgp/types.h"

namespace wgp {
namespace {

constexpr std::string_view local_signature = "PK\x03\x04", directory_signature = "PK\x01\x02",
                           end_signature = "PK\x05\x06", end64_signature = "PK\x06\x06",
                           locator_signature = "PK\x06\x07";
constexpr std::size_t local_size = 30, directory_size = 46, end_size = 22, end64_size = 56, locator_size = 20;

// A field with all bits set says that the value stands in a zip64 record.
constexpr std::uint64_t full16 = 0xffff, full32 = 0xffffffff;
constexpr std::uint64_t zip64_field = 1;
constexpr std::uint64_t stored = 0, deflated = 8;
constexpr std::uint64_t utf8_flag = 0x0800, sizes_follow_flag = 0x0008;
constexpr std::uint64_t encryption_flags = 0x2041, patch_flag = 0x0020;
constexpr std::uint64_t plain_version = 20, zip64_version = 45;
constexpr std::uint64_t made_on_unix = 3 << 8;
constexpr std::uint64_t readable_file = std::uint64_t{0100644} << 16;  // -rw-r--r--, where Unix keeps the mode
constexpr std::uint64_t midnight = 0, first_day = 1 << 5 | 1;          // 1980-01-01

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// ---- writing

// Little-endian fields one after the other.
class Record {
 public:
  explicit Record(std::string_view signature) : bytes_(signature) {}
  Record() = default;
  Record& u16(std::uint64_t value) { return number(value, 2); }
  Record& u32(std::uint64_t value) { return number(value, 4); }
  Record& u64(std::uint64_t value) { return number(value, 8); }
  Record& text(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

// The extra field for those of the values that do not fit 32 bits, in the order that the format prescribes.
std::string zip64_extra(std::initializer_list<std::uint64_t> values) {
  Record large;
  for (const std::uint64_t value : values)
    if (value >= full32) large.u64(value);
  if (large.bytes().empty()) return {};
  return Record().u16(zip64_field).u16(large.bytes().size()).text(large.bytes()).bytes();
}

// What the local header and the directory say alike, from the needed version to the length of the extra fields.
std::string common_fields(const ArchiveEntry& entry, std::uint32_t crc, const std::string& extra) {
  const bool ascii = std::all_of(entry.name.begin(), entry.name.end(), [](char c) { return (c & 0x80) == 0; });
  const std::uint64_t size = std::min<std::uint64_t>(entry.bytes.size(), full32);
  return Record()
      .u16(extra.empty() ? plain_version : zip64_version)
      .u16(ascii ? 0 : utf8_flag)
      .u16(stored)
      .u16(midnight)
      .u16(first_day)
      .u32(crc)
      .u32(size)
      .u32(size)
      .u16(entry.name.size())
      .u16(extra.size())
      .bytes();
}

std::string end_records(std::uint64_t count, std::uint64_t directory_start, std::uint64_t directory_end) {
  const std::uint64_t directory_bytes = directory_end - directory_start;
  Record end;
  if (count >= full16 || directory_bytes >= full32 || directory_start >= full32) {
    end.text(end64_signature).u64(end64_size - 12).u16(made_on_unix | zip64_version).u16(zip64_version);
    end.u32(0).u32(0).u64(count).u64(count).u64(directory_bytes).u64(directory_start);
    end.text(locator_signature).u32(0).u64(directory_end).u32(1);
  }
  end.text(end_signature).u16(0).u16(0).u16(std::min(count, full16)).u16(std::min(count, full16));
  end.u32(std::min(directory_bytes, full32)).u32(std::min(directory_start, full32)).u16(0);
  return end.bytes();
}

void check_names(const std::string& path, const std::vector<ArchiveEntry>& entries) {
  std::set<std::string_view> names;
  for (const auto& entry : entries) {
    if (entry.name.empty()) throw Error(fmt::format("{}: an archive entry without a name; give it one", path));
    if (entry.name.size() > full16)
      throw Error(fmt::format("{}: entry {}: a name of {} bytes; an archive's names have at most {}", path,
                              quote_text(entry.name), entry.name.size(), full16));
    if (entry.name.find('\0') != std::string::npos)
      throw Error(fmt::format("{}: entry {}: a zero byte in the name; names are text", path, quote_text(entry.name)));
    if (!names.insert(entry.name).second)
      throw Error(fmt::format("{}: two entries are called {}; names must differ", path, quote_text(entry.name)));
  }
}

// ---- reading

// What the directory, or a local header, says of an entry.
struct Description {
  std::string name;
  std::uint64_t flags = 0, method = 0, crc = 0;
  std::uint64_t packed = 0, size = 0;  // bytes in the file, bytes of the entry
  std::uint64_t start = 0;             // of the local header
};

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

class ArchiveReader {
 public:
  explicit ArchiveReader(const std::string& path) : source_(open_bytes(path)) {
    if (!source_->size()) hold_in_memory();
    file_size_ = *source_->size();
  }

  std::vector<ArchiveEntry> read() {
    find_directory();
    const std::vector<Description> descriptions = read_directory();
    check_overlap(descriptions);
    std::vector<ArchiveEntry> entries;
    entries.reserve(descriptions.size());
    for (const auto& description : descriptions) entries.push_back({description.name, entry_bytes(description)});
    return entries;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", source_->name(), what)); }
  [[noreturn]] void damaged(const std::string& what) const {
    fail(fmt::format("a damaged zip archive: {}; copy or download it again", what));
  }
  [[noreturn]] void fail(const Description& entry, const std::string& what) const {
    fail(fmt::format("entry {}: {}", quote_text(entry.name), what));
  }
  [[noreturn]] void damaged(const Description& entry, const std::string& what) const {
    damaged(fmt::format("entry {}: {}", quote_text(entry.name), what));
  }

  // The end of a zip archive must be read first, and a pipe has no end to go to.
  void hold_in_memory() {
    std::string bytes, piece(std::size_t{1} << 20, '\0');
    while (const std::size_t got = source_->read(piece.data(), piece.size())) bytes.append(piece, 0, got);
    source_ = memory_bytes(std::move(bytes), source_->name());
  }

  // Callers have checked that the range lies in the file; it may still have shrunk since.
  std::string bytes_at(std::uint64_t offset, std::uint64_t size) const {
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (source_->read_at(offset, bytes.data(), bytes.size()) < bytes.size())
      fail("truncated: it became shorter while it was read");
    return bytes;
  }

  void find_directory() {
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
  std::optional<std::uint64_t> find_end64(std::uint64_t end) const {
    if (end < locator_size + end64_size) return std::nullopt;
    const std::string locator = bytes_at(end - locator_size, locator_size);
    if (!locator.starts_with(locator_signature)) return std::nullopt;
    if (number_at(locator, 4, 4) != 0 || number_at(locator, 16, 4) > 1)
      fail("one part of a split zip archive; join the parts into one file");
    const std::uint64_t start = number_at(locator, 8, 8);
    if (start > end - locator_size - end64_size) damaged("its zip64 directory end lies outside");
    return start;
  }

  void read_end64(std::uint64_t start) {
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

  std::vector<Description> read_directory() const {
    const std::string directory = bytes_at(directory_start_, directory_bytes_);
    std::vector<Description> entries;
    entries.reserve(static_cast<std::size_t>(count_));
    std::set<std::string> names;
    std::string_view rest = directory;
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (rest.size() < directory_size || !rest.starts_with(directory_signature))
        damaged(fmt::format("no entry {} of {} in its directory", i + 1, count_));
      Description entry;
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
      entries.push_back(std::move(entry));
      rest.remove_prefix(directory_size + name_bytes + extra_bytes + comment_bytes);
    }
    if (!rest.empty()) damaged(fmt::format("{} bytes after the {} entries of its directory", rest.size(), count_));
    return entries;
  }

  // Replaces the values that did not fit 32 bits by those of the zip64 extra field.
  void read_zip64(Description& entry, std::string_view extra) const {
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

  void check(const Description& entry) const {
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
  void check_overlap(const std::vector<Description>& entries) const {
    std::vector<const Description*> sorted;
    sorted.reserve(entries.size());
    for (const auto& entry : entries) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->start < b->start; });
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i]->start - sorted[i - 1]->start < local_size + sorted[i - 1]->packed)
        damaged(*sorted[i], fmt::format("it overlaps entry {}", quote_text(sorted[i - 1]->name)));
  }

  std::string entry_bytes(const Description& entry) const {
    std::string bytes = bytes_at(data_start(entry), entry.packed);
    if (entry.method == deflated) bytes = inflated(entry, bytes);
    const std::uint32_t crc = checksum(bytes);
    if (crc != entry.crc) damaged(entry, fmt::format("wrong checksum: {:08x}, and {:08x} was written", crc, entry.crc));
    return bytes;
  }

  // Behind the local header, which must say the same as the directory.
  std::uint64_t data_start(const Description& entry) const {
    const std::string header = bytes_at(entry.start, local_size);
    if (!header.starts_with(local_signature)) damaged(entry, fmt::format("no header at {}", entry.start));
    const std::uint64_t name_bytes = number_at(header, 26, 2), extra_bytes = number_at(header, 28, 2);
    if (directory_start_ - entry.start - local_size - entry.packed < name_bytes + extra_bytes)
      damaged(entry, "it reaches beyond the entries' end");
    const std::string name_and_extra = bytes_at(entry.start + local_size, name_bytes + extra_bytes);
    if (name_bytes != entry.name.size() || !name_and_extra.starts_with(entry.name))
      damaged(entry, fmt::format("its header calls it {}",
                                 quote_text(std::string_view(name_and_extra).substr(0, std::size_t(name_bytes)))));
    Description local = entry;
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

  std::string inflated(const Description& entry, const std::string& packed) const {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();  // zlib counts in 32 bits
    std::string bytes(static_cast<std::size_t>(entry.size), '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail(entry, "cannot be inflated: out of memory");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
    std::size_t read = 0, written = 0;
    Bytef nothing = 0;  // zlib wants a place even for no bytes
    int status = Z_OK;
    while (status == Z_OK) {
      const std::size_t in = std::min(most, packed.size() - read), out = std::min(most, bytes.size() - written);
      stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(packed.data()) + read);
      stream.avail_in = static_cast<uInt>(in);
      stream.next_out = out > 0 ? reinterpret_cast<Bytef*>(bytes.data()) + written : &nothing;
      stream.avail_out = static_cast<uInt>(out);
      status = inflate(&stream, Z_NO_FLUSH);  // Z_BUF_ERROR when nothing more can be read or written
      read += in - stream.avail_in;
      written += out - stream.avail_out;
    }
    if (status == Z_MEM_ERROR) fail(entry, "cannot be inflated: out of memory");
    if (status != Z_STREAM_END || read != packed.size() || written != bytes.size())
      damaged(entry, fmt::format("its deflated data do not give {} bytes", entry.size));
    return bytes;
  }

  std::unique_ptr<ByteSource> source_;
  std::uint64_t file_size_ = 0;
  std::uint64_t count_ = 0, directory_start_ = 0, directory_bytes_ = 0;
};

}  // namespace

void write_archive(const std::string& path, const std::vector<ArchiveEntry>& entries) {
  check_names(path, entries);
  OutputFile file(path);
  std::string directory;
  std::uint64_t offset = 0;
  for (const auto& entry : entries) {
    const std::uint64_t size = entry.bytes.size();
    const std::uint32_t crc = checksum(entry.bytes);
    const std::string local_extra = zip64_extra({size, size}), extra = zip64_extra({size, size, offset});
    directory += Record(directory_signature)
                     .u16(made_on_unix | (extra.empty() ? plain_version : zip64_version))
                     .text(common_fields(entry, crc, extra))
                     .u16(0)  // comment
                     .u16(0)  // disk
                     .u16(0)  // internal attributes
                     .u32(readable_file)
                     .u32(std::min(offset, full32))
                     .text(entry.name)
                     .text(extra)
                     .bytes();
    const std::string header =
        Record(local_signature).text(common_fields(entry, crc, local_extra)).text(entry.name).text(local_extra).bytes();
    file.write(header);
    file.write(entry.bytes);
    offset += header.size() + size;
  }
  file.write(directory);
  file.write(end_records(entries.size(), offset, offset + directory.size()));
  file.commit();
}

std::vector<ArchiveEntry> read_archive(const std::string& path) { return ArchiveReader(path).read(); }

}  // namespace wgp
