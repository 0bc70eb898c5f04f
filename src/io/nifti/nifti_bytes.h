// The bytes of an image, unpacked and readable anywhere. Images have their channels one behind the other, so a voxel's
// numbers stand far apart; a packed file (.nii.gz) or a pipe must be gone through before the first voxel is known.
//
// Plain files are read where they are. Packed images and pipes are held: in memory up to 128 MB, larger ones in an
// anonymous temporary file, so that an image of any size needs little memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "io/bytes/byte_source.h"

namespace wgp {

class NiftiBytes {
 public:
  explicit NiftiBytes(std::unique_ptr<ByteSource> source);
  ~NiftiBytes();
  const std::string& name() const { return name_; }

  // The file's first bytes, or all that it has.
  std::string head(std::size_t size);
  // Promises that the file has `total` bytes, of which none is damaged as far as gzip can tell; an Error if not.
  // Whether there are more behind them, which are passed over. Called once, after head().
  bool hold(std::uint64_t total);
  // The bytes from here on, as a source of their own; nothing is left here. Instead of hold(), after head() has been
  // asked for more than that.
  std::unique_ptr<ByteSource> rest(std::uint64_t offset);
  std::optional<std::uint64_t> size() const { return sized_ ? source_->size() : std::nullopt; }
  // After hold().
  void read_at(std::uint64_t offset, char* to, std::size_t size);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void truncated(std::uint64_t total, std::uint64_t found) const;
  void keep(const char* bytes, std::size_t size);

  std::string name_;
  std::unique_ptr<ByteSource> source_;        // sized: read_at it; else what follows head_
  std::optional<std::uint64_t> packed_size_;  // where the file is packed and its size known
  bool sized_ = false, packed_ = false;
  std::string head_, memory_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace wgp
