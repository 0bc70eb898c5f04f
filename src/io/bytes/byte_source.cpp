#include "io/bytes/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "wgp/types.h"

namespace wgp {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(const std::string& name, int descriptor) : ByteSource(name), descriptor_(descriptor) {
    struct stat info {};
    if (fstat(descriptor_, &info) != 0) fail();
    if (S_ISDIR(info.st_mode)) {
      close_file();
      throw Error(fmt::format("{}: is a directory; give a file in it", name));
    }
    if (S_ISREG(info.st_mode) && lseek(descriptor_, 0, SEEK_CUR) == 0) size_ = static_cast<std::uint64_t>(info.st_size);
  }
  ~FileSource() override { close_file(); }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(descriptor_, to + done, size - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail();
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  std::optional<std::uint64_t> size() const override { return size_; }

  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = pread(descriptor_, to + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail();
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  [[noreturn]] void fail() const { throw Error(fmt::format("{}: cannot be read: {}", name(), std::strerror(errno))); }
  void close_file() {
    if (descriptor_ > STDERR_FILENO) close(descriptor_);
  }

  int descriptor_;
  std::optional<std::uint64_t> size_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string bytes, const std::string& name) : ByteSource(name), bytes_(std::move(bytes)) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = read_at(position_, to, size);
    position_ += got;
    return got;
  }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) override {
    if (offset >= bytes_.size()) return 0;
    return bytes_.copy(to, size, offset);
  }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  if (path == "-") return std::make_unique<FileSource>("standard input", STDIN_FILENO);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) throw Error(fmt::format("{}: no such file", path));
    throw Error(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  }
  return std::make_unique<FileSource>(path, descriptor);
}

std::unique_ptr<ByteSource> memory_bytes(std::string bytes, const std::string& name) {
  return std::make_unique<MemorySource>(std::move(bytes), name);
}

}  // namespace wgp
