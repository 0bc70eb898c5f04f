#include "cli/output/motion_output.h"

#include <algorithm>

#include "core/format.h"
#include "geometry/product.h"
#include "io/bytes/line_reader.h"
#include "io/tables/formats.h"

namespace wgp::cli {
namespace {

bool is_rotation(const Manifold& manifold) { return manifold.spec().ends_with("so:3") && manifold.ambient_dim() == 9; }

// How many rotations a point is; 0 if it is something else.
std::size_t rotations_of(const Model& model) {
  const Manifold& manifold = model.manifold();
  if (!model.on_manifold()) return 0;
  const auto* product = dynamic_cast<const ProductManifold*>(&manifold);
  if (product == nullptr) return is_rotation(manifold) ? 1 : 0;
  const auto& factors = product->factors();
  const bool all = std::all_of(factors.begin(), factors.end(), [](const auto& factor) { return is_rotation(*factor); });
  return all ? factors.size() : 0;
}

BvhPose pose_of(const std::string& path) {
  RecognisedFile file = recognise_file(open_bytes(path));
  if (file.format->name != "bvh")
    throw Error(
        fmt::format("{}: is no BVH file ({}); --skeleton takes one, whose joints, offsets and first frame are "
                    "written with the rotations",
                    path, file.format->title));
  return read_bvh_pose(std::move(file.bytes));
}

}  // namespace

bool has_motion_name(const std::string& path) { return to_lower(path).ends_with(".bvh"); }

std::unique_ptr<MotionOutput> MotionOutput::asked_for(const Arguments& arguments, const LoadedModel& loaded) {
  const std::string output = arguments.text("output");
  if (!has_motion_name(output)) {
    for (const char* flag : {"skeleton", "bone", "frame"})
      if (arguments.has(flag))
        throw UsageError(fmt::format("--{} is for rotations that are written as motion; add -o FILE.bvh", flag));
    return nullptr;
  }
  const ModelNotes::Motion& known = loaded.notes.motion;
  const std::size_t count = rotations_of(loaded.model);
  if (count == 0)
    throw UsageError(fmt::format(
        "--output {}: motion is made of rotations, but {} of this model are {}; wgp fit --as rotation --manifold so:3 "
        "(so:3^2 of two bones) fits them",
        output, loaded.model.on_manifold() ? "points" : "predictions",
        loaded.model.on_manifold() ? "on " + loaded.model.manifold().spec() : "not on a manifold"));
  const std::string bones = arguments.text("bone", known.bones);
  if (bones.empty())
    throw UsageError(
        fmt::format("--output {}: the model was not fitted to a motion file, so it does not know whose rotations these "
                    "are: add --bone {}",
                    output, count == 1 ? "NAME" : "NAME,NAME,..."));
  if (const std::size_t named = bones_of(bones).size(); named != count)
    throw UsageError(fmt::format("--bone {}: {} for {} of {}", bones, plural(static_cast<Index>(named), "bone"),
                                 plural(static_cast<Index>(count), "rotation"), loaded.model.manifold().spec()));
  const std::string frame = arguments.has("frame") ? arguments.choice("frame", "", {"world", "root"}) : known.frame;
  const std::string skeleton = arguments.required(
      "skeleton",
      "a BVH file, whose joints and offsets are written; its first frame holds what the model does not turn");
  return std::unique_ptr<MotionOutput>(new MotionOutput(
      output, skeleton,
      BvhWriter(pose_of(skeleton), bones, frame == "root" ? MotionOptions::Frame::root : MotionOptions::Frame::world)));
}

void MotionOutput::write(ConstMatrixRef points) {
  for (Index i = 0; i < points.cols(); ++i) writer_.add(points.col(i));
}

void MotionOutput::close(const Messages& messages) {
  OutputFile file(path_);
  writer_.write(file);
  file.commit();
  messages.say(
      "{}: {} of motion, {} turned; all other joints, and the place of the root, stay as in the first frame of "
      "{}",
      path_, plural(writer_.frames(), "frame"), plural(static_cast<Index>(writer_.bones()), "joint"), skeleton_);
}

}  // namespace wgp::cli
