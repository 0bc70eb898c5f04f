// Where readers get their bytes: a file, standard input or memory. Errors name the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace wgp {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  const std::string& name() const { return name_; }

  // Fills up to `size` bytes; fewer only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // Regular files and memory only: the total size, and reading anywhere without moving.
  virtual std::optional<std::uint64_t> size() const = 0;
  virtual std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) = 0;

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

// "-" is standard input.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
// What readers hold at most of a source that does not say its size: a device or a pipe without end would come to that.
inline constexpr std::uint64_t most_piped_bytes = std::uint64_t{1} << 30;
std::unique_ptr<ByteSource> memory_bytes(std::string bytes, const std::string& name);

}  // namespace wgp
