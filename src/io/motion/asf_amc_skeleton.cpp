#include "io/motion/asf_amc_skeleton.h"

#include "core/format.h"

#include <algorithm>
#include <map>
#include <numbers>

#include "io/bytes/number.h"
#include "io/motion/motion_words.h"

namespace wgp {
namespace {

constexpr std::size_t most_bones = 1 << 16;

using Words = std::vector<std::string_view>;

class AsfParser {
 public:
  explicit AsfParser(std::unique_ptr<ByteSource> source) : lines_(std::move(source)) {
    SkeletonJoint root;
    root.name = "root";
    joints_.push_back(root);
    result_.is_angle.emplace_back();
    angles_.emplace_back();
  }

  AsfSkeleton parse() {
    std::string_view line;
    while (next_filled(lines_, line, '#')) {
      if (line.front() == ':') {
        section_ = std::string(words_of(line).front());
        seen_section_ = true;
        continue;
      }
      if (!seen_section_) lines_.fail(fmt::format("{}, but an ASF file starts with :version", quote_text(line)));
      const Words words = words_of(line);
      if (equal_words(section_, ":units"))
        read_unit(words);
      else if (equal_words(section_, ":root"))
        read_root(words);
      else if (equal_words(section_, ":bonedata"))
        read_bone(words);
      else if (equal_words(section_, ":hierarchy"))
        read_children(words);
    }
    if (lines_.number() == 0) throw Error(fmt::format("{}: is empty", lines_.file()));
    if (in_bone_) throw Error(fmt::format("{}: truncated: the last bone has no end", lines_.file()));
    if (!hierarchy_ended_)
      throw Error(fmt::format("{}: truncated: the :hierarchy is missing or has no end", lines_.file()));
    return finish();
  }

 private:
  // Axis angles as the file has them; made into matrices when the unit of angles is known for sure.
  struct Angles {
    Eigen::Vector3d values = Eigen::Vector3d::Zero();
    std::string order = "XYZ";
  };

  double number(std::string_view word) const { return number_in(lines_, word, "a finite number"); }

  static int axis_of(char letter) {
    const auto at = std::string_view("xyzXYZ").find(letter);
    return at == std::string_view::npos ? -1 : static_cast<int>(at % 3);
  }

  std::string axis_order(std::string_view word) const {
    std::string sorted;
    for (const char letter : word) sorted += static_cast<char>('0' + axis_of(letter));
    std::sort(sorted.begin(), sorted.end());
    if (sorted != "012") lines_.fail(fmt::format("{} is not an order of axes like XYZ", quote_text(word)));
    return std::string(word);
  }

  void read_unit(const Words& words) {
    if (!equal_words(words[0], "angle")) return;
    if (words.size() != 2 || (!equal_words(words[1].substr(0, 3), "deg") && !equal_words(words[1].substr(0, 3), "rad")))
      lines_.fail("the unit of angles is deg or rad");
    result_.degrees = equal_words(words[1].substr(0, 3), "deg");
  }

  // "rx", "RY", "tz", "l": a number of each frame.
  void add_channel(std::size_t joint, std::string_view word) {
    const int axis = word.size() == 2 ? axis_of(word[1]) : -1;
    const bool turns = axis >= 0 && equal_words(word.substr(0, 1), "r");
    const bool moves = (axis >= 0 && equal_words(word.substr(0, 1), "t")) || equal_words(word, "l");
    if (!turns && !moves) lines_.fail(fmt::format("{} is not one of rx ry rz tx ty tz l", quote_text(word)));
    auto& kinds = result_.is_angle[joint];
    // Turns are listed in the order they are made; the first made stands rightmost in the product.
    if (turns) {
      auto& all = joints_[joint].turns;
      all.insert(all.begin(), {axis, static_cast<Index>(kinds.size())});
    }
    kinds.push_back(turns);
  }

  void read_root(const Words& words) {
    if (equal_words(words[0], "order")) {
      result_.is_angle[0].clear();
      joints_[0].turns.clear();
      for (std::size_t i = 1; i < words.size(); ++i) add_channel(0, words[i]);
    } else if (equal_words(words[0], "axis")) {
      if (words.size() != 2) lines_.fail("the root's axis is an order like XYZ");
      angles_[0].order = axis_order(words[1]);
    } else if (equal_words(words[0], "orientation")) {
      if (words.size() != 4) lines_.fail("the root's orientation is three angles");
      for (Index i = 0; i < 3; ++i) angles_[0].values[i] = number(words[static_cast<std::size_t>(i) + 1]);
    }
  }

