// The skeleton of an ASF file, and what AMC files need to know of it.
#pragma once

#include <memory>
#include <vector>

#include "io/bytes/byte_source.h"
#include "io/motion/skeleton.h"

namespace wgp {

struct AsfSkeleton {
  Skeleton skeleton;                        // joints[0] is the root
  std::vector<std::vector<char>> is_angle;  // for each number of a joint's line in the AMC file
  std::vector<Index> first_channel;         // of each joint
  Index channels = 0;
  bool degrees = true;
};

AsfSkeleton parse_asf(std::unique_ptr<ByteSource> source);

}  // namespace wgp
