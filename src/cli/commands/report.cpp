// wgp report
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/input/point_ids.h"
#include "cli/output/messages.h"
#include "cli/output/model_tables.h"
#include "cli/output/report_files.h"
#include "report/pages/model_report.h"

namespace wgp::cli {
namespace {

// --labels COL --data FILE: one label for each training point; otherwise those that the fit was given.
report::Colouring colouring_of(const Arguments& arguments, const LoadedModel& loaded) {
  if (arguments.has("labels") != arguments.has("data"))
    throw UsageError("--labels COL and --data FILE belong together: a column of a table with a row per training point");
  for (const char* flag : {"id", "by-row"})
    if (arguments.has(flag) && !arguments.has("data"))
      throw UsageError(fmt::format("--{} says how --data FILE is joined with the points; there is none", flag));
  if (!arguments.has("labels") && loaded.notes.labels.empty()) return {};
  if (!arguments.has("labels")) return report::colouring_from(loaded.notes.label_column, loaded.notes.labels);
  const std::string path = arguments.text("data"), column = arguments.text("labels");
  const std::vector<std::string> labels = joined_labels(arguments, path, column, loaded);
  const bool number = column.find_first_not_of("0123456789") == std::string::npos;
  return report::colouring_from(number ? "column " + column : column, labels);
}

}  // namespace

int run_report(const Arguments& arguments) {
  const Messages messages(arguments);
  const std::string& path = arguments.operands()[0];
  const std::string output = arguments.text("output", "-");
  if (output == "-" && arguments.has("json"))
    throw UsageError("standard output cannot take both the page and the JSON object (--json); add -o report.html");
  check_standard_input({path, arguments.text("data")});
  const LoadedModel loaded = load_model(path);
  const report::Colouring colouring = colouring_of(arguments, loaded);
  const std::string name = path == "-" ? "model" : std::filesystem::path(path).filename().string();
  const report::ReportData data = report::report_data(loaded, name, colouring);
  const report::Page page = report::report_page(data, fmt::format("Written by wgp {}.", WGP_VERSION));

  FigureFiles figures;
  if (arguments.has("figures")) figures = write_figures(arguments.text("figures"), page);
  std::vector<std::string> projector;
  if (arguments.has("projector")) projector = write_projector_tables(arguments.text("projector"), loaded.model, data);
  write_file(output, report::html(page));

  if (arguments.has("json"))
    print_json({{"model", path},
                {"output", output},
                {"n", loaded.model.parts().point_count()},
                {"residual_rms", data.residuals.rms},
                {"residual_median", data.residuals.median},
                {"worst", data.points.name(data.residuals.worst.front())},
                {"worst_row", data.points.row(data.residuals.worst.front()) + 1},
                {"calibration", {{"area", data.calibration.area}, {"ks", data.calibration.ks}}},
                {"figures", figures.paths},
                {"projector", projector}});
  if (output != "-") messages.say("written: {}", output);
  if (!figures.paths.empty())
    messages.say("figures: {}{}", fmt::join(figures.paths, ", "),
                 figures.has_png ? "" : "; no PNG, since rsvg-convert (librsvg2-bin) was not found or failed");
  if (!projector.empty()) messages.say("for the Embedding Projector: {}", fmt::join(projector, ", "));
  return exit_done;
}

}  // namespace wgp::cli
