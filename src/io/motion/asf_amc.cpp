#include "io/motion/asf_amc.h"

#include "core/format.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "io/bytes/number.h"
#include "io/motion/asf_amc_skeleton.h"
#include "io/motion/motion_words.h"
#include "io/motion/skeleton_table.h"

namespace wgp {
namespace {

std::optional<Index> frame_number(std::string_view line) {
  Index number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return number;
}

// A frame is its number on a line, then a line for each bone. Every frame must have all bones that can move: that is
// how a file that was cut off is known.
class AmcFrames final : public FrameSource {
 public:
  AmcFrames(std::unique_ptr<ByteSource> source, AsfSkeleton asf) : lines_(std::move(source)), asf_(std::move(asf)) {
    for (std::size_t i = 0; i < asf_.skeleton.joints.size(); ++i) joint_of_.emplace(asf_.skeleton.joints[i].name, i);
    bool degrees = asf_.degrees;
    std::string_view line;
    while (next_filled(lines_, line, '#')) {
      if (line.front() != ':') {
        upcoming_ = frame_number(line);
        if (!upcoming_) lines_.fail(fmt::format("{}, expected the number of the first frame", quote_text(line)));
        break;
      }
      if (equal_words(line, ":DEGREES")) degrees = true;
      if (equal_words(line, ":RADIANS")) degrees = false;
    }
    if (!upcoming_)
      throw Error(fmt::format("{}: {}", lines_.file(), lines_.number() == 0 ? "is empty" : "no frames of motion"));
    unit_ = degrees ? std::numbers::pi / 180 : 1;
    seen_.assign(asf_.skeleton.joints.size(), 0);
  }

  bool next(std::vector<double>& numbers) override {
    if (!upcoming_) return false;
    frame_ = *std::exchange(upcoming_, std::nullopt);
    ++count_;
    numbers.assign(static_cast<std::size_t>(asf_.channels), 0.0);
    std::string_view line;
    while (next_filled(lines_, line, '#')) {
      if (const auto number = frame_number(line)) {
        if (*number <= frame_) lines_.fail(fmt::format("frame {} after frame {}", *number, frame_));
        upcoming_ = number;
        break;
      }
      read_bone(words_of(line), numbers);
    }
    check_complete();
    return true;
  }

  Index frame() const override { return frame_; }
  std::optional<Index> frames() const override { return std::nullopt; }
  std::optional<double> seconds() const override { return std::nullopt; }

 private:
  void read_bone(const std::vector<std::string_view>& words, std::vector<double>& numbers) {
    const auto found = joint_of_.find(std::string(words[0]));
    if (found == joint_of_.end())
      lines_.fail(fmt::format("the skeleton has no bone {}; is it the right ASF file?", quote_text(words[0])));
    const std::size_t joint = found->second;
    if (std::exchange(seen_[joint], count_) == count_)
      lines_.fail(fmt::format("{} a second time in frame {}", words[0], frame_));
    const auto& is_angle = asf_.is_angle[joint];
    if (words.size() - 1 != is_angle.size())
      lines_.fail(fmt::format("{} numbers for {}, which has {} degrees of freedom", words.size() - 1, words[0],
                              is_angle.size()));
    for (std::size_t i = 0; i < is_angle.size(); ++i)
      numbers[static_cast<std::size_t>(asf_.first_channel[joint]) + i] =
          number_in(lines_, words[i + 1], "a finite number") * (is_angle[i] ? unit_ : 1);
  }

  void check_complete() const {
    for (std::size_t joint = 0; joint < seen_.size(); ++joint)
      if (seen_[joint] != count_ && !asf_.is_angle[joint].empty())
        throw Error(fmt::format("{}: frame {} has no numbers for {}{}", lines_.file(), frame_,
                                asf_.skeleton.joints[joint].name, upcoming_ ? "" : "; is the file truncated?"));
  }

  LineReader lines_;
  AsfSkeleton asf_;
  std::unordered_map<std::string, std::size_t> joint_of_;
  std::vector<Index> seen_;  // the last frame (counted from 1) that had each joint
  std::optional<Index> upcoming_;
  Index frame_ = 0, count_ = 0;
  double unit_ = 1;
};

bool has_ending(const std::filesystem::path& path, std::string_view ending) {
  return equal_words(path.extension().string(), ending);
}

}  // namespace

bool is_amc(std::string_view head) {
  for (const char* mark : {":FULLY-SPECIFIED", ":DEGREES", ":RADIANS"}) {
    const auto at = head.find(mark);
    if (at != std::string_view::npos && (at == 0 || head[at - 1] == '\n' || head[at - 1] == '\r')) return true;
  }
  return false;
}

bool is_asf(std::string_view head) {
  const auto at = head.find(":version");
  return at != std::string_view::npos && (at == 0 || head[at - 1] == '\n' || head[at - 1] == '\r');
}

std::string find_asf(const std::string& amc_path) {
  namespace fs = std::filesystem;
  const fs::path path(amc_path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string stem = path.stem().string();
  std::vector<fs::path> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (has_ending(entry->path(), ".asf")) all.push_back(entry->path());
  std::sort(all.begin(), all.end());
  for (const std::string& name : {stem, stem.substr(0, stem.rfind('_'))})
    for (const auto& candidate : all)
      if (candidate.stem() == name) return candidate.string();
  if (all.size() == 1) return all.front().string();
  throw Error(fmt::format("{}: {} in its folder to go with it; give the ASF file with --skeleton FILE", amc_path,
                          all.empty() ? "no skeleton" : fmt::format("{} skeletons", all.size())));
}

std::unique_ptr<TableReader> open_amc(std::unique_ptr<ByteSource> motion, std::unique_ptr<ByteSource> skeleton,
                                      const MotionOptions& options) {
  const std::string file = motion->name(), skeleton_file = skeleton->name();
  AsfSkeleton asf = parse_asf(std::move(skeleton));
  Skeleton bones = asf.skeleton;
  auto frames = std::make_unique<AmcFrames>(std::move(motion), std::move(asf));
  return motion_table(std::move(frames), std::move(bones), options, skeleton_file, "amc");
}

std::unique_ptr<TableReader> open_amc_table(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  MotionOptions motion;
  motion.table = options;
  auto skeleton = open_bytes(find_asf(source->name()));
  return open_amc(std::move(source), std::move(skeleton), motion);
}

}  // namespace wgp
