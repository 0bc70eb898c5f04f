// Any bytes as BVH motion: an Error or rows of unit vectors, never anything else.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/motion/bvh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wgp;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto quantity : {MotionOptions::Quantity::direction, MotionOptions::Quantity::rotation}) {
    MotionOptions options;
    options.bone = "A";
    options.quantity = quantity;
    try {
      const auto table = open_bvh(memory_bytes(bytes, "fuzz.bvh"), options);
      TableBlock block;
      while (table->read(64, block))
        if (!(std::abs(block.values.col(0).squaredNorm() - (block.values.rows() == 3 ? 1 : 3)) < 1e-6))
          __builtin_trap();
    } catch (const Error&) {
    }
  }
  return 0;
}
