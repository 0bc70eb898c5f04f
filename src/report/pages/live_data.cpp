#include "report/pages/live_data.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/format.h"
#include "report/figures/latent_slice.h"
#include "report/live/live_view.h"
#include "report/words/units.h"

namespace wgp::report {
namespace {

using Json = nlohmann::ordered_json;

// Four digits are more than a picture shows, and a page of a million numbers is half as long.
Json rounded(ConstVectorRef numbers) {
  Json list = Json::array();
  for (const double x : numbers) list.push_back(std::isfinite(x) ? Json(std::stod(fmt::format("{:.4g}", x))) : Json());
  return list;
}

constexpr std::size_t longest_text = 400;  // of a label or a name; the rest is an ellipsis
std::vector<std::string> cut(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back(shortened(text, longest_text));
  return all;
}

Json colouring_json(const Colouring& colouring) {
  switch (colouring.kind) {
    case Colouring::Kind::none:
      return {{"kind", "none"}};
    case Colouring::Kind::groups:
      return {{"kind", "groups"},
              {"name", shortened(colouring.name, longest_text)},
              {"groups", cut(colouring.groups)},
              {"of", colouring.group_of}};
    case Colouring::Kind::numbers:
      break;
  }
  return {{"kind", "numbers"},
          {"name", shortened(colouring.name, longest_text)},
          {"numbers", rounded(colouring.numbers)},
          {"low", colouring.low},
          {"high", colouring.high}};
}

Json colourings_json(const ReportData& data) {
  Json all = Json::array({colouring_json(data.latent.colouring)});
  for (const Colouring& colouring : data.further_colourings)
    if (colouring.kind != Colouring::Kind::none) all.push_back(colouring_json(colouring));
  return all;
}

// What a point is called, only where rows do not say it.
Json names_json(const LoadedModel& loaded, const PointNames& points) {
  Json names = {{"heading", shortened(points.heading(), longest_text)}};
  if (!loaded.notes.ids.empty()) {
    Json cells = Json::array();
    for (Index i = 0; i < loaded.model.parts().X.cols(); ++i) cells.push_back(points.cell(i));
    names["cells"] = std::move(cells);
  } else if (!loaded.notes.rows.empty()) {
    names["rows"] = loaded.notes.rows;
  }
  return names;
}

}  // namespace

std::string live_data_json(const LoadedModel& loaded, const ReportData& data) {
  const Model& model = loaded.model;
  Json axes = Json::array();
  for (Index j = 0; j < model.latent_dim(); ++j) {
    const Axis axis = latent_axis(model, j);
    axes.push_back({{"label", latent_name(model, j)},
                    {"low", axis.range.low},
                    {"high", axis.range.high},
                    {"angle", model.parts().latent.is_angle(j)},
                    {"middle", latent_middle(model, j)}});
  }
  std::string unit = distance_unit(model.manifold());
  if (!unit.empty()) unit.erase(0, 1);
  Json json = {{"name", shortened(data.name, longest_text)},
               {"manifold", model.manifold().spec()},
               {"view", model.on_manifold() ? to_string(view_kind(model.manifold())) : "flat"},
               {"given", data.latent.given},
               {"axes", std::move(axes)},
               {"unit", unit},
               {"noise", data.latent.noise_sd},
               {"points", model.parts().point_count()},
               {"names", names_json(loaded, data.points)},
               {"colours", colourings_json(data)}};
  if (data.served) json["served"] = true;
  if (!loaded.notes.channels.empty()) json["channels"] = cut(loaded.notes.channels);
  if (data.residuals.known()) {
    json["residuals"] = rounded(data.residuals.distances);
    json["rms"] = data.residuals.rms;
  }
  // A script element ends at "</", whatever it holds; "<!--" confuses it too.
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace), safe;
  safe.reserve(text.size());
  for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

}  // namespace wgp::report
