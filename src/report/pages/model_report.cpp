#include "report/pages/model_report.h"

#include "core/format.h"
#include "report/pages/live_data.h"
#include "report/words/units.h"

#include <algorithm>

namespace wgp::report {
namespace {

Table worst_table(const ResidualData& residuals, const PointNames& points, const Colouring& colouring,
                  const std::string& unit) {
  const bool labelled = !colouring.labels.empty();
  Table table;
  table.caption = "The points that fit worst";
  table.header = {"", points.heading(), unit.empty() ? "distance" : "distance," + unit, "of the root mean square"};
  if (labelled) table.header.push_back(colouring.name);
  const std::size_t count = std::min(worst_shown, residuals.worst.size());
  for (std::size_t k = 0; k < count; ++k) {
    const Index i = residuals.worst[k];
    const double distance = residuals.distances[i];
    table.rows.push_back({fmt::format("{}.", k + 1), points.cell(i), fmt::format("{:.4g}", distance),
                          residuals.rms > 0 ? fmt::format("{:.1f} times", distance / residuals.rms) : ""});
    if (labelled)
      table.rows.back().push_back(colouring.kind == Colouring::Kind::numbers
                                      ? fmt::format("{:.4g}", colouring.numbers[i])
                                      : shortened(colouring.labels[static_cast<std::size_t>(i)], 60));
  }
  return table;
}

// A command is no sentence: quotes keep it apart.
std::string where_points_are(const std::string& name) {
  return fmt::format(
      "The points are not in the model: 'wgp report {} --data FILE', with the table that it was fitted to, "
      "shows them, and how far they lie from their reconstructions.",
      name);
}

std::string summary_of(const ReportData& data) {
  const ResidualData& residuals = data.residuals;
  const std::string unit = distance_unit(*data.manifold);
  if (!residuals.known())
    return fmt::format("{} The noise sd is {:.4g}{} in each of {} dimensions. {}", data.sentence, data.noise_sd, unit,
                       data.calibration.d, where_points_are(data.name));
  return fmt::format(
      "{} Training points lie {:.3g}{} from their reconstructions (root mean square), {} the farthest "
      "with {:.3g}; the noise sd is {:.4g}{} in each of {} dimensions.",
      data.sentence, residuals.rms, unit, data.points.name(residuals.worst.front()),
      residuals.distances[residuals.worst.front()], data.noise_sd, unit, data.calibration.d);
}

// How the model is gone on with, in the ways that there are.
Section use_of(const ReportData& data) {
  Section section{"use", "Use this model"};
  section.table = Table{};
  section.table->rows = {
      {"new points to latents, on the command line", fmt::format("wgp encode {} new.csv -o latents.csv", data.name)},
      {"latents to points", fmt::format("wgp decode {} latents.csv -o points.csv", data.name)},
      {"in Python",
       fmt::format("model = wgp.load(\"{}\"); Z = model.transform(X); X_hat = model.inverse_transform(Z)", data.name)},
      {"in C++", fmt::format("wgp::Model model = wgp::load_model(\"{}\").model; model.predict(x).points;", data.name)},
  };
  return section;
}

// Nothing for models that a file cannot hold: those with a manifold or a kernel of one's own.
std::optional<LivePart> live_part(const LoadedModel& loaded, const ReportData& data) {
  try {
    return LivePart{live_data_json(loaded, data), model_bytes(loaded.model, loaded.summary, loaded.notes), data.served};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

ReportData report_data(const LoadedModel& loaded, const std::string& name, const Colouring& colouring) {
  const Model& model = loaded.model;
  ReportData data;
  data.name = name;
  data.sentence = model_sentence(model);
  if (!loaded.summary.left_undone.empty())
    data.sentence += fmt::format(" The fit was ended before it was done: {}.", loaded.summary.left_undone);
  data.points = PointNames(loaded.notes);
  data.latent = latent_data(model, colouring);
  data.manifold = model.parts().manifold;
  if (has_sphere_figure(*data.manifold) || has_plane_figure(*data.manifold))
    data.lines = decoded_lines(model, colouring);
  else
    data.decoded = decoded_data(model);
  data.decoded.channels = loaded.notes.channels;
  data.convergence = convergence_data(model, loaded.summary);
  data.residuals = residual_data(model);
  data.calibration = calibration_data(model, loaded.summary);
  data.noise_sd = noise_sd(model);
  data.provenance = provenance(loaded);
  return data;
}

Page report_page(const LoadedModel& loaded, const ReportData& data, const std::string& foot) {
  Page page;
  page.title = data.name;
  page.summary = summary_of(data);
  page.foot = foot;
  const auto add = [&](const std::string& id, Figure figure) -> Section& {
    std::string title = figure.title;
    page.sections.push_back({id, std::move(title), std::move(figure)});
    return page.sections.back();
  };
  page.live = live_part(loaded, data);
  add("latent", latent_figure(data.latent)).replaced_live = page.live.has_value();
  add("decoded", !data.lines                         ? decoded_figure(data.decoded)
                 : has_sphere_figure(*data.manifold) ? sphere_figure(*data.lines)
                                                     : plane_figure(*data.manifold, *data.lines))
      .replaced_live = page.live.has_value();
  if (data.residuals.known())
    add("residuals", residual_figure(data.residuals, data.points)).table =
        worst_table(data.residuals, data.points, data.latent.colouring, distance_unit(*data.manifold));
  if (!data.calibration.fractions.empty()) add("calibration", calibration_figure(data.calibration));
  if (!data.convergence.starts.empty()) add("convergence", convergence_figure(data.convergence));
  page.sections.push_back(use_of(data));
  Section section{"provenance", "Provenance"};
  section.table = Table{};
  for (const auto& [name, value] : data.provenance) section.table->rows.push_back({name, value});
  page.sections.push_back(std::move(section));
  return page;
}

}  // namespace wgp::report
