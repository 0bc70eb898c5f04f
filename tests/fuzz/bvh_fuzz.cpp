// Any bytes as BVH motion: an Error or rows of unit vectors, never anything else. As a skeleton to write motion on,
// they give an Error or a file that is read again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/motion/bvh_writer.h"

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
  std::string written;
  try {
    BvhWriter writer(read_bvh_pose(memory_bytes(bytes, "fuzz.bvh")), "A", MotionOptions::Frame::world);
    Vector turn(9);
    turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    writer.add(turn);
    MemorySink sink(written);
    writer.write(sink);
  } catch (const Error&) {
    return 0;
  }
  MotionOptions options;
  options.bone = "A";
  options.quantity = MotionOptions::Quantity::rotation;
  const Matrix again = read_rest(*open_bvh(memory_bytes(written, "again.bvh"), options)).values;
  if (!(again.cols() == 1 && std::abs(again(3, 0) - 1) < 1e-9)) __builtin_trap();
  return 0;
}
