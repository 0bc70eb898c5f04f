// Acclaim motion: the skeleton in an ASF file, the frames in an AMC file, as the CMU motion capture database has them.
//
// A bone has a direction and axes in the rest pose, both in world coordinates: "axis x y z XYZ" are the axes turned
// about X, then Y, then Z. Its degrees of freedom are turns about these axes, in the order that dof lists them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/bytes/byte_source.h"
#include "io/motion/skeleton.h"

namespace wgp {

bool is_amc(std::string_view head);
bool is_asf(std::string_view head);

// The skeleton that belongs to an AMC file: of the same name, of the name before the last "_" (69.asf for 69_08.amc),
// or the only one in the folder. An Error if there is none or more than one.
std::string find_asf(const std::string& amc_path);

std::unique_ptr<TableReader> open_amc(std::unique_ptr<ByteSource> motion, std::unique_ptr<ByteSource> skeleton,
                                      const MotionOptions& options);
// As the registry of formats opens it: an Error that asks for a bone.
std::unique_ptr<TableReader> open_amc_table(std::unique_ptr<ByteSource> source, const TableOptions& options);

}  // namespace wgp
