#include "io/motion/bvh.h"

#include "core/format.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "io/bytes/number.h"
#include "io/motion/motion_words.h"
#include "io/motion/skeleton_table.h"

namespace wgp {
namespace {

constexpr Index most_joints = 1 << 16, most_channels = 1 << 20;
constexpr double degree = std::numbers::pi / 180;

struct Hierarchy {
  Skeleton skeleton;
  std::vector<char> is_angle;  // for each channel
  std::string text;            // without MOTION
};

// Reads up to and with the line MOTION.
class HierarchyParser {
 public:
  explicit HierarchyParser(LineReader& lines) : lines_(lines) {}

  Hierarchy parse() {
    expect_first();
    std::string_view line;
    while (next(line)) {
      const auto words = words_of(line);
      const std::string_view word = words.front();
      if (equal_words(word, "MOTION") && open_.empty()) return finish();
      keep(line);
      if (word == "{")
        open_block(words.size());
      else if (word == "}")
        close_block();
      else if (awaits_block_)
        lines_.fail(fmt::format("{}, expected {{ for {}", quote_text(line), label()));
      else if (equal_words(word, "ROOT") || equal_words(word, "JOINT"))
        add_joint(line.substr(word.size()), equal_words(word, "ROOT"));
      else if (equal_words(word, "End"))
        add_end();
      else if (equal_words(word, "OFFSET"))
        set_offset(words);
      else if (equal_words(word, "CHANNELS"))
        add_channels(words);
      else
        lines_.fail(fmt::format("{}, expected JOINT, End Site, OFFSET, CHANNELS or MOTION", quote_text(line)));
    }
    throw Error(fmt::format("{}: truncated: there is no MOTION", lines_.file()));
  }

 private:
  struct Open {
    Index joint;  // -1: an end site
    Eigen::Vector3d offset = Eigen::Vector3d::Zero();
    bool has_offset = false, has_channels = false;
  };

  // A brace may stand at the end of a line: it comes as a line of its own.
  bool next(std::string_view& line) {
    if (!rest_.empty()) {
      held_ = std::exchange(rest_, "");
      line = held_;
      return true;
    }
    if (!next_filled(lines_, line)) return false;
    if (line.size() > 1 && line.back() == '{') {
      rest_ = "{";
      line = trim(line.substr(0, line.size() - 1));
    }
    return true;
  }

  void expect_first() {
    std::string_view line;
    if (!next_filled(lines_, line)) throw Error(fmt::format("{}: is empty", lines_.file()));
    if (!equal_words(line, "HIERARCHY"))
      lines_.fail(fmt::format("{}, but a BVH file starts with HIERARCHY", quote_text(line)));
    keep(line);
  }

  // As it stands, but for the blanks before it.
  void keep(std::string_view line) {
    constexpr std::size_t deepest = 40;
    const std::size_t depth = open_.size() - (line == "}" && !open_.empty() ? 1 : 0);
    result_.text.append(std::min(depth, deepest), '\t').append(line) += '\n';
  }

  std::string label() const {
    return next_.joint < 0 ? "the End Site" : result_.skeleton.joints[static_cast<std::size_t>(next_.joint)].name;
  }

  void add_joint(std::string_view rest, bool root) {
    const std::string name(trim(rest));
    if (name.empty()) lines_.fail("a joint without a name");
    if (root != open_.empty()) lines_.fail(root ? "a ROOT inside another joint" : "a JOINT outside of the ROOT");
    if (!open_.empty() && open_.back().joint < 0) lines_.fail("a joint inside an End Site");
    auto& joints = result_.skeleton.joints;
    if (static_cast<Index>(joints.size()) >= most_joints) lines_.fail("more than 65536 joints");
    SkeletonJoint joint;
    joint.name = name;
    joint.parent = open_.empty() ? -1 : open_.back().joint;
    joints.push_back(std::move(joint));
    next_ = {static_cast<Index>(joints.size()) - 1};
    awaits_block_ = true;
  }

  void add_end() {
    if (open_.empty() || open_.back().joint < 0) lines_.fail("an End Site outside of a joint");
    next_ = {-1};
    awaits_block_ = true;
  }

  void open_block(std::size_t words) {
    if (!awaits_block_ || words != 1) lines_.fail("a { that does not belong to a joint");
    open_.push_back(next_);
    awaits_block_ = false;
  }

  // The bone from the parent's joint to this one ends with the block: its offset is known now.
  void close_block() {
    if (open_.empty() || awaits_block_) lines_.fail("a } without its {");
    const Open block = open_.back();
    open_.pop_back();
    auto& joints = result_.skeleton.joints;
    if (!block.has_offset) lines_.fail("a joint ends without an OFFSET");
    if (open_.empty()) return;
    const std::string name = block.joint < 0 ? "End Site" : joints[static_cast<std::size_t>(block.joint)].name;
    joints[static_cast<std::size_t>(open_.back().joint)].bones.push_back({name, block.offset});
  }

  void set_offset(const std::vector<std::string_view>& words) {
    if (open_.empty() || words.size() != 4) lines_.fail("an OFFSET is three numbers inside a joint");
    for (Index i = 0; i < 3; ++i)
      open_.back().offset[i] = number_in(lines_, words[static_cast<std::size_t>(i) + 1], "an offset");
    open_.back().has_offset = true;
  }