  void read_bone(const Words& words) {
    const std::string_view key = words[0];
    if (equal_words(key, "begin")) {
      if (in_bone_) lines_.fail("a bone begins inside another");
      if (joints_.size() >= most_bones) lines_.fail("more than 65536 bones");
      in_bone_ = true;
      joints_.emplace_back();
      result_.is_angle.emplace_back();
      angles_.emplace_back();
      direction_.setZero();
      length_ = 1;
      return;
    }
    if (!in_bone_) lines_.fail(fmt::format("{} outside of a bone, which begins with begin", quote_text(key)));
    SkeletonJoint& bone = joints_.back();
    if (equal_words(key, "end")) {
      if (bone.name.empty()) lines_.fail("a bone ends without a name");
      if (!by_name_.emplace(bone.name, static_cast<Index>(joints_.size()) - 1).second || bone.name == "root")
        lines_.fail(fmt::format("a second bone {}", quote_text(bone.name)));
      bone.bones.push_back({"", length_ > 0 ? direction_ : Eigen::Vector3d::Zero().eval()});
      in_bone_ = false;
    } else if (equal_words(key, "name")) {
      if (words.size() != 2) lines_.fail("a bone's name is one word");
      bone.name = std::string(words[1]);
    } else if (equal_words(key, "direction")) {
      if (words.size() != 4) lines_.fail("a bone's direction is three numbers");
      for (Index i = 0; i < 3; ++i) direction_[i] = number(words[static_cast<std::size_t>(i) + 1]);
    } else if (equal_words(key, "length")) {
      if (words.size() != 2) lines_.fail("a bone's length is one number");
      length_ = number(words[1]);
    } else if (equal_words(key, "axis")) {
      if (words.size() != 5) lines_.fail("a bone's axis is three angles and an order like XYZ");
      for (Index i = 0; i < 3; ++i) angles_.back().values[i] = number(words[static_cast<std::size_t>(i) + 1]);
      angles_.back().order = axis_order(words[4]);
    } else if (equal_words(key, "dof")) {
      if (!result_.is_angle.back().empty()) lines_.fail("a second dof in one bone");
      for (std::size_t i = 1; i < words.size(); ++i) add_channel(joints_.size() - 1, words[i]);
    }
    // id, limits and what others may have added play no part.
  }

  void read_children(const Words& words) {
    if (words.size() == 1 && equal_words(words[0], "begin")) return;
    if (words.size() == 1 && equal_words(words[0], "end")) {
      hierarchy_ended_ = true;
      return;
    }
    const Index parent = known(words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) {
      const Index child = known(words[i]);
      if (child == 0 || parents_.count(child) > 0)
        lines_.fail(fmt::format("{} gets a second parent", quote_text(words[i])));
      parents_[child] = parent;
    }
  }

  Index known(std::string_view name) const {
    if (name == "root") return 0;
    const auto found = by_name_.find(std::string(name));
    if (found == by_name_.end()) lines_.fail(fmt::format("no bone {} in :bonedata", quote_text(name)));
    return found->second;
  }

  // Bones may be listed in any order; a skeleton has parents before children. Bones outside of the hierarchy would turn
  // with nothing, so they are refused.
  AsfSkeleton finish() {
    std::vector<Index> place(joints_.size(), -1), order = {0};
    std::vector<std::vector<Index>> children(joints_.size());
    for (const auto& [child, parent] : parents_) children[static_cast<std::size_t>(parent)].push_back(child);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const Index child : children[static_cast<std::size_t>(order[i])]) order.push_back(child);
    if (order.size() != joints_.size())
      throw Error(fmt::format("{}: {} of {} bones do not hang on the root", lines_.file(),
                              joints_.size() - order.size(), joints_.size() - 1));
    AsfSkeleton result;
    result.degrees = result_.degrees;
    for (const Index old : order) {
      const auto at = static_cast<std::size_t>(old);
      SkeletonJoint joint = std::move(joints_[at]);
      place[at] = static_cast<Index>(result.skeleton.joints.size());
      joint.parent = old == 0 ? -1 : place[static_cast<std::size_t>(parents_.at(old))];
      const double unit = result_.degrees ? std::numbers::pi / 180 : 1;
      joint.axes.setIdentity();
      for (const char letter : angles_[at].order) {
        const int axis = axis_of(letter);
        joint.axes = axis_rotation(axis, unit * angles_[at].values[axis]) * joint.axes;
      }
      for (auto& turn : joint.turns) turn.channel += result.channels;
      result.first_channel.push_back(result.channels);
      result.channels += static_cast<Index>(result_.is_angle[at].size());
      result.is_angle.push_back(std::move(result_.is_angle[at]));
      result.skeleton.joints.push_back(std::move(joint));
    }
    return result;
  }

  LineReader lines_;
  AsfSkeleton result_;
  std::vector<SkeletonJoint> joints_;
  std::vector<Angles> angles_;
  std::map<std::string, Index> by_name_;
  std::map<Index, Index> parents_;
  std::string section_;
  Eigen::Vector3d direction_ = Eigen::Vector3d::Zero();
  double length_ = 1;
  bool seen_section_ = false, in_bone_ = false, hierarchy_ended_ = false;
};

}  // namespace

AsfSkeleton parse_asf(std::unique_ptr<ByteSource> source) { return AsfParser(std::move(source)).parse(); }

}  // namespace wgp
