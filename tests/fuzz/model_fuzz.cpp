// libFuzzer target of model files: whatever the bytes are, they give a model or wgp::Error. Built and run by
// scripts/fuzz.
#include <cstdint>
#include <string>

#include "wgp/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    wgp::parse_model(std::string(reinterpret_cast<const char*>(data), size), "fuzz.wgp");
  } catch (const wgp::Error&) {
  }
  return 0;
}
