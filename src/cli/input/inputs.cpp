#include "cli/input/inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/input/fit_flags.h"
#include "cli/input/label_file.h"
#include "cli/input/poses.h"
#include "io/tables/formats.h"

namespace wgp::cli {

InputFlags input_flags_from(const Arguments& arguments) {
  // The column "file" is not one of any file's own.
  std::vector<std::string> ids;
  if (arguments.has("id")) ids = split_list(arguments.text("id"));
  std::erase(ids, file_column);
  return {image_flags_from(arguments), motion_flags_from(arguments), table_flags_from(arguments),
          fmt::format("{}", fmt::join(ids, ","))};
}

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

namespace {

std::unique_ptr<TableReader> open_whole(const std::string& path, const TableOptions& options, const InputFlags& flags,
                                        const Manifold* manifold, const Messages* messages) {
  // By name first: a damaged image is to be called one.
  if (is_nifti_file(path))
    return open_image(open_bytes(nifti_header_path(path)), options, flags.image, manifold, messages);
  if (const MotionKind kind = motion_kind(path); kind != MotionKind::none)
    return open_motion(kind, path, open_bytes(path), options, flags.motion, manifold);
  RecognisedFile file = recognise_file(open_bytes(path));
  if (const std::string& name = file.format->name; name == "nifti" || name == "mif" || name == "nrrd")
    return open_image(std::move(file.bytes), options, flags.image, manifold, messages);
  for (const auto& [name, kind] : {std::pair{"bvh", MotionKind::bvh}, std::pair{"amc", MotionKind::amc}})
    if (file.format->name == name)
      return open_motion(kind, path, std::move(file.bytes), options, flags.motion, manifold);
  const std::string name = file.bytes->name();
  auto table = open_table(std::move(file), options);
  if (messages != nullptr)
    for (const auto& remark : table->remarks()) messages->say("{}: {}", name, remark);
  return in_pose_order(std::move(table), name, flags.table, options, manifold, messages);
}

std::unique_ptr<TableReader> open_one(const std::string& path, TableOptions options, InputFlags flags,
                                      const Manifold* manifold, const Messages* messages) {
  flags.image.mask = mask_of(flags.image.mask, path);
  options.sample_axis = flags.table.sample_axis;
  options.decimal = flags.table.decimal;
  options.curves = flags.table.curves.value_or(options.curves);
  const bool labelled = std::any_of(options.text_columns.begin(), options.text_columns.end(),
                                    [](const std::string& column) { return label_file(column).has_value(); });
  auto reader =
      !labelled ? open_whole(path, options, flags, manifold, messages)
                : open_with_labels(path, options, flags.id, [&](const TableOptions& with, Looking looking) {
                    // What is said of a file is said once.
                    return open_whole(path, with, flags, manifold, looking == Looking::at_rows ? messages : nullptr);
                  });
  if (flags.table.rows.all()) return reader;
  if (dynamic_cast<const NiftiTable*>(reader.get()) != nullptr)
    throw UsageError(
        fmt::format("--rows and --every are for tables, landmarks and motion; of an image like {} --mask "
                    "chooses voxels",
                    path));
  return std::make_unique<ChosenRows>(std::move(reader), path == "-" ? "standard input" : path, flags.table.rows);
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
  need(flags.image.given(), "tensor images (NIfTI, MIF, NRRD)", {"nifti", "mif", "nrrd"});
  need(flags.motion.given(), "motion (BVH, AMC)", {"bvh", "amc"});
  need(flags.table.decimal == '.' ? "" : "decimal", "tables of text", {"csv", "tsv"});
  need(flags.table.sample_axis == 0 ? "" : "sample-axis", "arrays of MATLAB", {"mat"});
  need(flags.table.quaternion == TableFlags::Quaternion::as_named ? "" : "quaternion", "tables of quaternions",
       {"csv", "tsv", "npy", "npz", "mat"});
  need(flags.table.curves ? "curves" : "", "landmarks in TPS", {"tps"});
}

}  // namespace wgp::cli
