#include "cli/input/inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "io/tables/formats.h"

namespace wgp::cli {

InputFlags input_flags_from(const Arguments& arguments) {
  return {image_flags_from(arguments), motion_flags_from(arguments)};
}

namespace {

// --mask {dir}/{name}_mask.nii.gz: one for each image, found by the image's own name.
std::string mask_of(std::string mask, const std::string& image) {
  const std::filesystem::path path(image);
  std::filesystem::path name = path.filename();
  if (name.extension() == ".gz") name = name.stem();
  const std::string folder = path.parent_path().empty() ? "." : path.parent_path().string();
  for (const auto& [word, text] : {std::pair{std::string("{dir}"), folder}, {"{name}", name.stem().string()}})
    for (auto at = mask.find(word); at != std::string::npos; at = mask.find(word, at + text.size()))
      mask.replace(at, word.size(), text);
  return mask;
}

std::unique_ptr<TableReader> open_one(const std::string& path, const TableOptions& options, InputFlags flags,
                                      const Manifold* manifold, const Messages* messages) {
  flags.image.mask = mask_of(flags.image.mask, path);
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

}  // namespace

std::unique_ptr<TableReader> open_input(const InputFiles& files, const TableOptions& options, const InputFlags& flags,
                                        const Manifold* manifold, const Messages* messages) {
  if (!files.several()) return open_one(files.first(), options, flags, manifold, messages);
  // What they say of themselves is kept: they are opened as they are read.
  std::optional<Messages> kept;
  if (messages) kept = *messages;
  return std::make_unique<SeveralFiles>(
      files, options,
      [flags, manifold, kept](const std::string& path, const TableOptions& of_table, SeveralFiles::Saying saying) {
        const bool says = kept && saying == SeveralFiles::Saying::notes;
        return open_one(path, of_table, flags, manifold, says ? &*kept : nullptr);
      });
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
