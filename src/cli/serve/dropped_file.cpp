#include "cli/serve/dropped_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/format.h"
#include "wgp/types.h"

namespace wgp::cli {
namespace {

// Where a signal handler can read it.
std::atomic<bool> is_there{false};
char its_folder[PATH_MAX], its_path[PATH_MAX];

// Without folders, without what a shell or a person would stumble over, and no longer than a name may be.
std::string plain_name(const std::string& given) {
  constexpr std::size_t longest = 120;
  std::string name = given.substr(given.find_last_of("/\\") + 1);
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '_';
  if (name.size() > longest) name = name.substr(name.size() - longest);  // the ending says what it is
  const std::size_t dots = name.find_first_not_of('.');
  return dots == std::string::npos ? "file" : name.substr(dots);
}

}  // namespace

void remove_dropped_file() noexcept {
  if (!is_there.exchange(false)) return;
  unlink(its_path);
  rmdir(its_folder);
}

DroppedFile::DroppedFile(const std::string& name, const std::string& bytes) {
  folder_ = (std::filesystem::temp_directory_path() / "wgp-explore-XXXXXX").string();
  path_ = folder_ + "/" + plain_name(name);
  if (path_.size() >= PATH_MAX) throw Error("the name of the temporary folder is too long");
  if (mkdtemp(folder_.data()) == nullptr)
    throw Error(fmt::format("no temporary folder for the file: {}", std::strerror(errno)));
  path_.replace(0, folder_.size(), folder_);
  std::strcpy(its_folder, folder_.c_str());
  std::strcpy(its_path, path_.c_str());
  is_there = true;
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  std::size_t done = 0;
  while (file >= 0 && done < bytes.size()) {
    const ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const int failed = errno;
  if (file >= 0) close(file);
  if (file >= 0 && done == bytes.size()) return;
  remove_dropped_file();
  throw Error(fmt::format("no room for the file among temporary files (TMPDIR): {}", std::strerror(failed)));
}

DroppedFile::~DroppedFile() { remove_dropped_file(); }

std::string DroppedFile::without_folder(std::string message) const {
  const std::string folder = folder_ + "/";
  for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder, at))
    message.erase(at, folder.size());
  return message;
}

}  // namespace wgp::cli