  void add_channels(const std::vector<std::string_view>& words) {
    if (open_.empty() || open_.back().joint < 0 || open_.back().has_channels)
      lines_.fail("CHANNELS stand once in each joint");
    if (words.size() < 2 ||
        number_in(lines_, words[1], "a number of channels") != static_cast<double>(words.size() - 2))
      lines_.fail(fmt::format("CHANNELS {} with {} names", words.size() < 2 ? "" : words[1],
                              words.size() - std::min<std::size_t>(words.size(), 2)));
    SkeletonJoint& joint = result_.skeleton.joints[static_cast<std::size_t>(open_.back().joint)];
    for (std::size_t i = 2; i < words.size(); ++i) {
      const auto letter = std::string_view("xyzXYZ").find(words[i][0]);
      const bool turns = equal_words(words[i].substr(1), "rotation");
      if (letter == std::string_view::npos || (!turns && !equal_words(words[i].substr(1), "position")))
        lines_.fail(fmt::format("unknown channel {}; there are Xposition .. Zposition, Xrotation .. Zrotation",
                                quote_text(words[i])));
      if (turns) joint.turns.push_back({static_cast<int>(letter % 3), static_cast<Index>(result_.is_angle.size())});
      result_.is_angle.push_back(turns);
    }
    if (static_cast<Index>(result_.is_angle.size()) > most_channels) lines_.fail("too many channels");
    open_.back().has_channels = true;
  }

  Hierarchy finish() {
    if (result_.skeleton.joints.empty()) lines_.fail("MOTION without a ROOT before it");
    return std::move(result_);
  }

  LineReader& lines_;
  Hierarchy result_;
  std::vector<Open> open_;
  Open next_{-1};  // whose { is awaited
  bool awaits_block_ = false;
  std::string rest_, held_;
};

class BvhFrames final : public FrameSource {
 public:
  BvhFrames(std::unique_ptr<LineReader> lines, std::vector<char> is_angle)
      : lines_(std::move(lines)), is_angle_(std::move(is_angle)) {
    const double frames = labelled("Frames:", "a number of frames");
    if (!(frames >= 1) || frames != std::floor(frames) || frames > 1e15)
      lines_->fail(fmt::format("{} frames; it must be a positive number", frames));
    frames_ = static_cast<Index>(frames);
    seconds_ = labelled("Frame Time:", "a time");
    if (!(seconds_ > 0)) lines_->fail(fmt::format("a frame time of {} s; it must be positive", seconds_));
  }

  bool next(std::vector<double>& numbers) override {
    std::string_view line;
    if (frame_ == frames_) {
      if (next_filled(*lines_, line))
        lines_->fail(fmt::format("{} after the last of {} frames", quote_text(line), frames_));
      return false;
    }
    if (!next_filled(*lines_, line))
      throw Error(fmt::format("{}: truncated: {} frames of {}", lines_->file(), frame_, frames_));
    line_ = line;
    const auto words = words_of(line);
    if (words.size() != is_angle_.size())
      lines_->fail(fmt::format("{} numbers in frame {}, but the joints have {} channels", words.size(), frame_ + 1,
                               is_angle_.size()));
    numbers.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
      numbers[i] = number_in(*lines_, words[i], "a finite number") * (is_angle_[i] ? degree : 1);
    ++frame_;
    return true;
  }
  Index frame() const override { return frame_; }
  std::optional<Index> frames() const override { return frames_; }
  std::optional<double> seconds() const override { return seconds_; }
  std::string_view line() const { return line_; }  // of the frame given last, until the next one

 private:
  double labelled(std::string_view label, const char* what) {
    std::string_view line;
    if (!next_filled(*lines_, line)) throw Error(fmt::format("{}: truncated: no \"{}\"", lines_->file(), label));
    if (!equal_words(line.substr(0, label.size()), label))
      lines_->fail(fmt::format("{}, expected \"{}\"", quote_text(line), label));
    return number_in(*lines_, trim(line.substr(label.size())), what);
  }

  std::unique_ptr<LineReader> lines_;
  std::vector<char> is_angle_;
  Index frames_ = 0, frame_ = 0;
  double seconds_ = 0;
  std::string_view line_;
};

}  // namespace

bool is_bvh(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const auto begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  return equal_words(head.substr(begin, 9), "HIERARCHY");
}

std::unique_ptr<TableReader> open_bvh(std::unique_ptr<ByteSource> source, const MotionOptions& options) {
  const std::string file = source->name();
  auto lines = std::make_unique<LineReader>(std::move(source));
  Hierarchy hierarchy = HierarchyParser(*lines).parse();
  auto frames = std::make_unique<BvhFrames>(std::move(lines), std::move(hierarchy.is_angle));
  return motion_table(std::move(frames), std::move(hierarchy.skeleton), options, file, "bvh");
}

BvhPose read_bvh_pose(std::unique_ptr<ByteSource> source) {
  BvhPose pose;
  pose.file = source->name();
  auto lines = std::make_unique<LineReader>(std::move(source));
  Hierarchy hierarchy = HierarchyParser(*lines).parse();
  BvhFrames frames(std::move(lines), std::move(hierarchy.is_angle));
  frames.next(pose.numbers);
  for (const auto word : words_of(frames.line())) pose.words.emplace_back(word);
  pose.hierarchy = std::move(hierarchy.text);
  pose.skeleton = std::move(hierarchy.skeleton);
  pose.seconds = *frames.seconds();
  return pose;
}

std::unique_ptr<TableReader> open_bvh_table(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  MotionOptions motion;
  motion.table = options;
  return open_bvh(std::move(source), motion);
}

}  // namespace wgp
