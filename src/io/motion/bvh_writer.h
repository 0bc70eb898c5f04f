// Rotations of bones as BVH motion, on the skeleton of another BVH file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/bytes/output_file.h"
#include "io/motion/bvh.h"
#include "wgp/types.h"

namespace wgp {

// Angles in radians, one for each of the turns, whose product from left to right is R. Where two sets of angles are the
// same rotation, and up to full turns, they are those nearer to `near`. Three turns about axes that differ from their
// neighbours reach every rotation; of others there is no answer (has_all_rotations).
bool has_all_rotations(const std::vector<SkeletonJoint::Turn>& turns);
Eigen::Vector3d turn_angles(const std::vector<SkeletonJoint::Turn>& turns, const Eigen::Matrix3d& R,
                            const Eigen::Vector3d& near);

// The channels of the chosen bones' joints turn them as they are told, in the frame of reference of the options; all
// other channels stay as they are in the pose.
class BvhWriter {
 public:
  // An Error for bones that are not there, are named twice, or whose channels do not reach every rotation.
  BvhWriter(BvhPose pose, const std::string& bones, MotionOptions::Frame frame);
  std::size_t bones() const { return bones_.size(); }
  // A frame: of each bone a 3 x 3 matrix, row by row, as MotionOptions::Quantity::rotation has them. An Error for what
  // is no rotation.
  void add(ConstVectorRef rotations);
  Index frames() const { return frames_; }
  // All of the file.
  void write(ByteSink& sink) const;

 private:
  BvhPose pose_;
  MotionOptions::Frame frame_;
  std::vector<Index> bones_;            // their joints
  std::vector<Index> bone_of_;          // of each joint, or -1
  std::vector<Eigen::Matrix3d> turns_;  // of each joint in the pose
  std::vector<Eigen::Vector3d> last_;   // angles of each bone
  std::vector<double> angles_;          // of all frames, three for each bone, in degrees
  Index frames_ = 0;
};

}  // namespace wgp
