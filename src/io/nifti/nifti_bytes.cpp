#include "io/nifti/nifti_bytes.h"

#include <unistd.h>
#include "core/format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/bytes/gzip_source.h"
#include "wgp/types.h"

namespace wgp {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20;
constexpr std::uint64_t largest_in_memory = std::uint64_t{1} << 27;
constexpr std::uint64_t largest_ratio = 1032;  // what deflate can reach

// The two bytes that a pipe was asked for, then the pipe.
class RejoinedSource final : public ByteSource {
 public:
  RejoinedSource(std::string first, std::unique_ptr<ByteSource> rest)
      : ByteSource(rest->name()), first_(std::move(first)), rest_(std::move(rest)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = first_.copy(to, size);
    first_.erase(0, got);
    return got == size ? got : got + rest_->read(to + got, size - got);
  }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  std::size_t read_at(std::uint64_t, char*, std::size_t) override { return 0; }

 private:
  std::string first_;
  std::unique_ptr<ByteSource> rest_;
};

}  // namespace

NiftiBytes::NiftiBytes(std::unique_ptr<ByteSource> source) : name_(source->name()), source_(std::move(source)) {
  std::string first(2, '\0');
  const auto size = source_->size();
  first.resize(size ? source_->read_at(0, first.data(), 2) : source_->read(first.data(), 2));
  if (first.empty()) throw Error(fmt::format("{}: is empty", name_));
  if (!size) source_ = std::make_unique<RejoinedSource>(first, std::move(source_));
  if (first == gzip_magic) {
    packed_ = true;
    packed_size_ = size;
    source_ = std::make_unique<GzipSource>(std::move(source_));
  } else {
    sized_ = size.has_value();
  }
}

NiftiBytes::~NiftiBytes() = default;

std::unique_ptr<ByteSource> NiftiBytes::rest(std::uint64_t offset) {
  // One of a known size has been read at its beginning only.
  if (sized_) {
    std::string first(static_cast<std::size_t>(offset), '\0');
    source_->read(first.data(), first.size());
    return std::make_unique<RejoinedSource>("", std::move(source_));
  }
  return std::make_unique<RejoinedSource>(head_.substr(std::min<std::size_t>(offset, head_.size())),
                                          std::move(source_));
}

std::string NiftiBytes::head(std::size_t size) {
  if (sized_) {
    std::string bytes(size, '\0');
    bytes.resize(source_->read_at(0, bytes.data(), size));
    return bytes;
  }
  if (const std::size_t have = head_.size(); have < size) {
    head_.resize(size);
    head_.resize(have + source_->read(head_.data() + have, size - have));
  }
  return head_.substr(0, size);
}

void NiftiBytes::truncated(std::uint64_t total, std::uint64_t found) const {
  throw Error(fmt::format("{}: truncated: its header promises {} bytes, there are {}", name_, total, found));
}

bool NiftiBytes::hold(std::uint64_t total) {
  if (sized_) {
    if (*source_->size() < total) truncated(total, *source_->size());
    return *source_->size() > total;
  }
  if (packed_size_ && total / largest_ratio > *packed_size_ + 1)
    throw Error(fmt::format("{}: truncated: its header promises {} bytes, which {} packed bytes cannot hold", name_,
                            total, *packed_size_));
  if (total > largest_in_memory) {
    file_.reset(std::tmpfile());
    if (file_ == nullptr)
      throw Error(fmt::format("{}: cannot be unpacked into a temporary file: {}", name_, std::strerror(errno)));
  } else {
    memory_.reserve(total);
  }
  std::uint64_t done = std::min<std::uint64_t>(head_.size(), total);
  keep(head_.data(), done);
  bool longer = head_.size() > total;
  std::string buffer(piece, '\0');
  while (done < total) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece, total - done));
    const std::size_t got = source_->read(buffer.data(), wanted);
    keep(buffer.data(), got);
    done += got;
    if (got < wanted) truncated(total, done);
  }
  // Asking for one more byte also makes zlib compare the sum at the end.
  const std::size_t more = source_->read(buffer.data(), 1);
  longer = longer || more != 0;
  for (std::uint64_t passed = 0; packed_ && more != 0 && passed < most_piped_bytes; passed += piece)
    if (source_->read(buffer.data(), piece) < piece) break;
  if (file_ != nullptr && std::fflush(file_.get()) != 0)
    throw Error(fmt::format("{}: cannot be unpacked into a temporary file: {}", name_, std::strerror(errno)));
  source_.reset();
  return longer;
}

void NiftiBytes::keep(const char* bytes, std::size_t size) {
  if (file_ == nullptr)
    memory_.append(bytes, size);
  else if (std::fwrite(bytes, 1, size, file_.get()) != size)
    throw Error(fmt::format("{}: cannot be unpacked into a temporary file: {}", name_, std::strerror(errno)));
}

void NiftiBytes::read_at(std::uint64_t offset, char* to, std::size_t size) {
  std::size_t done = 0;
  if (sized_) {
    done = source_->read_at(offset, to, size);
  } else if (file_ == nullptr) {
    done = offset < memory_.size() ? memory_.copy(to, size, offset) : 0;
  } else {
    while (done < size) {
      const ssize_t got = pread(fileno(file_.get()), to + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
  }
  if (done < size) throw Error(fmt::format("{}: cannot be read: it became shorter meanwhile", name_));
}

}  // namespace wgp
