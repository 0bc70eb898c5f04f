// wgp mean
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/input/assume_manifold.h"
#include "cli/input/mirror_images.h"
#include "cli/input/points.h"
#include "cli/input/table_flags.h"
#include "cli/output/mean_report.h"
#include "io/bytes/number.h"
#include "io/tables/csv_sample.h"
#include "report/words/units.h"
#include "wgp/statistics.h"

namespace wgp::cli {
namespace {

Vector parse_weights(const PointSet& set, const std::string& path, char decimal) {
  const std::vector<std::string>& texts = set.text[0];
  Vector weights(static_cast<Index>(texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto weight = FieldNumbers(decimal)(texts[i]);
    if (!weight || !(*weight >= 0 && *weight < infinity))
      throw Error(fmt::format("{}: row {}: the weight {} is not a number of at least 0",
                              set.place(static_cast<Index>(i), path).path,
                              set.place(static_cast<Index>(i), path).row + 1, quote_text(texts[i])));
    weights[static_cast<Index>(i)] = *weight;
  }
  if (!(weights.maxCoeff() > 0)) throw Error(fmt::format("{}: all weights are 0", path));
  return weights;
}

}  // namespace

bool has_failed(const FrechetMean& mean) {
  return mean.status == MeanStatus::max_iterations || mean.status == MeanStatus::stalled ||
         mean.status == MeanStatus::saddle || mean.status == MeanStatus::failed_logs;
}

void say_troubles(const FrechetMean& mean, const Messages& messages) {
  if (mean.cut_points + mean.near_cut_points > 0)
    messages.say("{} on and {} near the cut locus of the mean", plural(mean.cut_points, "point"), mean.near_cut_points);
  if (mean.failed_logs > 0) messages.say("{} without a logarithm at the mean", plural(mean.failed_logs, "point"));
}

int run_mean(const Arguments& arguments) {
  const Messages messages(arguments);
  const InputFiles files = input_files(arguments);
  const ManifoldPtr manifold = manifold_of(arguments, files, messages);
  InputOptions reading = input_options(arguments, *manifold);
  if (arguments.has("weights")) reading.text_columns = {arguments.text("weights")};
  MeanOptions options;
  options.max_iterations = static_cast<int>(arguments.integer("max-iterations", options.max_iterations, 0, 1000000));
  options.seed = arguments.seed();
  const std::string input = files.name();
  check_reflect(arguments, *manifold);
  PointSet set = read_points(files, manifold, reading, messages);
  treat_mirror_images(arguments, *manifold, set, messages);
  const FrechetMean mean = set.text.empty()
                               ? frechet_mean(*manifold, set.points, options)
                               : frechet_mean(*manifold, set.points,
                                              parse_weights(set, input, table_flags_from(arguments).decimal), options);

  const Vector row = set.form->from_point(mean.mean);
  if (arguments.has("output") || !arguments.has("json")) {
    const auto writer = create_table(arguments.text("output"), point_names(*manifold, *set.form), set.shape);
    writer->write(row);
    writer->close();
  }
  if (arguments.has("json"))
    print_json({{"mean", to_json(row)},
                {"variance", mean.variance},
                {"radius", mean.radius},
                {"gradient_norm", mean.gradient_norm},
                {"iterations", mean.iterations},
                {"status", to_string(mean.status)},
                {"unique", mean.unique},
                {"cut_points", mean.cut_points},
                {"near_cut_points", mean.near_cut_points},
                {"failed_logs", mean.failed_logs},
                {"n", set.points.cols()}});
  messages.say("mean of {} on {}: {} after {}, variance {:.6g}{}, radius {:.6g}{}, {}",
               plural(set.points.cols(), "point"), manifold->spec(), to_string(mean.status),
               plural(mean.iterations, "iteration"), mean.variance, report::squared_unit(*manifold), mean.radius,
               report::distance_unit(*manifold), mean.unique ? "unique" : "not certified to be unique");
  say_troubles(mean, messages);
  return has_failed(mean) && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
