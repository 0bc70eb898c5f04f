// Files compressed with gzip, unpacked as they are read.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/bytes/byte_source.h"
#include "io/bytes/inflater.h"

namespace wgp {

inline constexpr std::string_view gzip_magic = "\x1f\x8b";

// Several members one after the other are one file, as for gzip itself. The result can be read once, from the start to
// the end; a truncated file, a wrong checksum or bytes that are no gzip data are Errors where they are reached, and so
// are bombs.
class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed);
  std::size_t read(char* to, std::size_t size) override;
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  std::size_t read_at(std::uint64_t, char*, std::size_t) override { return 0; }

  // An image may start with long runs of zeros, so that much of it must pass before it is called a bomb; long tables of
  // text do not.
  enum class Content { any, text };
  void expect(Content content) { content_ = content; }

 private:
  void refill();
  void check_repetition() const;

  std::unique_ptr<ByteSource> packed_;
  Inflater inflater_;
  Content content_ = Content::any;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t packed_count_ = 0, count_ = 0;  // bytes read and unpacked so far
  bool between_members_ = false, at_end_ = false;
};

}  // namespace wgp
