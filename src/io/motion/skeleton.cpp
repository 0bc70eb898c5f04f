#include "io/motion/skeleton.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/bytes/number.h"
#include "io/motion/motion_words.h"

namespace wgp {
namespace {

// Edit distance, whatever the case.
std::size_t difference(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + !equal_words(a.substr(i - 1, 1), b.substr(j - 1, 1));
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string bones_text(const Skeleton& skeleton, const std::string& wanted) {
  constexpr std::size_t shown = 60;
  std::vector<std::string> names;
  const SkeletonJoint* near = nullptr;
  std::size_t least = std::max<std::size_t>(wanted.size() / 2, 1) + 1;
  for (const auto& joint : skeleton.joints) {
    if (names.size() < shown) names.push_back(joint.name);
    if (joint.name.size() > 100 || wanted.size() > 100) continue;
    if (const std::size_t d = difference(wanted, joint.name); d < least) {
      least = d;
      near = &joint;
    }
  }
  return fmt::format("{}there are {}{}", near != nullptr ? fmt::format("did you mean {}? ", near->name) : "",
                     fmt::join(names, ", "), skeleton.joints.size() > shown ? ", ..." : "");
}

// The bone of a joint that leads to `child`, or its only one.
Eigen::Vector3d direction_of(const SkeletonJoint& joint, const std::string& child, const std::string& file) {
  std::vector<const SkeletonJoint::Bone*> found;
  std::vector<std::string> choices;
  for (const auto& bone : joint.bones) {
    if (!(bone.offset.stableNorm() > 0) || (!child.empty() && bone.to != child)) continue;
    found.push_back(&bone);
    choices.push_back(joint.name + ":" + bone.to);
  }
  if (found.empty())
    throw Error(fmt::format("{}: {} has no length and so no direction; take another bone, or its rotation", file,
                            child.empty() ? joint.name : joint.name + ":" + child));
  if (found.size() > 1)
    throw Error(
        fmt::format("{}: several bones start at {}: choose one of {}", file, joint.name, fmt::join(choices, ", ")));
  return found.front()->offset.stableNormalized();
}

}  // namespace

Eigen::Matrix3d axis_rotation(int axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  R(j, j) = R(k, k) = c;
  R(j, k) = -s;
  R(k, j) = s;
  return R;
}

Index Skeleton::find(const std::string& name) const {
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].name == name) return static_cast<Index>(i);
  return -1;
}

BoneName find_bone(const Skeleton& skeleton, const std::string& bone, const std::string& file) {
  if (bone.empty()) throw Error(fmt::format("{}: which bone? choose with --bone; {}", file, bones_text(skeleton, "")));
  std::string name = bone, child;
  Index joint = skeleton.find(name);
  if (const auto colon = name.rfind(':'); joint < 0 && colon != std::string::npos) {
    child = name.substr(colon + 1);
    name.resize(colon);
    joint = skeleton.find(name);
  }
  if (joint < 0) throw Error(fmt::format("{}: no bone {}; {}", file, quote_text(name), bones_text(skeleton, name)));
  return {joint, child};
}

std::vector<std::string> bones_of(const std::string& list) {
  std::vector<std::string> bones;
  std::size_t start = 0;
  for (std::size_t comma = 0; comma != std::string::npos; start = comma + 1) {
    comma = list.find(',', start);
    bones.emplace_back(trim(std::string_view(list).substr(start, comma == std::string::npos ? comma : comma - start)));
  }
  return bones;
}

BoneMotion::BoneMotion(Skeleton skeleton, const MotionOptions& options, const std::string& file)
    : skeleton_(std::move(skeleton)), frame_(options.frame), quantity_(options.quantity) {
  const auto [joint, child] = find_bone(skeleton_, options.bone, file);
  if (quantity_ == MotionOptions::Quantity::direction)
    direction_ = direction_of(skeleton_.joints[static_cast<std::size_t>(joint)], child, file);
  for (Index j = joint; j >= 0; j = skeleton_.joints[static_cast<std::size_t>(j)].parent) chain_.push_back(j);
  std::reverse(chain_.begin(), chain_.end());
}

std::vector<std::string> BoneMotion::names() const {
  if (quantity_ == MotionOptions::Quantity::direction) return {"x", "y", "z"};
  return {"r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33"};
}

Vector BoneMotion::at(const std::vector<double>& numbers) const {
  // Seen from the root, the root's own rotation drops out: W(root)' W(bone) is the product of the others.
  const std::size_t first = frame_ == MotionOptions::Frame::root ? 1 : 0;
  Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
  for (std::size_t i = first; i < chain_.size(); ++i) {
    const SkeletonJoint& joint = skeleton_.joints[static_cast<std::size_t>(chain_[i])];
    Eigen::Matrix3d M = Eigen::Matrix3d::Identity();
    for (const auto& turn : joint.turns) M *= axis_rotation(turn.axis, numbers[static_cast<std::size_t>(turn.channel)]);
    W *= joint.axes * M * joint.axes.transpose();
  }
  if (quantity_ == MotionOptions::Quantity::direction) return (W * direction_).normalized();
  Vector row(9);
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(row.data()) = W;
  return row;
}

}  // namespace wgp
