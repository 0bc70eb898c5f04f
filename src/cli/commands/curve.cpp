// wgp curve
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/input/assume_manifold.h"
#include "cli/input/mirror_images.h"
#include "cli/input/points.h"
#include "cli/output/model_tables.h"
#include "geometry/rounding.h"
#include "report/words/units.h"
#include "wgp/statistics.h"

namespace wgp::cli {

int run_curve(const Arguments& arguments) {
  const Messages messages(arguments);
  const InputFiles files = input_files(arguments);
  const ManifoldPtr manifold = manifold_of(arguments, files, messages);
  InputOptions reading = input_options(arguments, *manifold);
  if (arguments.has("labels")) reading.text_columns = {arguments.text("labels")};
  CurveOptions options;
  const bool closed = arguments.has("closed");
  if (closed) options.topology = CurveOptions::Topology::closed;
  options.nodes = arguments.integer("nodes", 0, closed ? 3 : 2, 1000000);
  options.bandwidth = arguments.number("bandwidth", 0, 1e-6, 1);
  options.max_iterations = static_cast<int>(arguments.integer("max-iterations", options.max_iterations, 0, 1000000));
  options.seed = arguments.seed();

  const std::string input = files.name();
  check_reflect(arguments, *manifold);
  PointSet set = read_points(files, manifold, reading, messages);
  treat_mirror_images(arguments, *manifold, set, messages);
  const Index N = set.points.cols();
  if (N < 3) throw Error(fmt::format("{}: {}; a principal curve needs at least 3", input, plural(N, "point")));
  if (all_points_equal(*manifold, set.points))
    throw Error(fmt::format("{}: all points are equal; no curve runs through them", input));

  const PrincipalCurve curve = principal_curve(*manifold, set.points, options);
  const Matrix nodes = points_to_rows(*set.form, curve.nodes);

  // Both tables are complete before either takes its place.
  std::unique_ptr<TableWriter> table, node_table;
  if (arguments.has("output") || !arguments.has("json")) {
    std::vector<std::string> names = {"arc_length", "latent", "distance"};
    if (!set.text.empty()) names.push_back("label");
    table = create_number_table(arguments.text("output"), names);
    Matrix rows(3, N);
    rows << curve.arc_length.transpose(), curve.latents.transpose(), curve.distances.transpose();
    table->write(rows, set.text);
  }
  if (arguments.has("nodes-out")) {
    node_table = create_table(arguments.text("nodes-out"), point_names(*manifold, *set.form), set.shape);
    node_table->write(nodes);
    node_table->close();
  }
  if (table) table->close();
  if (arguments.has("json"))
    print_json({{"topology", closed ? "closed" : "open"},
                {"length", curve.length},
                {"nodes", columns_to_json(nodes)},
                {"arc_length", to_json(curve.arc_length)},
                {"latents", to_json(curve.latents)},
                {"distances", to_json(curve.distances)},
                {"mean_squared_distance", curve.mean_squared_distance},
                {"bandwidth", curve.bandwidth},
                {"iterations", curve.iterations},
                {"converged", curve.converged},
                {"n", N}});
  messages.say(
      "{} curve through {} on {}: length {:.6g}{}, mean squared distance {:.6g}{}, bandwidth {:.4g}, {} after {}",
      closed ? "closed" : "open", plural(N, "point"), manifold->spec(), curve.length, report::distance_unit(*manifold),
      curve.mean_squared_distance, report::squared_unit(*manifold), curve.bandwidth,
      curve.converged ? "converged" : "not converged", plural(curve.iterations, "iteration"));
  return !curve.converged && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
