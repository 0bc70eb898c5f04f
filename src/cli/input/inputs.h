// Every file of rows that a command can be given: tables, tensor images and motion, the latter two with flags of their
// own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/input/motion_input.h"
#include "cli/input/several_files.h"
#include "cli/input/table_flags.h"
#include "cli/input/tensor_image.h"

namespace wgp::cli {

struct InputFlags {
  ImageFlags image;
  MotionFlags motion;
  TableFlags table;
  std::string id = {};  // --id, by which labels of another file are found
};
InputFlags input_flags_from(const Arguments& arguments);

// --mask {dir}/{name}_mask.nii.gz: one for each image, found by the image's own name.
std::string mask_of(std::string mask, const std::string& image);

// manifold: what the rows are to be points of, null if that is not known. messages: where to say what was found out of
// a file, or null.
std::unique_ptr<TableReader> open_input(const InputFiles& files, const TableOptions& options, const InputFlags& flags,
                                        const Manifold* manifold, const Messages* messages);

// Wrong usage if a flag was given that is for another kind of file than all that were opened.
struct OpenedInput {
  const TableReader& reader;
  std::string path;
};
void check_input_flags(const InputFlags& flags, const std::vector<OpenedInput>& inputs);

}  // namespace wgp::cli
