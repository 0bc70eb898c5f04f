#include "cli/input/mirror_images.h"

#include "statistics/mirror_images.h"

namespace wgp::cli {

void check_reflect(const Arguments& arguments, const Manifold& manifold) {
  if (arguments.has("reflect") && landmark_coordinates(manifold) == 0)
    throw UsageError(fmt::format("--reflect is for landmarks (kendall:k, kendall3d:k), not for {}", manifold.spec()));
}

Vector mirror_reference(const Model& model) {
  if (model.lift().is_embedded())
    throw UsageError("--reflect turns shapes towards the base point of a wgplvm model; this model has none");
  return model.parts().base;
}

namespace {

// Rows of one file, or of several: "rows 3, 5", "b.tps row 3, c.tps row 1, ...".
std::string where(const PointSet& set, const std::vector<Index>& points) {
  constexpr std::size_t shown = 5;
  std::vector<Index> rows;
  std::string text;
  for (std::size_t k = 0; k < points.size(); ++k) {
    rows.push_back(set.row(points[k]));
    const SeveralFiles::Place at = set.place(points[k], "");
    if (k < shown) text += fmt::format("{}{} row {}", k > 0 ? ", " : "", at.path, at.row + 1);
  }
  if (dynamic_cast<const SeveralFiles*>(set.reader.get()) == nullptr) return row_list(rows);
  return text + (points.size() > shown ? ", ..." : "");
}

}  // namespace

void treat_mirror_images(const Arguments& arguments, const Manifold& manifold, PointSet& set,
                         const Messages& messages) {
  check_reflect(arguments, manifold);
  if (set.file) {  // more than are held in memory
    if (arguments.has("reflect"))
      throw UsageError("--reflect looks at all points together, and these are too many; turn them back beforehand");
    return;
  }
  const MirrorImages found = find_mirror_images(manifold, set.points);
  if (found.points.empty()) {
    if (arguments.has("reflect")) messages.say("no configuration is a mirror image of the others: none was reflected");
    return;
  }
  const auto count = static_cast<Index>(found.points.size());
  const std::string what = count == 1 ? "a mirror image" : "mirror images";
  if (!arguments.has("reflect")) {
    messages.say(
        "warning: {} of {} {} closer to the mean when reflected ({}), as {} of the others would be; they were left as "
        "they are (--reflect turns them back)",
        count, plural(set.points.cols(), "configuration"), count == 1 ? "lies" : "lie", where(set, found.points), what);
    return;
  }
  set.points(Eigen::all, found.points) = mirrored(set.points(Eigen::all, found.points), landmark_coordinates(manifold));
  messages.say("{} of {} reflected, since {} the others ({})", count, plural(set.points.cols(), "configuration"),
               count == 1 ? "it is a mirror image of" : "they are mirror images of", where(set, found.points));
}

}  // namespace wgp::cli
