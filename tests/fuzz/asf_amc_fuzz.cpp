// Any bytes as a skeleton and its motion, parted by a zero byte: an Error or rows of unit vectors, never anything else.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/motion/asf_amc.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wgp;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(bytes.find('\0'), size);
  const std::string asf = bytes.substr(0, cut), amc = bytes.substr(std::min(cut + 1, size));
  for (const auto quantity : {MotionOptions::Quantity::direction, MotionOptions::Quantity::rotation}) {
    MotionOptions options;
    options.bone = "a";
    options.quantity = quantity;
    try {
      const auto table = open_amc(memory_bytes(amc, "fuzz.amc"), memory_bytes(asf, "fuzz.asf"), options);
      TableBlock block;
      while (table->read(64, block))
        if (!(std::abs(block.values.col(0).squaredNorm() - (block.values.rows() == 3 ? 1 : 3)) < 1e-6))
          __builtin_trap();
    } catch (const Error&) {
    }
  }
  return 0;
}
