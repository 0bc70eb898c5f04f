#include "cli/input/motion_input.h"

#include "core/format.h"

#include <algorithm>
#include <filesystem>

#include "io/motion/asf_amc.h"
#include "io/motion/bvh.h"
#include "io/motion/motion_words.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

std::string ending_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

}  // namespace

MotionKind motion_kind(const std::string& path) {
  const std::string ending = ending_of(path);
  if (equal_words(ending, ".bvh")) return MotionKind::bvh;
  if (equal_words(ending, ".amc")) return MotionKind::amc;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return MotionKind::none;
  try {
    std::string head(4096, '\0');
    head.resize(open_bytes(path)->read(head.data(), head.size()));
    return is_bvh(head) ? MotionKind::bvh : is_amc(head) ? MotionKind::amc : MotionKind::none;
  } catch (const Error&) {
    return MotionKind::none;  // whoever opens it in another way will say what is wrong
  }
}

namespace {

bool takes_rotations(const Manifold& manifold, Index bones) {
  bool three = false, nine = false;
  for (const auto& form : row_forms(manifold)) {
    three = three || form->width() == 3 * bones;
    nine = nine || form->width() == 9 * bones;
  }
  return nine && !three;
}

}  // namespace

std::string MotionFlags::given() const {
  if (!bone.empty()) return "bone";
  if (!frame.empty()) return "frame";
  if (!quantity.empty()) return "as";
  return skeleton.empty() ? "" : "skeleton";
}

MotionFlags motion_flags_from(const Arguments& arguments) {
  MotionFlags flags;
  flags.bone = arguments.text("bone");
  if (arguments.has("frame")) flags.frame = arguments.choice("frame", "", {"world", "root"});
  if (arguments.has("as")) flags.quantity = arguments.choice("as", "", {"direction", "rotation"});
  flags.skeleton = arguments.text("skeleton");
  return flags;
}

bool wants_rotations(const MotionFlags& flags, const Manifold* manifold) {
  if (!flags.quantity.empty()) return flags.quantity == "rotation";
  const Index bones = 1 + std::count(flags.bone.begin(), flags.bone.end(), ',');
  return manifold != nullptr && takes_rotations(*manifold, bones);
}

std::unique_ptr<TableReader> open_motion(MotionKind kind, const std::string& path, std::unique_ptr<ByteSource> bytes,
                                         const TableOptions& options, const MotionFlags& flags,
                                         const Manifold* manifold) {
  MotionOptions motion;
  motion.table = options;
  motion.bone = flags.bone;
  if (flags.frame == "root") motion.frame = MotionOptions::Frame::root;
  if (wants_rotations(flags, manifold)) motion.quantity = MotionOptions::Quantity::rotation;
  if (kind == MotionKind::bvh) {
    if (!flags.skeleton.empty())
      throw UsageError(fmt::format("--skeleton goes with AMC files; {} has a skeleton of its own", path));
    return open_bvh(std::move(bytes), motion);
  }
  return open_amc(std::move(bytes), open_bytes(flags.skeleton.empty() ? find_asf(path) : flags.skeleton), motion);
}

}  // namespace wgp::cli
