#include "wgp/report.h"

#include "core/format.h"
#include "report/pages/model_report.h"

namespace wgp {
namespace {

report::Colouring colouring_of(const LoadedModel& loaded, const ReportOptions& options) {
  if (options.labels.empty())
    return loaded.notes.labels.empty() ? report::Colouring()
                                       : report::colouring_from(loaded.notes.label_column, loaded.notes.labels);
  const Index points = loaded.model.parts().X.cols();
  if (static_cast<Index>(options.labels.size()) != points)
    throw Error(fmt::format("{} labels for the {} points that the model holds", options.labels.size(), points));
  return report::colouring_from(options.label_column, options.labels);
}

}  // namespace

std::string report_html(const LoadedModel& loaded, const ReportOptions& options) {
  return report::html(report::report_page(
      loaded, report::report_data(loaded, options.name, colouring_of(loaded, options)), options.foot));
}

std::string latent_svg(const LoadedModel& loaded, const ReportOptions& options) {
  return report::latent_figure(report::latent_data(loaded.model, colouring_of(loaded, options))).svg.file();
}

}  // namespace wgp
