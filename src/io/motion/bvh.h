// BVH motion (Biovision): a hierarchy of joints, and a line of numbers for each frame.
//
// A joint's channels name its turns; its rotation is their product in the order of the file, whatever that is, in
// degrees. A bone is called after the joint it starts at, "LeftUpLeg"; where several start there, "Hips:Spine" says
// which.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.h"
#include "io/motion/skeleton.h"

namespace wgp {

bool is_bvh(std::string_view head);
std::unique_ptr<TableReader> open_bvh(std::unique_ptr<ByteSource> source, const MotionOptions& options);

// A skeleton and its first frame, to write further frames of it.
struct BvhPose {
  std::string file;
  std::string hierarchy;  // the lines before MOTION
  Skeleton skeleton;
  std::vector<std::string> words;  // of the first frame, as they stand
  std::vector<double> numbers;     // the same, angles in radians
  double seconds = 0;              // from one frame to the next
};
BvhPose read_bvh_pose(std::unique_ptr<ByteSource> source);

// As the registry of formats opens it: an Error that asks for a bone.
std::unique_ptr<TableReader> open_bvh_table(std::unique_ptr<ByteSource> source, const TableOptions& options);

}  // namespace wgp
