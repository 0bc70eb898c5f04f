#include "cli/output/standard_error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>

namespace wgp::cli {

void write_to_standard_error(std::string_view text) noexcept {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  // A reader that has gone away is the reader's affair; the same on standard output ends the program, as it should.
  void (*const before)(int) = std::signal(SIGPIPE, SIG_IGN);
  while (!text.empty()) {
    const ssize_t count = write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  std::signal(SIGPIPE, before);
}

void open_standard_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

}  // namespace wgp::cli
