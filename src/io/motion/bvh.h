// BVH motion (Biovision): a hierarchy of joints, and a line of numbers for each frame.
//
// A joint's channels name its turns; its rotation is their product in the order of the file, whatever that is, in
// degrees. A bone is called after the joint it starts at, "LeftUpLeg"; where several start there, "Hips:Spine" says
// which.
#pragma once

#include <memory>
#include <string_view>

#include "io/bytes/byte_source.h"
#include "io/motion/skeleton.h"

namespace wgp {

bool is_bvh(std::string_view head);
std::unique_ptr<TableReader> open_bvh(std::unique_ptr<ByteSource> source, const MotionOptions& options);
// As the registry of formats opens it: an Error that asks for a bone.
std::unique_ptr<TableReader> open_bvh_table(std::unique_ptr<ByteSource> source, const TableOptions& options);

}  // namespace wgp
