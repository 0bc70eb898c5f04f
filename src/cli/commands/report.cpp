// wgp report
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/input/model_colouring.h"
#include "cli/output/messages.h"
#include "cli/output/model_tables.h"
#include "cli/output/report_files.h"
#include "report/pages/model_report.h"

namespace wgp::cli {

int run_report(const Arguments& arguments) {
  const Messages messages(arguments);
  const std::string& path = arguments.operands()[0];
  const std::string output = arguments.text("output", "-");
  if (output == "-" && arguments.has("json"))
    throw UsageError("standard output cannot take both the page and the JSON object (--json); add -o report.html");
  check_standard_input({path, arguments.text("data")});
  LoadedModel loaded = load_model(path);
  check_data_flags(arguments);
  const report::Colouring colouring = colouring_of(arguments, loaded, messages);
  const std::string name = path == "-" ? "model" : std::filesystem::path(path).filename().string();
  report::ReportData data = report::report_data(loaded, name, colouring);
  data.further_colourings = further_colourings(arguments, loaded);
  const report::Page page = report::report_page(loaded, data, fmt::format("Written by wgp {}.", WGP_VERSION));

  FigureFiles figures;
  if (arguments.has("figures")) figures = write_figures(arguments.text("figures"), page);
  std::vector<std::string> projector;
  if (arguments.has("projector")) projector = write_projector_tables(arguments.text("projector"), loaded.model, data);
  write_file(output, report::html(page));

  const bool known = data.residuals.known();
  if (arguments.has("json"))
    print_json({{"model", path},
                {"output", output},
                {"n", loaded.model.parts().point_count()},
                {"residual_rms", known ? Json(data.residuals.rms) : Json()},
                {"residual_median", known ? Json(data.residuals.median) : Json()},
                {"worst", known ? Json(data.points.name(data.residuals.worst.front())) : Json()},
                {"worst_row", known ? Json(data.points.row(data.residuals.worst.front()) + 1) : Json()},
                {"calibration", {{"area", data.calibration.area}, {"ks", data.calibration.ks}}},
                {"figures", figures.paths},
                {"projector", projector}});
  if (output != "-") messages.say("written: {}", output);
  if (!known)
    messages.say("the points are not in the model: --data FILE, the table that it was fitted to, shows them too");
  if (!figures.paths.empty())
    messages.say("figures: {}{}", fmt::join(figures.paths, ", "),
                 figures.has_png ? "" : "; no PNG, since rsvg-convert (librsvg2-bin) was not found or failed");
  if (!projector.empty()) messages.say("for the Embedding Projector: {}", fmt::join(projector, ", "));
  return exit_done;
}

}  // namespace wgp::cli
