// Any text as rotations or poses, as the data sets TUM, EuRoC and KITTI have them: an Error, wrong usage, or rows as
// wide as the manifold takes them.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "cli/input/poses.h"

namespace {

void read_all(const std::string& bytes, const wgp::Manifold& manifold, wgp::cli::TableFlags::Quaternion order) {
  using namespace wgp;
  cli::TableFlags flags;
  flags.quaternion = order;
  try {
    const auto reader = cli::in_pose_order(parse_table(bytes, "fuzz.txt"), "fuzz.txt", flags, {}, &manifold, nullptr);
    Index count = 0;
    TableBlock block;
    while (reader->read(7, block)) {
      if (block.values.rows() != reader->width() || block.first_row != count) throw std::logic_error("a wrong block");
      count += block.values.cols();
    }
  } catch (const Error&) {
  } catch (const cli::UsageError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Quaternion = wgp::cli::TableFlags::Quaternion;
  static const wgp::ManifoldPtr rotations = wgp::parse_manifold("so:3"), poses = wgp::parse_manifold("se:3");
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto order : {Quaternion::as_named, Quaternion::scalar_first, Quaternion::scalar_last}) {
    read_all(bytes, *rotations, order);
    read_all(bytes, *poses, order);
  }
  return 0;
}
