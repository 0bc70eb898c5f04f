// Zip archives of entries held in memory, as numpy.load, unzip and Python's zipfile read and write them.
#pragma once

#include <string>
#include <vector>

namespace wgp {

struct ArchiveEntry {
  std::string name;  // UTF-8, folders separated by '/'
  std::string bytes;
};

// Stores the entries without compression, in the given order, with zip64 fields where 32 bits do not suffice. Nothing
// but the entries enters the file (all are dated 1980-01-01), so the same content gives the same bytes. The file
// appears complete or not at all; "-" is standard output. Error for names that are empty, doubled or impossible.
void write_archive(const std::string& path, const std::vector<ArchiveEntry>& entries);

// The entries in the order of the archive's directory; stored and deflated ones, each checked against its sizes, its
// bounds and its CRC-32. Throws Error naming the file, the entry and the defect. "-" is standard input.
std::vector<ArchiveEntry> read_archive(const std::string& path);

}  // namespace wgp
