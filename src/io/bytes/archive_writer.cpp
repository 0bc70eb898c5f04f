#include "core/format.h"

#include <algorithm>

#include "io/bytes/archive.h"
#include "io/bytes/archive_format.h"
#include "io/bytes/crc32.h"
#include "io/bytes/number.h"
#include "wgp/types.h"

namespace wgp {
namespace {

using namespace zip;

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
std::string common_fields(const std::string& name, std::uint64_t size, std::uint32_t crc, const std::string& extra) {
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return (c & 0x80) == 0; });
  return Record()
      .u16(extra.empty() ? plain_version : zip64_version)
      .u16(ascii ? 0 : utf8_flag)
      .u16(stored)
      .u16(midnight)
      .u16(first_day)
      .u32(crc)
      .u32(std::min(size, full32))
      .u32(std::min(size, full32))
      .u16(name.size())
      .u16(extra.size())
      .bytes();
}

std::string local_header(const std::string& name, std::uint64_t size, std::uint32_t crc) {
  const std::string extra = zip64_extra({size, size});
  return Record(local_signature).text(common_fields(name, size, crc, extra)).text(name).text(extra).bytes();
}

// With zip64 fields whatever the size is, so that the header of a small and of a large entry have the same length.
std::string roomy_local_header(const std::string& name, std::uint64_t size, std::uint32_t crc) {
  const std::string extra = Record().u16(zip64_field).u16(16).u64(size).u64(size).bytes();
  return Record(local_signature).text(common_fields(name, full32, crc, extra)).text(name).text(extra).bytes();
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

}  // namespace

void ArchiveWriter::check_name(const std::string& name) {
  if (name.empty()) throw Error(fmt::format("{}: an archive entry without a name; give it one", path_));
  if (name.size() > full16)
    throw Error(fmt::format("{}: entry {}: a name of {} bytes; an archive's names have at most {}", path_,
                            quote_text(name), name.size(), full16));
  if (name.find('\0') != std::string::npos)
    throw Error(fmt::format("{}: entry {}: a zero byte in the name; names are text", path_, quote_text(name)));
  if (!names_.insert(name).second)
    throw Error(fmt::format("{}: two entries are called {}; names must differ", path_, quote_text(name)));
}

void ArchiveWriter::add_to_directory(const std::string& name, std::uint64_t size, std::uint32_t crc) {
  const std::string extra = zip64_extra({size, size, offset_});
  directory_ += Record(directory_signature)
                    .u16(made_on_unix | (extra.empty() ? plain_version : zip64_version))
                    .text(common_fields(name, size, crc, extra))
                    .u16(0)  // comment
                    .u16(0)  // disk
                    .u16(0)  // internal attributes
                    .u32(readable_file)
                    .u32(std::min(offset_, full32))
                    .text(name)
                    .text(extra)
                    .bytes();
}

void ArchiveWriter::add(const std::string& name, std::string_view bytes) {
  check_name(name);
  const std::uint32_t crc = crc32_of(bytes);
  const std::string header = local_header(name, bytes.size(), crc);
  add_to_directory(name, bytes.size(), crc);
  file_->write(header);
  file_->write(bytes);
  offset_ += header.size() + bytes.size();
}

void ArchiveWriter::begin_first(const std::string& name, std::string_view head) {
  check_name(name);
  if (!file_->is_seekable()) throw Error(fmt::format("{}: NPZ is written to files only", path_));
  first_name_ = name;
  first_head_ = head.size();
  file_->write(roomy_local_header(name, 0, 0));
  file_->write(head);
}

void ArchiveWriter::append_first(std::string_view bytes) {
  first_crc_ = crc32_of(bytes, first_crc_);
  first_size_ += bytes.size();
  file_->write(bytes);
}

void ArchiveWriter::end_first(std::string_view head) {
  if (head.size() != first_head_) throw Error(fmt::format("{}: the head of an entry changed its length", path_));
  const std::uint64_t size = first_head_ + first_size_;
  const std::uint32_t crc = crc32_of_both(crc32_of(head), first_crc_, first_size_);
  const std::string header = roomy_local_header(first_name_, size, crc);
  add_to_directory(first_name_, size, crc);
  file_->rewrite_start(header + std::string(head));
  offset_ += header.size() + size;
}

void ArchiveWriter::commit() {
  file_->write(directory_);
  file_->write(end_records(names_.size(), offset_, offset_ + directory_.size()));
  file_->commit();
}

std::string archive_bytes(const std::vector<ArchiveEntry>& entries) {
  std::string bytes;
  ArchiveWriter writer(bytes, "an archive in memory");
  for (const auto& entry : entries) writer.add(entry.name, entry.bytes);
  writer.commit();
  return bytes;
}

void write_archive(const std::string& path, const std::vector<ArchiveEntry>& entries) {
  ArchiveWriter writer(path);
  for (const auto& entry : entries) writer.add(entry.name, entry.bytes);
  writer.commit();
}

}  // namespace wgp
