#include "core/column_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/format.h"
#include "wgp/types.h"

namespace wgp {
namespace {

// A whole transfer by a system call that may do a part of it.
template <class Transfer>
bool transferred(std::size_t bytes, const Transfer& transfer) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t now = transfer(done);
    if (now < 0 && errno == EINTR) continue;
    if (now == 0) errno = EIO;
    if (now <= 0) return false;
    done += static_cast<std::size_t>(now);
  }
  return true;
}

}  // namespace

ColumnFile::ColumnFile(Index rows) : rows_(rows) {
  const char* folder = std::getenv("TMPDIR");
  folder_ = folder && *folder ? folder : "/tmp";
  std::string path = folder_ + "/wgp-XXXXXX";
  file_ = mkstemp(path.data());
  if (file_ < 0) fail("made");
  unlink(path.c_str());
}

ColumnFile::~ColumnFile() {
  if (file_ >= 0) close(file_);
}

void ColumnFile::fail(const char* what) const {
  throw Error(fmt::format("a temporary file in {} cannot be {}: {}; TMPDIR names another folder", folder_, what,
                          std::strerror(errno)));
}

void ColumnFile::read(Index first, MatrixRef into) const {
  const auto column = static_cast<std::size_t>(rows_) * sizeof(double);
  const auto from = static_cast<off_t>(static_cast<std::size_t>(first) * column);
  const auto take = [&](double* to, std::size_t bytes, off_t at) {
    if (!transferred(bytes, [&](std::size_t done) {
          return pread(file_, reinterpret_cast<char*>(to) + done, bytes - done, at + static_cast<off_t>(done));
        }))
      fail("read");
  };
  if (into.outerStride() == rows_) return take(into.data(), static_cast<std::size_t>(into.cols()) * column, from);
  for (Index i = 0; i < into.cols(); ++i)
    take(into.col(i).data(), column, from + static_cast<off_t>(static_cast<std::size_t>(i) * column));
}

void ColumnFile::append(ConstMatrixRef columns) {
  write(count_, columns);
  count_ += columns.cols();
}

void ColumnFile::resize(Index count) {
  if (ftruncate(file_, static_cast<off_t>(count * rows_) * static_cast<off_t>(sizeof(double))) != 0) fail("written");
  count_ = count;
}

void ColumnFile::write(Index first, ConstMatrixRef columns) {
  const Matrix dense = columns;
  const auto bytes = static_cast<std::size_t>(dense.size()) * sizeof(double);
  const auto at = static_cast<off_t>(static_cast<std::size_t>(first * rows_) * sizeof(double));
  if (!transferred(bytes, [&](std::size_t done) {
        return pwrite(file_, reinterpret_cast<const char*>(dense.data()) + done, bytes - done,
                      at + static_cast<off_t>(done));
      }))
    fail("written");
}

}  // namespace wgp
