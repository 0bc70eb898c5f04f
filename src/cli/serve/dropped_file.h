// A file that came with a request, where readers of files find it under its own name: formats go by names too. It is in
// a folder that nobody else may look into, and gone when this is, or when a signal ends the process.
#pragma once

#include <string>

namespace wgp::cli {

class DroppedFile {
 public:
  // One at a time.
  DroppedFile(const std::string& name, const std::string& bytes);
  ~DroppedFile();
  DroppedFile(const DroppedFile&) = delete;
  DroppedFile& operator=(const DroppedFile&) = delete;

  const std::string& path() const { return path_; }
  // What a message says of the file, with its name alone.
  std::string without_folder(std::string message) const;

 private:
  std::string folder_, path_;
};

// For handlers of signals.
void remove_dropped_file() noexcept;

}  // namespace wgp::cli
