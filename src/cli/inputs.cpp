#include "cli/inputs.h"

#include <algorithm>

namespace wgp::cli {

InputFlags input_flags_from(const Arguments& arguments) {
  return {image_flags_from(arguments), motion_flags_from(arguments)};
}

std::unique_ptr<TableReader> open_input(const std::string& path, const TableOptions& options, const InputFlags& flags,
                                        const Manifold* manifold, const Messages* messages) {
  if (is_nifti_file(path)) return open_image(path, options, flags.image, manifold, messages);
  if (is_motion_file(path)) return open_motion(path, options, flags.motion, manifold);
  return open_table(path, options);
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
