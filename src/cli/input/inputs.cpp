#include "cli/input/inputs.h"

#include <algorithm>

#include "io/tables/formats.h"

namespace wgp::cli {

InputFlags input_flags_from(const Arguments& arguments) {
  return {image_flags_from(arguments), motion_flags_from(arguments)};
}

std::unique_ptr<TableReader> open_input(const std::string& path, const TableOptions& options, const InputFlags& flags,
                                        const Manifold* manifold, const Messages* messages) {
  // By name first: a damaged image is to be called one.
  if (is_nifti_file(path)) return open_image(open_bytes(path), options, flags.image, manifold, messages);
  if (const MotionKind kind = motion_kind(path); kind != MotionKind::none)
    return open_motion(kind, path, open_bytes(path), options, flags.motion, manifold);
  RecognisedFile file = recognise_file(open_bytes(path));
  if (file.format->name == "nifti") return open_image(std::move(file.bytes), options, flags.image, manifold, messages);
  for (const auto& [name, kind] : {std::pair{"bvh", MotionKind::bvh}, std::pair{"amc", MotionKind::amc}})
    if (file.format->name == name)
      return open_motion(kind, path, std::move(file.bytes), options, flags.motion, manifold);
  return open_table(std::move(file), options);
}

void check_input_flags(const InputFlags& flags, const std::vector<OpenedInput>& inputs) {
  const auto need = [&](const std::string& flag, const char* kind, const std::vector<std::string>& formats) {
    const bool found = std::any_of(inputs.begin(), inputs.end(), [&](const OpenedInput& input) {
      return std::find(formats.begin(), formats.end(), input.reader.format()) != formats.end();
    });
    if (!flag.empty() && !found)
      throw UsageError(fmt::format("--{} is for {}; {} is none", flag, kind, inputs.back().path));
  };
  need(flags.image.given(), "NIfTI images", {"nifti"});
  need(flags.motion.given(), "motion (BVH, AMC)", {"bvh", "amc"});
}

}  // namespace wgp::cli
