#include "cli/output/standard_error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>
#include <new>

namespace wgp::cli {

namespace {

std::mutex mutex;
std::string* held_back = nullptr;

}  // namespace

void hold_back_standard_error(std::string* words) noexcept {
  const std::lock_guard lock(mutex);
  held_back = words;
}

void write_to_standard_error(std::string_view text) noexcept {
  const std::lock_guard lock(mutex);
  if (held_back) try {
      held_back->append(text);
      return;
    } catch (const std::bad_alloc&) {  // no memory: better said twice than not at all
    }
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
