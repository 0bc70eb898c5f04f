// wgp regress
#include <cmath>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/input/input_notes.h"
#include "cli/input/inputs.h"
#include "cli/input/point_ids.h"
#include "cli/output/fit_report.h"
#include "cli/output/fit_watch.h"
#include "cli/output/model_tables.h"
#include "geometry/rounding.h"
#include "io/bytes/number.h"

namespace wgp::cli {
namespace {

// X, read with the flags that say how the rows of a file are to be read (--rows, --decimal, ...), as Y is.
std::unique_ptr<TableReader> open_inputs_of(const Arguments& arguments, const TableOptions& options,
                                            const Messages* messages) {
  InputFlags flags;
  flags.table = table_flags_from(arguments);
  return open_input(InputFiles(arguments.operands()[0]), options, flags, nullptr, messages);
}

struct Pairs {
  Matrix X, P;
  Matrix input_sd;            // as X; empty: inputs are known exactly
  std::vector<Index> points;  // which of the set
};

// All of the text are numbers.
std::optional<std::vector<double>> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& word : split_list(text)) {
    const auto number = parse_number(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Standard deviations of the inputs, q x rows of the file: numbers, or columns of it.
Matrix input_sd_of(const Arguments& arguments, const std::string& path, Index q, Index rows) {
  const std::string text = arguments.text("input-sd");
  Matrix sd(q, rows);
  if (const auto numbers = numbers_of(text)) {
    const auto count = static_cast<Index>(numbers->size());
    if (count != 1 && count != q)
      throw UsageError(fmt::format("--input-sd {}: {} for {}; one number for all of them or one for each is right",
                                   text, plural(count, "number"), plural(q, "input")));
    for (Index j = 0; j < q; ++j) sd.row(j).setConstant((*numbers)[static_cast<std::size_t>(count == 1 ? 0 : j)]);
  } else {
    if (arguments.operands()[0] == "-")
      throw UsageError("--input-sd with columns needs X in a file: standard input can be read once only");
    if (arguments.text("x-columns").empty())
      throw UsageError(
          fmt::format("--input-sd {} are columns of X: say with --x-columns which of the others are inputs", text));
    TableOptions options;
    options.columns = text;
    options.non_finite = TableOptions::NonFinite::keep;
    const Matrix columns = read_rest(*open_inputs_of(arguments, options, nullptr)).values;
    if (columns.rows() != 1 && columns.rows() != q)
      throw UsageError(fmt::format("--input-sd {}: {} for {}; one column for all of them or one for each is right",
                                   text, plural(columns.rows(), "column"), plural(q, "input")));
    if (columns.cols() != rows) throw Error(fmt::format("{} has changed while it was read", path));
    for (Index j = 0; j < q; ++j) sd.row(j) = columns.row(columns.rows() == 1 ? 0 : j);
  }
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < q; ++j)
      if (!(sd(j, i) >= 0) || !std::isfinite(sd(j, i)))
        throw Error(fmt::format("{}: row {}: the standard deviation of input {} is {}; a number of at least 0 is right",
                                path, i + 1, j + 1, sd(j, i)));
  return sd;
}

// Rows of X and Y side by side; those that --drop-invalid left out of Y, and inputs that are not finite, leave both.
Pairs matched(const Arguments& arguments, const PointSet& set, const std::string& output,
              const std::vector<std::string>& id_columns, const Messages& messages) {
  const std::string path = arguments.operands()[0] == "-" ? "standard input" : arguments.operands()[0];
  const bool drop = arguments.has("drop-invalid");
  TableOptions options;
  options.columns = arguments.text("x-columns");
  if (drop) options.non_finite = TableOptions::NonFinite::keep;
  options.text_columns = shared_id_columns(arguments, arguments.operands()[0], id_columns);
  const auto reader = open_inputs_of(arguments, options, &messages);
  check_same_voxels({*reader, path}, {*set.reader, output}, set.image);
  TableBlock table = read_rest(*reader);
  const Matrix& all = table.values;
  if (all.cols() != set.file_rows)
    throw Error(fmt::format("{} has {}, but {} has {}; they must match", path, plural(all.cols(), "row"), output,
                            plural(set.file_rows, "row")));
  check_same_ids(take_ids(table.text, options.text_columns.size()), path, set, output);
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
  Pairs pairs{all(Eigen::all, inputs), set.points(Eigen::all, points), Matrix(), points};
  if (arguments.has("input-sd"))
    pairs.input_sd = input_sd_of(arguments, path, all.rows(), all.cols())(Eigen::all, inputs);
  return pairs;
}

}  // namespace

int run_regress(const Arguments& arguments) {
  const Messages messages(arguments);
  const InputFiles files = input_files(arguments, 1);
  check_standard_input({arguments.operands()[0], files.first()});
  const ManifoldPtr manifold = manifold_from(arguments);
  InputOptions reading = input_options(arguments, *manifold);
  reading.id_columns = id_columns_of(arguments, files);
  const std::string path = model_path_from(arguments);
  check_writable(path);
  const std::string output = files.name();
  PointSet set = read_points(files, manifold, reading, messages);
  const Pairs pairs = matched(arguments, set, output, reading.id_columns, messages);
  qualify_ids(arguments, set, reading.id_columns);
  if (pairs.P.cols() < 2)
    throw Error(fmt::format("{}: {}; a regression needs at least 2", output, plural(pairs.P.cols(), "point")));
  if (all_points_equal(*manifold, pairs.P))
    throw Error(fmt::format("{}: all points are equal; there is nothing to model", output));
  FitOptions options;
  set_common_options(arguments, pairs.X.rows(), options);
  options.input_sd = pairs.input_sd;

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
  note_input(arguments, result.model.manifold(), set, notes);
  save_model(path, result.model, result.summary, notes);
  if (arguments.has("json")) print_json(fit_json(result.model, result.summary, path));
  messages.say("{}", model_line(result.model.parts()));
  messages.say("{}", fit_text(result.model, result.summary));
  return watch.finish(result.summary, path, arguments.has("strict"));
}

}  // namespace wgp::cli
