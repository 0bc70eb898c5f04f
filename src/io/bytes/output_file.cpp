#include "io/bytes/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/format.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "wgp/io.h"

namespace wgp {
namespace {

constexpr std::size_t largest_held = std::size_t{1} << 23;

// Names of unfinished temporary files, where a signal handler can read them.
struct Slot {
  std::atomic<bool> used{false}, ready{false};
  char name[PATH_MAX] = {};
};
std::array<Slot, 8> slots;

int claim_slot(const std::string& name) {
  if (name.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    bool free = false;
    if (!slots[i].used.compare_exchange_strong(free, true)) continue;
    std::memcpy(slots[i].name, name.c_str(), name.size() + 1);
    slots[i].ready = true;
    return static_cast<int>(i);
  }
  return -1;
}

void release_slot(int slot) {
  if (slot < 0) return;
  auto& entry = slots[static_cast<std::size_t>(slot)];
  entry.ready = false;
  entry.used = false;
}

// "" or with a slash at its end.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

constexpr int most_attempts = 100;

// Whoever is writing a temporary file holds a lock on it; one without was left by a process that was killed.
void remove_if_left_behind(const std::string& name) {
  const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return;
  struct stat held {
  }, named{};
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &held) == 0 && lstat(name.c_str(), &named) == 0 &&
      held.st_ino == named.st_ino && held.st_dev == named.st_dev)
    unlink(name.c_str());
  close(descriptor);
}

}  // namespace

std::string temporary_name(const std::string& target, int attempt) {
  const std::string folder = folder_of(target);
  if (attempt > 0) return fmt::format("{}.wgp-{}-{}.tmp", folder, getpid(), attempt);
  return fmt::format("{}.wgp-{:016x}.tmp", folder, std::hash<std::string>{}(target.substr(folder.size())));
}

void remove_temporary_files() noexcept {
  for (auto& slot : slots)
    if (slot.ready) unlink(slot.name);
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path.empty() || path == "-") {
    path_ = "standard output";
    kind_ = Kind::held_back;
    return;
  }
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) fail("be created");
  } else {
    if (S_ISDIR(info.st_mode)) throw Error(fmt::format("{}: is a directory; give a file name in it", path));
    if (!S_ISREG(info.st_mode)) {
      kind_ = Kind::direct;
      file_ = std::fopen(path.c_str(), "w");
      if (file_ == nullptr) fail("be opened for writing");
      return;
    }
    // Replace the file a link points to, not the link.
    if (char* real = realpath(path.c_str(), nullptr); real != nullptr) {
      target_ = real;
      std::free(real);
    }
  }
  if (target_.empty()) target_ = path;
  if (!open_unnamed()) open_named();
  if (info.st_mode != 0) fchmod(fileno(file_), info.st_mode & 0777);
}

// Without a name until it is complete, where the file system can do that: even a process that is killed leaves nothing.
bool OutputFile::open_unnamed() {
#ifdef O_TMPFILE
  const int descriptor = open((folder_of(target_) + ".").c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  // Its later name is given through this path.
  if (access(fmt::format("/proc/self/fd/{}", descriptor).c_str(), F_OK) == 0) file_ = fdopen(descriptor, "w");
  if (file_ == nullptr)
    close(descriptor);
  else
    flock(descriptor, LOCK_EX | LOCK_NB);
#endif
  return file_ != nullptr;
}

void OutputFile::open_named() {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    temporary_ = temporary_name(target_, attempt);
    remove_if_left_behind(temporary_);
    const int descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      if (errno != EEXIST) break;
      continue;
    }
    // Another process may have taken it for left behind before it was locked.
    struct stat info {};
    if (flock(descriptor, LOCK_EX) == 0 && fstat(descriptor, &info) == 0 && info.st_nlink == 0) {
      close(descriptor);
      continue;
    }
    slot_ = claim_slot(temporary_);
    file_ = fdopen(descriptor, "w");
    if (file_ != nullptr) return;
    close(descriptor);
    break;
  }
  const int reason = errno;
  temporary_.clear();
  errno = reason;
  fail("be created");
}

// At once where nothing is there yet; else beside the target and renamed over it, as a link cannot replace a file.
void OutputFile::link_to_target() {
  const std::string open_file = fmt::format("/proc/self/fd/{}", fileno(file_));
  const auto link_as = [&](const std::string& name) {
    return linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link_as(target_)) return;
  for (int attempt = 0; errno == EEXIST && attempt < most_attempts; ++attempt) {
    const std::string name = temporary_name(target_, attempt);
    remove_if_left_behind(name);
    const int slot = claim_slot(name);
    const bool linked = link_as(name);
    const bool renamed = linked && std::rename(name.c_str(), target_.c_str()) == 0;
    const int reason = errno;
    if (linked && !renamed) unlink(name.c_str());
    release_slot(slot);
    errno = reason;
    if (renamed) return;
    if (linked) fail("be replaced");
  }
  fail("be created");
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::fail(const char* doing) const {
  throw Error(fmt::format("{}: cannot {}: {}", path_, doing, std::strerror(errno)));
}

void OutputFile::discard() noexcept {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
  release_slot(std::exchange(slot_, -1));
}

void OutputFile::write(std::string_view bytes) {
  if (kind_ == Kind::held_back && file_ == nullptr) {
    held_ += bytes;
    if (held_.size() > largest_held) spill();
    return;
  }
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("be written");
}

void OutputFile::spill() {
  file_ = std::tmpfile();
  if (file_ == nullptr) fail("be held back in a temporary file");
  if (std::fwrite(held_.data(), 1, held_.size(), file_) != held_.size()) fail("be held back in a temporary file");
  held_.clear();
  held_.shrink_to_fit();
}

void OutputFile::rewrite_start(std::string_view bytes) {
  if (kind_ == Kind::held_back && file_ == nullptr) {
    held_.replace(0, bytes.size(), bytes);
    return;
  }
  if (std::fseek(file_, 0, SEEK_SET) != 0 || std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size() ||
      std::fseek(file_, 0, SEEK_END) != 0)
    fail("be written");
}

void OutputFile::commit() {
  if (kind_ == Kind::held_back) {
    if (file_ != nullptr) {
      if (std::fflush(file_) != 0 || std::fseek(file_, 0, SEEK_SET) != 0) fail("be held back in a temporary file");
      std::string piece(std::size_t{1} << 16, '\0');
      while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file_))
        if (std::fwrite(piece.data(), 1, got, stdout) != got) fail("be written");
      if (std::ferror(file_) != 0) fail("be read back from a temporary file");
    } else if (std::fwrite(held_.data(), 1, held_.size(), stdout) != held_.size()) {
      fail("be written");
    }
    held_.clear();
    if (std::fflush(stdout) != 0) fail("be written");
    discard();
    return;
  }
  if (std::fflush(file_) != 0) fail("be written");
  const bool unnamed = kind_ == Kind::renamed && temporary_.empty();
  if (unnamed) link_to_target();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("be written");
  if (kind_ == Kind::direct || unnamed) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("be replaced");
  temporary_.clear();
  release_slot(std::exchange(slot_, -1));
}

void write_file(const std::string& path, const std::string& content) {
  OutputFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace wgp
