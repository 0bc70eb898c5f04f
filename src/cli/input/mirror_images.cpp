#include "cli/input/mirror_images.h"

#include "statistics/mirror_images.h"

namespace wgp::cli {

void check_reflect(const Arguments& arguments, const Manifold& manifold) {
  if (arguments.has("reflect") && landmark_coordinates(manifold) == 0)
    throw UsageError(fmt::format("--reflect is for landmarks (kendall:k, kendall3d:k), not for {}", manifold.spec()));
}

void treat_mirror_images(const Arguments& arguments, const Manifold& manifold, PointSet& set,
                         const Messages& messages) {
  check_reflect(arguments, manifold);
  if (set.file) {  // more than are held in memory
    if (arguments.has("reflect"))
      throw UsageError("--reflect looks at all points together, and these are too many; turn them back beforehand");
    return;
  }
  const MirrorImages found = find_mirror_images(manifold, set.points);
  std::vector<Index> rows;
  for (const Index i : found.points) rows.push_back(set.row(i));
  if (rows.empty()) {
    if (arguments.has("reflect")) messages.say("no configuration is a mirror image of the others: none was reflected");
    return;
  }
  const auto count = static_cast<Index>(rows.size());
  const std::string what = count == 1 ? "a mirror image" : "mirror images";
  if (!arguments.has("reflect")) {
    messages.say(
        "warning: {} of {} {} closer to the mean when reflected ({}), as {} of the others would be; they were left as "
        "they are (--reflect turns them back)",
        count, plural(set.points.cols(), "configuration"), count == 1 ? "lies" : "lie", row_list(rows), what);
    return;
  }
  set.points(Eigen::all, found.points) = mirrored(set.points(Eigen::all, found.points), landmark_coordinates(manifold));
  messages.say("{} of {} reflected, since {} the others ({})", count, plural(set.points.cols(), "configuration"),
               count == 1 ? "it is a mirror image of" : "they are mirror images of", row_list(rows));
}

}  // namespace wgp::cli
