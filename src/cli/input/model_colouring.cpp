#include "cli/input/model_colouring.h"

#include <algorithm>
#include <cmath>

#include "cli/input/point_ids.h"
#include "report/figures/residual_figure.h"

namespace wgp::cli {
namespace {

void check_flags(const Arguments& arguments) {
  if (arguments.operands().size() > 1 && !arguments.has("data"))
    throw UsageError(
        fmt::format("{} besides the model: files of points follow --data", quote_text(arguments.operands()[1])));
  if (arguments.has("labels") && !arguments.has("data"))
    throw UsageError("--labels COL is a column of --data FILE, a table with a row per training point; there is none");
  for (const char* flag : {"id", "by-row"})
    if (arguments.has(flag) && !arguments.has("data"))
      throw UsageError(fmt::format("--{} says how --data FILE is joined with the points; there is none", flag));
}

void refuse_data_without_labels(const Arguments& arguments, const LoadedModel& loaded) {
  if (arguments.has("data") && !arguments.has("labels") && loaded.model.parts().has_points())
    throw UsageError("--data FILE is for --labels COL, a column of it; the model holds its points already");
}

// --data FILE, and the further ones after the model: what a shell makes of --data 'sub-*.nii.gz'.
InputFiles data_files(const Arguments& arguments) {
  std::vector<std::string> files = arguments.operands();
  files.front() = arguments.text("data");
  return input_files(files);
}

std::string heading_of(const std::string& column) {
  const bool number = column.find_first_not_of("0123456789") == std::string::npos;
  return number ? "column " + column : column;
}

// Points of another table, or in another order, lie anywhere.
void check_points_are_its_own(const LoadedModel& loaded, const std::string& file, const Messages& messages) {
  const double expected =
      std::sqrt(loaded.model.parts().noise * static_cast<double>(loaded.model.dim()));  // or little less
  constexpr double suspicious = 3;
  const report::ResidualData residuals = report::residual_data(loaded.model);
  if (residuals.rms > suspicious * expected)
    messages.say(
        "{}: its points lie {:.2g} from their reconstructions, where {:.2g} is expected: are they the model's own, "
        "in their order? (wgp fit --id keeps ids)",
        file, residuals.rms, expected);
}

// By the labels that the fit was given, if any.
report::Colouring own_colouring(const LoadedModel& loaded) {
  if (loaded.notes.labels.empty()) return {};
  return report::colouring_from(loaded.notes.label_column, loaded.notes.labels);
}

// At least one; empty where none is asked for.
std::vector<std::string> label_columns(const Arguments& arguments) {
  std::vector<std::string> columns = split_list(arguments.text("labels"));
  if (columns.empty()) columns.emplace_back();
  return columns;
}

}  // namespace

void check_data_flags(const Arguments& arguments) {
  for (const char* flag : {"columns", "mask", "ignore-affine", "tensor-order", "bone", "frame", "as", "skeleton",
                           "array", "shrink", "samples", "rows", "every", "decimal", "curves", "sample-axis"})
    if (arguments.has(flag) && !arguments.has("data"))
      throw UsageError(fmt::format("--{} says how --data FILE is read; there is none", flag));
}

report::Colouring colouring_of(const Arguments& arguments, LoadedModel& loaded, const Messages& messages) {
  check_flags(arguments);
  refuse_data_without_labels(arguments, loaded);
  const std::string column = label_columns(arguments).front();
  if (!arguments.has("data")) return own_colouring(loaded);
  const InputFiles files = data_files(arguments);
  const std::string path = files.name();
  if (!loaded.model.parts().has_points()) {
    try {
      FoundPoints found = points_of(arguments, files, column, loaded, messages);
      loaded.model = loaded.model.with([&](Model::Parts& parts) { parts.P = std::move(found.points); });
      check_points_are_its_own(loaded, path, messages);
      if (!column.empty()) return report::colouring_from(heading_of(column), found.labels);
    } catch (const Error& error) {
      if (column.empty() || files.first() == "-") throw;
      // A table of labels alone, perhaps.
      messages.say("{}: taken for labels alone, since the model's points are not there ({})", path, error.what());
    }
  }
  if (!arguments.has("labels")) return own_colouring(loaded);
  return report::colouring_from(heading_of(column), joined_labels(arguments, files, column, loaded));
}

std::vector<report::Colouring> further_colourings(const Arguments& arguments, const LoadedModel& loaded) {
  std::vector<report::Colouring> all;
  if (!arguments.has("labels")) return all;
  const InputFiles files = data_files(arguments);
  const std::vector<std::string> columns = label_columns(arguments);
  if (columns.size() > 1 && files.first() == "-")
    throw UsageError("--labels with several columns reads the table once for each: give a file in place of '-'");
  for (std::size_t k = 1; k < columns.size(); ++k)
    all.push_back(report::colouring_from(heading_of(columns[k]), joined_labels(arguments, files, columns[k], loaded)));
  const bool again = std::find(columns.begin(), columns.end(), loaded.notes.label_column) != columns.end();
  if (!loaded.notes.labels.empty() && !again) all.push_back(own_colouring(loaded));
  return all;
}

}  // namespace wgp::cli
