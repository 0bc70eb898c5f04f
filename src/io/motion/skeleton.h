// A skeleton in its rest pose, and how the numbers of a frame turn its bones.
//
// Each joint turns about the end of its parent. With C the joint's own axes in the rest pose and M the product of the
// frame's turns about them, the rotation that carries a bone from its rest pose into the frame's is
//   W(bone) = W(parent) C M C',    direction(bone) = W(bone) d,
// with d the bone's unit direction in the rest pose. BVH has C = I. Positions play no part.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "wgp/io.h"

namespace wgp {

struct MotionOptions {
  enum class Frame { world, root };             // root: as seen from the skeleton's first joint
  enum class Quantity { direction, rotation };  // a unit vector; a 3 x 3 matrix, row by row
  TableOptions table;
  std::string bone;  // several with commas between: their numbers stand one behind the other
  Frame frame = Frame::world;
  Quantity quantity = Quantity::direction;
};

// The rotation by an angle in radians about an axis: 0, 1, 2.
Eigen::Matrix3d axis_rotation(int axis, double angle);

struct SkeletonJoint {
  struct Turn {
    int axis;       // 0, 1, 2
    Index channel;  // of a frame's numbers, in radians
  };
  // Where a bone leads from this joint: to a child's name, "" where a joint has one bone of its own.
  struct Bone {
    std::string to;
    Eigen::Vector3d offset;
  };
  std::string name;
  Index parent = -1;
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // C
  std::vector<Turn> turns;                             // M is their product, from left to right
  std::vector<Bone> bones;
};

class Skeleton {
 public:
  std::vector<SkeletonJoint> joints;          // parents before children
  Index find(const std::string& name) const;  // -1 if there is none
};

// "Hips" and "Hips:Spine" are the bones of the joint Hips, the latter the one that leads to Spine.
struct BoneName {
  Index joint;
  std::string child;  // or empty
};
// An Error (naming the file) for a bone that is not there.
BoneName find_bone(const Skeleton& skeleton, const std::string& bone, const std::string& file);
// "A, B" is two bones.
std::vector<std::string> bones_of(const std::string& list);

// One bone or joint of a skeleton, as the options want it.
class BoneMotion {
 public:
  // An Error (naming the file) for a bone that is not there, has no length, or could be several.
  BoneMotion(Skeleton skeleton, const MotionOptions& options, const std::string& file);
  std::vector<std::string> names() const;  // x, y, z, or r11 .. r33
  Vector at(const std::vector<double>& numbers) const;

 private:
  Skeleton skeleton_;
  MotionOptions::Frame frame_;
  MotionOptions::Quantity quantity_;
  std::vector<Index> chain_;  // from the root to the joint
  Eigen::Vector3d direction_ = Eigen::Vector3d::Zero();
};

}  // namespace wgp
