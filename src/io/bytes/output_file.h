// A file that appears complete or not at all: written beside its target, renamed by commit(), removed otherwise.
// Standard output ("-" or "") is held back in the same way. Devices and pipes are written directly.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace wgp {

// Where writers put their bytes.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void rewrite_start(std::string_view bytes) = 0;  // over the first bytes written
  virtual bool is_seekable() const { return true; }
  virtual void commit() = 0;
};

// Into a string, which is kept by reference.
class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(std::string& bytes) : bytes_(bytes) {}
  void write(std::string_view bytes) override { bytes_ += bytes; }
  void rewrite_start(std::string_view bytes) override { bytes_.replace(0, bytes.size(), bytes); }
  void commit() override {}

 private:
  std::string& bytes_;
};

class OutputFile final : public ByteSink {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes) override;
  void rewrite_start(std::string_view bytes) override;
  bool is_seekable() const override { return kind_ != Kind::direct; }
  void commit() override;

 private:
  enum class Kind { renamed, held_back, direct };
  [[noreturn]] void fail(const char* doing) const;
  bool open_unnamed();
  void open_named();
  void link_to_target();
  void spill();  // held-back output grown too large for memory goes to an anonymous file
  void discard() noexcept;

  std::string path_, target_, temporary_;
  Kind kind_ = Kind::renamed;
  std::FILE* file_ = nullptr;
  std::string held_;
  int slot_ = -1;
};

// A name beside the target that it may have on its way there. Attempt 0 is the same for every writer of the target, so
// that the next one can remove what a killed one left. Not made of the target's own name, which may be as long as names
// can be.
std::string temporary_name(const std::string& target, int attempt);

}  // namespace wgp
