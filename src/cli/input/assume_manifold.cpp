#include "cli/input/assume_manifold.h"

#include "cli/input/inputs.h"
#include "cli/input/poses.h"
#include "cli/output/check_report.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

constexpr Index rows_looked_at = 2000;

struct Reading {
  std::string spec, reason, columns = {};
};

// What the numbers alone can tell: shapes, angles and plain vectors could be anything.
bool is_telling(const std::string& spec) {
  for (const char* name : {"kendall", "torus", "euclidean"})
    if (spec.starts_with(name)) return false;
  return true;
}

std::vector<Reading> readings_of(TableReader& reader) {
  const std::string format = reader.format();
  if (const auto* image = dynamic_cast<const NiftiTable*>(&reader))
    return image->holds_tensors() ? std::vector<Reading>{{"spd:3", "a tensor image"}} : std::vector<Reading>{};
  const Index bones = reader.width() / 3;  // directions, where nothing says that rotations are meant
  if ((format == "bvh" || format == "amc") && bones > 1)
    return {{fmt::format("sphere:2^{}", bones), fmt::format("directions of {} bones", bones)}};
  if (format == "bvh" || format == "amc") return {{"sphere:2", "directions of a bone"}};
  const Index dimension = landmark_dimension(reader.names());
  const Index landmarks = dimension > 0 ? reader.width() / dimension : 0;
  if (dimension == 2) return {{fmt::format("kendall:{}", landmarks), "landmarks x1 y1 x2 y2 ..."}};
  if (dimension == 3) return {{fmt::format("kendall3d:{}", landmarks), "landmarks x1 y1 z1 x2 ..."}};
  if (const NamedPose pose = named_pose(reader.names()); !pose.quaternion.empty()) {
    if (!pose.translation.empty()) return {{"se:3", "columns of quaternions and translations"}};
    if (reader.width() == 4) return {{"so:3", "columns of quaternions"}};
  }
  TableBlock block;
  reader.read(rows_looked_at, block);
  if (are_kitti(block.values)) return {{"se:3", "rows of 3 x 4 matrices, as KITTI has them"}};
  std::vector<Reading> readings;
  for (const Candidate& candidate : guess_manifolds(block.values))
    if (candidate.fits == block.values.cols() && is_telling(candidate.spec))
      readings.push_back({candidate.spec, candidate.reason, candidate.columns});
  return readings;
}

}  // namespace

Index landmark_dimension(const std::vector<std::string>& names) {
  for (const Index dimension : {2, 3}) {
    const auto width = static_cast<Index>(names.size());
    if (width < 3 * dimension || width % dimension != 0) continue;
    bool match = true;
    for (Index j = 0; j < width && match; ++j)
      match = names[static_cast<std::size_t>(j)] ==
              std::string(1, "xyz"[j % dimension]) + std::to_string(j / dimension + 1);
    if (match) return dimension;
  }
  return 0;
}

ManifoldPtr manifold_of(const Arguments& arguments, const InputFiles& files, const Messages& messages) {
  const std::string& input = files.first();
  if (arguments.has("manifold")) return manifold_from(arguments);
  if (input == "-")
    throw UsageError(
        "--manifold M is needed for standard input, which can be read only once (wgp manifolds lists them)");
  TableOptions options;
  options.columns = arguments.text("columns");
  options.array = arguments.text("array");
  const InputFlags flags = input_flags_from(arguments);
  const auto reader = open_input(input, options, flags, nullptr, nullptr);
  check_input_flags(flags, {{*reader, input}});
  const std::vector<Reading> readings = readings_of(*reader);
  if (const auto* image = dynamic_cast<const NiftiTable*>(reader.get()); image != nullptr && readings.empty())
    throw UsageError(fmt::format("--manifold M is needed: {}: {}", input, no_tensors_text(*image)));
  if (readings.empty())
    throw UsageError(fmt::format(
        "--manifold M is needed: the rows of {} do not tell it (wgp check {} says what they could be)", input, input));
  if (readings.size() > 1) {
    std::string list;
    for (const Reading& reading : readings)
      list += fmt::format("\n  --manifold {:<16} {}", reading.spec, reading.reason);
    throw UsageError(fmt::format("--manifold M is needed: the rows of {} fit more than one{}", input, list));
  }
  if (!readings[0].columns.empty())
    throw UsageError(fmt::format("the rows of {} look like {}: add --columns {}, which puts them in the order of {}",
                                 input, readings[0].reason, readings[0].columns, readings[0].spec));
  messages.say("{}: taken as {} ({}); --manifold overrules", input, readings[0].spec, readings[0].reason);
  return parse_manifold(readings[0].spec);
}

}  // namespace wgp::cli
