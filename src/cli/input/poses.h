// Rotations and poses as trajectories have them, whatever the order of their numbers: quaternions by the names of their
// columns (TUM: timestamp tx ty tz qx qy qz qw; EuRoC: #timestamp [ns],p_RS_R_x [m],...,q_RS_w [],...), among others or
// alone; unnamed ones by --quaternion; KITTI's twelve numbers, the rows of a 3 x 4 matrix [R t], by what they are.
#pragma once

#include <memory>

#include "cli/input/table_flags.h"
#include "cli/output/messages.h"
#include "wgp/io.h"
#include "wgp/manifold.h"

namespace wgp::cli {

// Where the columns of these names stand as w, x, y, z and perhaps tx, ty, tz; empty if the names do not say.
struct NamedPose {
  std::vector<Index> quaternion, translation;
};
NamedPose named_pose(const std::vector<std::string>& names);
// Whether all of these rows of twelve numbers are rows of a 3 x 4 matrix, and none is a rotation and a translation.
bool are_kitti(ConstMatrixRef rows);

// The reader, with its columns in the order that rows of the manifold have: what was taken for what is said. All others
// are passed on as they are. manifold: null if it is not known.
std::unique_ptr<TableReader> in_pose_order(std::unique_ptr<TableReader> reader, const std::string& file,
                                           const TableFlags& flags, const TableOptions& options,
                                           const Manifold* manifold, const Messages* messages);

}  // namespace wgp::cli
