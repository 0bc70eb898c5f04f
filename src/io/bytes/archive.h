// Zip archives as numpy.load, unzip and Python's zipfile read and write them.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.h"
#include "io/bytes/output_file.h"

namespace wgp {

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline constexpr bool checksums_matter = false;  // so that fuzzers get behind them
#else
inline constexpr bool checksums_matter = true;
#endif

struct ArchiveEntry {
  std::string name;  // UTF-8, folders separated by '/'
  std::string bytes;
};

// Stores the entries without compression, in the given order, with zip64 fields where 32 bits do not suffice. Nothing
// but the entries enters the file (all are dated 1980-01-01), so the same content gives the same bytes. The file
// appears complete or not at all; "-" is standard output. Error for names that are empty, doubled or impossible.
void write_archive(const std::string& path, const std::vector<ArchiveEntry>& entries);
// The same in memory.
std::string archive_bytes(const std::vector<ArchiveEntry>& entries);

// The entries in the order of the archive's directory; stored and deflated ones, each checked against its sizes, its
// bounds and its CRC-32. Throws Error naming the file, the entry and the defect. "-" is standard input.
std::vector<ArchiveEntry> read_archive(const std::string& path);
std::vector<ArchiveEntry> read_archive(std::unique_ptr<ByteSource> source);

// The same entry by entry, for those that are too large for memory.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(const std::string& path) : path_(path), file_(std::make_unique<OutputFile>(path)) {}
  explicit ArchiveWriter(std::string& bytes, const std::string& name)
      : path_(name), file_(std::make_unique<MemorySink>(bytes)) {}
  void add(const std::string& name, std::string_view bytes);
  // The first entry in pieces, while its size is not known: end_first replaces its first bytes, the head, by others of
  // the same number. Needs a file that can be rewritten.
  void begin_first(const std::string& name, std::string_view head);
  void append_first(std::string_view bytes);
  void end_first(std::string_view head);
  void commit();

 private:
  void check_name(const std::string& name);
  void add_to_directory(const std::string& name, std::uint64_t size, std::uint32_t crc);

  std::string path_, directory_, first_name_;
  std::unique_ptr<ByteSink> file_;
  std::set<std::string> names_;
  std::uint64_t offset_ = 0;                       // of the entry that is being written
  std::uint64_t first_size_ = 0, first_head_ = 0;  // bytes behind the head, bytes of the head
  std::uint32_t first_crc_ = 0;                    // of the bytes behind the head
};

// What the directory says of an entry.
struct ArchiveMember {
  std::string name;
  std::uint64_t flags = 0, method = 0, crc = 0;
  std::uint64_t packed = 0, size = 0;  // bytes in the file, bytes of the entry
  std::uint64_t start = 0;             // of the local header
};

class Archive {
 public:
  explicit Archive(std::unique_ptr<ByteSource> source);  // reads the directory
  const std::string& file() const { return source_->name(); }
  const std::vector<ArchiveMember>& members() const { return members_; }
  // The entry's bytes from the start to the end, where sizes and CRC-32 are checked; called "file: entry" in messages.
  // Not to be used after the archive is gone.
  std::unique_ptr<ByteSource> open(const ArchiveMember& member) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void damaged(const std::string& what) const;
  [[noreturn]] void fail(const ArchiveMember& member, const std::string& what) const;
  [[noreturn]] void damaged(const ArchiveMember& member, const std::string& what) const;
  std::string bytes_at(std::uint64_t offset, std::uint64_t size) const;
  void find_directory();
  std::optional<std::uint64_t> find_end64(std::uint64_t end) const;
  void read_end64(std::uint64_t start);
  void read_directory();
  void read_zip64(ArchiveMember& member, std::string_view extra) const;
  void check(const ArchiveMember& member) const;
  void check_overlap() const;
  std::uint64_t data_start(const ArchiveMember& member) const;

  std::unique_ptr<ByteSource> source_;
  std::uint64_t file_size_ = 0;
  std::uint64_t count_ = 0, directory_start_ = 0, directory_bytes_ = 0;
  std::vector<ArchiveMember> members_;
};

}  // namespace wgp
