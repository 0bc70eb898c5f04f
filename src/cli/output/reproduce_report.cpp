#include "cli/output/reproduce_report.h"

#include "core/format.h"

#include <algorithm>

#include "cli/output/evaluate_report.h"
#include "report/figures/latent_order.h"
#include "report/pages/reproduce_page.h"
#include "report/pages/table_one.h"

namespace wgp::cli {
namespace {

using Json = nlohmann::ordered_json;

// Characters, not bytes: the plus-minus sign is one.
std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

Json reproduction_json(const Reproduction& reproduction) {
  Json result;
  for (const Reproduced& set : reproduction.sets) {
    const ExperimentPlan& plan = set.experiment.plan;
    Json json = evaluation_json(set.evaluations, set.experiment.manifold->dim(), plan.angles + plan.plain);
    const report::Colouring colouring = report::portrait_colouring(set);
    for (const auto& [name, model] : {std::pair{"wgplvm", &set.wgplvm}, {"gplvm", &set.gplvm}})
      if (const auto order = report::latent_order(**model, colouring))
        json[name]["latent_order"] = {{"step_share", order->step_share}, {"early_share", order->early_share}};
    result[plan.name] = json;
  }
  return result;
}

std::string plain_text(const report::Table& table) {
  std::vector<std::vector<std::string>> rows = table.rows;
  if (!table.header.empty()) rows.insert(rows.begin(), table.header);
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], shown_width(row[j]));
  }
  std::string text = table.caption.empty() ? "" : table.caption + "\n";
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t j = 0; j < row.size(); ++j)
      line += row[j] + (j + 1 < row.size() ? std::string(widths[j] - shown_width(row[j]) + 2, ' ') : "");
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string reproduction_text(const Reproduction& reproduction) {
  std::string text = "Table 1\n";
  for (const report::Table& table :
       {report::intrinsic_table(reproduction.sets), report::euclidean_table(reproduction.sets),
        report::calibration_table(reproduction.sets), report::density_table(reproduction.sets),
        report::coverage_table(reproduction.sets), report::clip_table(reproduction.sets)})
    if (!table.rows.empty()) text += plain_text(table) + "\n";
  text.pop_back();
  return text;
}

}  // namespace wgp::cli
