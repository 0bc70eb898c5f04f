// wgp regress
#include <cmath>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/input/point_ids.h"
#include "cli/output/fit_report.h"
#include "cli/output/fit_watch.h"
#include "cli/output/model_tables.h"
#include "geometry/rounding.h"

namespace wgp::cli {
namespace {

struct Pairs {
  Matrix X, P;
  std::vector<Index> points;  // which of the set
};

// Rows of X and Y side by side; those that --drop-invalid left out of Y, and inputs that are not finite, leave both.
Pairs matched(const Arguments& arguments, const PointSet& set, const std::vector<std::string>& id_columns,
              const Messages& messages) {
  const std::string path = arguments.operands()[0] == "-" ? "standard input" : arguments.operands()[0];
  const bool drop = arguments.has("drop-invalid");
  TableOptions options;
  options.columns = arguments.text("x-columns");
  if (drop) options.non_finite = TableOptions::NonFinite::keep;
  options.text_columns = shared_id_columns(arguments, arguments.operands()[0], id_columns);
  const auto reader = open_table(arguments.operands()[0], options);
  check_same_voxels({*reader, path}, {*set.reader, arguments.operands()[1]}, set.image);
  TableBlock table = read_rest(*reader);
  const Matrix& all = table.values;
  if (all.cols() != set.file_rows)
    throw Error(fmt::format("{} has {}, but {} has {}; they must match", path, plural(all.cols(), "row"),
                            arguments.operands()[1], plural(set.file_rows, "row")));
  check_same_ids(take_ids(table.text, options.text_columns.size()), path, set, arguments.operands()[1]);
  std::vector<Index> inputs, points, dropped;
  for (std::size_t i = 0; i < set.row_of.size(); ++i) {
    if (all.col(set.row_of[i]).allFinite()) {
      inputs.push_back(set.row_of[i]);
      points.push_back(static_cast<Index>(i));
    } else {
      dropped.push_back(set.row_of[i]);
    }
  }
  if (!dropped.empty())
    messages.say("{}: {} dropped ({})", path, plural(static_cast<Index>(dropped.size()), "input that is not finite"),
                 row_list(dropped));
  return {all(Eigen::all, inputs), set.points(Eigen::all, points), points};
}

}  // namespace

int run_regress(const Arguments& arguments) {
  const Messages messages(arguments);
  check_standard_input(arguments.operands());
  const ManifoldPtr manifold = manifold_from(arguments);
  InputOptions reading = input_options(arguments, *manifold);
  reading.id_columns = id_columns_of(arguments, arguments.operands()[1]);
  const std::string path = model_path_from(arguments);
  check_writable(path);
  const std::string& output = arguments.operands()[1];
  const PointSet set = read_points(output, manifold, reading, messages);
  const Pairs pairs = matched(arguments, set, reading.id_columns, messages);
  if (pairs.P.cols() < 2)
    throw Error(fmt::format("{}: {}; a regression needs at least 2", output, plural(pairs.P.cols(), "point")));
  if (all_points_equal(*manifold, pairs.P))
    throw Error(fmt::format("{}: all points are equal; there is nothing to model", output));
  FitOptions options;
  set_common_options(arguments, pairs.X.rows(), options);

  FitWatch watch(arguments);
  watch.attach(options);
  const FitResult result = [&] {
    try {
      return regress(manifold, pairs.X, pairs.P, options);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", output, error.what()));
    }
  }();
  watch.clear();
  ModelNotes notes{"wgp " WGP_VERSION, set.form->name()};
  note_points(arguments, set, reading.id_columns, pairs.points, notes);
  save_model(path, result.model, result.summary, notes);
  if (arguments.has("json")) print_json(fit_json(result.model, result.summary, path));
  messages.say("{}", model_line(result.model.parts()));
  messages.say("{}", fit_text(result.model, result.summary));
  return watch.finish(result.summary, path, arguments.has("strict"));
}

}  // namespace wgp::cli
