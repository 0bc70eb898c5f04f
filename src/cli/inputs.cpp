#include "cli/inputs.h"

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

void check_input_flags(const InputFlags& flags, const TableReader& reader, const std::string& path) {
  if (const std::string flag = flags.image.given(); !flag.empty() && reader.format() != "nifti")
    throw UsageError(fmt::format("--{} is for NIfTI images; {} is none", flag, path));
  if (const std::string flag = flags.motion.given();
      !flag.empty() && reader.format() != "bvh" && reader.format() != "amc")
    throw UsageError(fmt::format("--{} is for motion (BVH, AMC); {} is none", flag, path));
}

}  // namespace wgp::cli
