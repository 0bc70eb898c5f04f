// libFuzzer target of model files: whatever the bytes are, they give a model or wgp::Error, and the same through a
// pipe, which is read no further than the bytes lead. Built and run by scripts/fuzz.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "io/bytes/piped_archive.h"
#include "wgp/model_file.h"

namespace {

class Pipe final : public wgp::ByteSource {
 public:
  explicit Pipe(std::string bytes) : ByteSource("pipe"), bytes_(std::move(bytes)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = bytes_.copy(to, size, at_);
    at_ += got;
    return got;
  }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  std::size_t read_at(std::uint64_t, char*, std::size_t) override { return 0; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

void parse(const std::string& bytes) {
  try {
    wgp::parse_model(bytes, "fuzz.wgp");
  } catch (const wgp::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  parse(bytes);
  try {
    Pipe pipe(bytes);
    const std::string piped = wgp::read_piped_archive(pipe);
    if (bytes.compare(0, piped.size(), piped) != 0) std::abort();
    parse(piped);
  } catch (const wgp::Error&) {
  }
  return 0;
}
