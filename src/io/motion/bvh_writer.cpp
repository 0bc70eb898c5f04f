#include "io/motion/bvh_writer.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/bytes/number.h"
#include "wgp/io.h"

namespace wgp {
namespace {

using Turns = std::vector<SkeletonJoint::Turn>;

constexpr double turn_tolerance = 1e-6;  // of what is taken for a rotation

bool is_rotation(const Eigen::Matrix3d& R) {
  const double determinant = R(0, 0) * (R(1, 1) * R(2, 2) - R(1, 2) * R(2, 1)) -
                             R(0, 1) * (R(1, 0) * R(2, 2) - R(1, 2) * R(2, 0)) +
                             R(0, 2) * (R(1, 0) * R(2, 1) - R(1, 1) * R(2, 0));
  return (R.transpose() * R - Eigen::Matrix3d::Identity()).norm() < turn_tolerance && determinant > 0;
}

// The same angle, up to full turns, that is nearest to another.
double unwrapped(double angle, double near) {
  constexpr double full = 2 * std::numbers::pi;
  return angle + full * std::round((near - angle) / full);
}

}  // namespace

bool has_all_rotations(const Turns& turns) {
  return turns.size() == 3 && turns[0].axis != turns[1].axis && turns[1].axis != turns[2].axis;
}

// With i, j, k the axes, or k the third one where the last is i again, and e the sign of that permutation,
//   R_i(a) R_j(b) R_k(c) has the entries  (j, k) -e sin a cos b,  (k, k) cos a cos b,
//   R_i(a) R_j(b) R_i(c)                  (j, i)    sin a sin b,  (k, i) -e cos a sin b,
// which give a. What is left, Q = R_i(a)' R, has b and c in single entries, with all digits whatever b is. Where a has
// no influence but through a + c or a - c, it stays as it is.
Eigen::Vector3d turn_angles(const Turns& turns, const Eigen::Matrix3d& R, const Eigen::Vector3d& near) {
  const int i = turns[0].axis, j = turns[1].axis, k = 3 - i - j;
  const double e = j == (i + 1) % 3 ? 1 : -1;
  const bool again = turns[2].axis == i;
  const double sine = again ? R(j, i) : -e * R(j, k), cosine = again ? -e * R(k, i) : R(k, k);
  constexpr double degenerate = 1e-12;
  Eigen::Vector3d angles;
  angles[0] = std::hypot(sine, cosine) < degenerate ? near[0] : std::atan2(sine, cosine);
  const Eigen::Matrix3d Q = axis_rotation(i, angles[0]).transpose() * R;
  angles[1] = again ? std::atan2(-e * Q(k, i), Q(i, i)) : std::atan2(e * Q(i, k), Q(k, k));
  angles[2] = again ? std::atan2(-e * Q(j, k), Q(j, j)) : std::atan2(e * Q(j, i), Q(j, j));
  constexpr double half = std::numbers::pi;
  Eigen::Vector3d other(angles[0] + half, again ? -angles[1] : half - angles[1], angles[2] + half);
  for (int n = 0; n < 3; ++n) {
    angles[n] = unwrapped(angles[n], near[n]);
    other[n] = unwrapped(other[n], near[n]);
  }
  return (other - near).norm() < (angles - near).norm() ? other : angles;
}

BvhWriter::BvhWriter(BvhPose pose, const std::string& bones, MotionOptions::Frame frame)
    : pose_(std::move(pose)), frame_(frame) {
  const auto& joints = pose_.skeleton.joints;
  bone_of_.assign(joints.size(), -1);
  for (const std::string& bone : bones_of(bones)) {
    const Index joint = find_bone(pose_.skeleton, bone, pose_.file).joint;
    const SkeletonJoint& found = joints[static_cast<std::size_t>(joint)];
    if (bone_of_[static_cast<std::size_t>(joint)] >= 0)
      throw Error(fmt::format("{}: {} is named twice among the bones {}", pose_.file, found.name, bones));
    if (!has_all_rotations(found.turns))
      throw Error(
          fmt::format("{}: {} cannot take every rotation: it has {}, three about different axes are needed; choose "
                      "other bones",
                      pose_.file, found.name,
                      found.turns.empty()       ? "no rotation channels"
                      : found.turns.size() == 1 ? "one rotation channel"
                                                : fmt::format("{} rotation channels", found.turns.size())));
    bone_of_[static_cast<std::size_t>(joint)] = static_cast<Index>(bones_.size());
    bones_.push_back(joint);
    Eigen::Vector3d angles;
    for (int n = 0; n < 3; ++n)
      angles[n] = pose_.numbers[static_cast<std::size_t>(found.turns[static_cast<std::size_t>(n)].channel)];
    last_.push_back(angles);
  }
  for (const SkeletonJoint& joint : joints) {
    Eigen::Matrix3d M = Eigen::Matrix3d::Identity();
    for (const auto& turn : joint.turns)
      M *= axis_rotation(turn.axis, pose_.numbers[static_cast<std::size_t>(turn.channel)]);
    turns_.push_back(M);
  }
}

void BvhWriter::add(ConstVectorRef rotations) {
  const auto& joints = pose_.skeleton.joints;
  if (rotations.size() != 9 * static_cast<Index>(bones_.size()))
    throw Error(fmt::format("{} numbers for the rotations of {} bones", rotations.size(), bones_.size()));
  std::vector<Eigen::Matrix3d> W(joints.size());
  constexpr double degree = std::numbers::pi / 180;
  const std::size_t first = angles_.size();
  angles_.resize(first + 3 * bones_.size());
  for (std::size_t joint = 0; joint < joints.size(); ++joint) {
    const bool is_root = joints[joint].parent < 0;
    const Eigen::Matrix3d parent =
        is_root ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : W[static_cast<std::size_t>(joints[joint].parent)];
    const auto bone = static_cast<std::size_t>(bone_of_[joint]);
    // Seen from the root, the root never turns: its channels stay.
    const bool from_root = is_root && frame_ == MotionOptions::Frame::root;
    W[joint] = from_root ? parent : Eigen::Matrix3d(parent * turns_[joint]);
    if (bone_of_[joint] < 0) continue;
    if (!from_root) {
      using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
      W[joint] = Eigen::Map<const Rows>(rotations.data() + 9 * bone);
      if (!is_rotation(W[joint])) {
        angles_.resize(first);
        throw Error(fmt::format("frame {}: {} has no rotation", frames_ + 1, joints[joint].name));
      }
      last_[bone] = turn_angles(joints[joint].turns, parent.transpose() * W[joint], last_[bone]);
    }
    for (std::size_t n = 0; n < 3; ++n) angles_[first + 3 * bone + n] = last_[bone][static_cast<Index>(n)] / degree;
  }
  ++frames_;
}

void BvhWriter::write(ByteSink& sink) const {
  sink.write(pose_.hierarchy +
             fmt::format("MOTION\nFrames: {}\nFrame Time: {}\n", frames_, format_number(pose_.seconds)));
  std::vector<std::string> words = pose_.words;
  for (Index frame = 0; frame < frames_; ++frame) {
    for (std::size_t bone = 0; bone < bones_.size(); ++bone) {
      const auto& joint = pose_.skeleton.joints[static_cast<std::size_t>(bones_[bone])];
      if (joint.parent < 0 && frame_ == MotionOptions::Frame::root) continue;
      for (std::size_t n = 0; n < 3; ++n)
        words[static_cast<std::size_t>(joint.turns[n].channel)] =
            format_number(angles_[(static_cast<std::size_t>(frame) * bones_.size() + bone) * 3 + n]);
    }
    sink.write(fmt::format("{}\n", fmt::join(words, " ")));
  }
}

}  // namespace wgp
