// Motion files as input of the command: --bone, --frame, --as and --skeleton.
#pragma once

#include <memory>
#include <string>

#include "cli/input/arguments.h"
#include "io/bytes/byte_source.h"
#include "io/motion/skeleton.h"
#include "wgp/manifold.h"

namespace wgp::cli {

struct MotionFlags {
  std::string bone;      // "lfemur", "Hips:Spine"
  std::string frame;     // "world" or "root"; empty: world
  std::string quantity;  // "direction" or "rotation"; empty: what the manifold takes
  std::string skeleton;  // path of the ASF file; empty: looked for beside the AMC file
  // The first flag that was given, empty if none was.
  std::string given() const;
};
MotionFlags motion_flags_from(const Arguments& arguments);

// Whether a row is rotations: as --as says, else as the manifold takes them. Null: directions.
bool wants_rotations(const MotionFlags& flags, const Manifold* manifold);

// By a file's name, or by the content of a regular file. Never throws.
enum class MotionKind { none, bvh, amc };
MotionKind motion_kind(const std::string& path);

// manifold: what the rows are to be points of, null if that is not known; directions are then meant.
std::unique_ptr<TableReader> open_motion(MotionKind kind, const std::string& path, std::unique_ptr<ByteSource> bytes,
                                         const TableOptions& options, const MotionFlags& flags,
                                         const Manifold* manifold);

}  // namespace wgp::cli
