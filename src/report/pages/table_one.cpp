#include "report/pages/table_one.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>

namespace wgp::report {
namespace {

std::string cell(const Measured& measured) {
  return measured.values.empty() ? "-" : measured_text(measured.mean(), measured.sem());
}
std::string cell(const Published& published) {
  return published.mean == 0 ? "-" : measured_text(published.mean, published.sem);
}

std::vector<std::string> header_of(const std::vector<Reproduced>& sets, std::vector<std::string> first) {
  for (const Reproduced& set : sets) first.push_back(set.experiment.plan.title);
  return first;
}

// One row: a cell for each data set.
template <class CellOf>
void add_row(Table& table, const std::vector<Reproduced>& sets, std::vector<std::string> first, const CellOf& cell_of) {
  for (const Reproduced& set : sets) first.push_back(cell_of(set));
  table.rows.push_back(std::move(first));
}

constexpr const char* shown_names[][2] = {{"wgplvm", "WGPLVM"},
                                          {"wgplvm-variational", "WGPLVM, latents integrated out"},
                                          {"gplvm", "GPLVM"},
                                          {"gplvmproj", "GPLVMProj"},
                                          {"nearest", "nearest training point"},
                                          {"pga", "PGA projection"}};

std::string splits_of(const std::vector<Reproduced>& sets) {
  std::size_t most = 0;
  for (const Reproduced& set : sets)
    most = std::max(most, evaluation_of(set, "wgplvm").density.euclidean_rmse.values.size());
  return fmt::format("{} split{}", most, most == 1 ? "" : "s");
}

using PickError = const Measured& (*)(const ReconstructionErrors&);
const Measured& intrinsic(const ReconstructionErrors& errors) { return errors.intrinsic_rmse; }
const Measured& euclidean(const ReconstructionErrors& errors) { return errors.euclidean_rmse; }

void add_model_rows(Table& table, const std::vector<Reproduced>& sets, const std::string& model,
                    const std::string& name, PickError pick) {
  add_row(table, sets, {name, "by density"},
          [&](const Reproduced& set) { return cell(pick(evaluation_of(set, model).density)); });
  add_row(table, sets, {name, "by projection"},
          [&](const Reproduced& set) { return cell(pick(evaluation_of(set, model).projection)); });
}

void add_baseline_rows(Table& table, const std::vector<Reproduced>& sets, PickError pick) {
  for (const auto& [model, name] : {std::pair{"nearest", "nearest training point"}, {"pga", "PGA projection"}})
    add_row(table, sets, {name, ""},
            [&, model = model](const Reproduced& set) { return cell(pick(evaluation_of(set, model).density)); });
}

void add_paper_row(Table& table, const std::vector<Reproduced>& sets, const std::string& name,
                   Published ExperimentPlan::*number) {
  add_row(table, sets, {name, "paper"}, [&](const Reproduced& set) { return cell(set.experiment.plan.*number); });
}

}  // namespace

std::string measured_text(double mean, double sem) {
  if (!std::isfinite(mean)) return "-";
  const int power = mean == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(mean))));
  if (power >= -1 && power <= 2) {
    const int decimals = power >= 1 ? 2 : 3;
    return fmt::format("{:.{}f} ± {:.{}f}", mean, decimals, sem, decimals);
  }
  const double unit = std::pow(10.0, power);
  return fmt::format("({:.2f} ± {:.2f})e{}", mean / unit, sem / unit, power);
}

const ModelEvaluation& evaluation_of(const Reproduced& set, const std::string& model) {
  return *std::find_if(set.evaluations.begin(), set.evaluations.end(),
                       [&](const ModelEvaluation& evaluation) { return evaluation.model == model; });
}

Table intrinsic_table(const std::vector<Reproduced>& sets) {
  Table table;
  table.caption = fmt::format(
      "Intrinsic distance of a test point to its reconstruction, root mean square; mean ± standard error over {}",
      splits_of(sets));
  table.header = {"model", "encoded"};
  for (const Reproduced& set : sets) {
    const ExperimentPlan& plan = set.experiment.plan;
    table.header.push_back(plan.unit.empty() ? plan.title : fmt::format("{} ({})", plan.title, plan.unit));
  }
  add_paper_row(table, sets, "WGPLVM", &ExperimentPlan::wgplvm);
  add_model_rows(table, sets, "wgplvm", "WGPLVM", intrinsic);
  add_model_rows(table, sets, "wgplvm-variational", "WGPLVM, latents integrated out", intrinsic);
  add_paper_row(table, sets, "GPLVMProj", &ExperimentPlan::gplvmproj);
  add_model_rows(table, sets, "gplvmproj", "GPLVMProj", intrinsic);
  add_baseline_rows(table, sets, intrinsic);
  return table;
}

Table euclidean_table(const std::vector<Reproduced>& sets) {
  Table table;
  table.caption = "The same with Euclidean distances";
  table.header = header_of(sets, {"model", "encoded"});
  add_paper_row(table, sets, "WGPLVM", &ExperimentPlan::euclidean_wgplvm);
  add_model_rows(table, sets, "wgplvm", "WGPLVM", euclidean);
  add_model_rows(table, sets, "wgplvm-variational", "WGPLVM, latents integrated out", euclidean);
  add_paper_row(table, sets, "GPLVM", &ExperimentPlan::euclidean_gplvm);
  add_model_rows(table, sets, "gplvm", "GPLVM", euclidean);
  add_paper_row(table, sets, "GPLVMProj", &ExperimentPlan::euclidean_gplvmproj);
  add_model_rows(table, sets, "gplvmproj", "GPLVMProj", euclidean);
  add_baseline_rows(table, sets, euclidean);
  return table;
}

Table calibration_table(const std::vector<Reproduced>& sets) {
  Table table;
  table.caption =
      "Signed area between the curve and the diagonal / the same of the null / greatest distance of the curve from its "
      "null";
  table.header = header_of(sets, {"model"});
  for (const auto& [model, name] : shown_names) {
    if (std::string(model) == "nearest") break;
    add_row(table, sets, {name}, [&, model = model](const Reproduced& set) -> std::string {
      const Calibration& calibration = evaluation_of(set, model).calibration;
      if (calibration.fractions.empty()) return "-";
      return fmt::format("{:+.3f} / {:+.3f} / {:.3f}", calibration.area(), calibration.null_area(),
                         calibration.null_ks());
    });
  }
  add_row(table, sets, {"perfect model in flat space"}, [](const Reproduced& set) {
    const ExperimentPlan& plan = set.experiment.plan;
    return fmt::format("{:+.3f}",
                       Calibration::reference_area(set.experiment.manifold->dim(), plan.angles + plan.plain));
  });
  return table;
}

Table density_table(const std::vector<Reproduced>& sets) {
  Table table;
  table.caption =
      "Log density of a test point, its latent integrated out, per unit of volume and under the model's noise law; "
      "mean "
      "± standard error";
  table.header = header_of(sets, {"model"});
  for (const char* const* row : {shown_names[0], shown_names[1]})
    add_row(table, sets, {row[1]},
            [&](const Reproduced& set) { return cell(evaluation_of(set, row[0]).held_out_log_density); });
  return table;
}

Table coverage_table(const std::vector<Reproduced>& sets) {
  Table table;
  table.caption = "Test points within conformal regions, in percent; mean ± standard error";
  table.header = header_of(sets, {"model", "level"});
  for (const char* const* row : {shown_names[0], shown_names[1]})
    for (std::size_t k = 0; k < std::size(conformal_levels); ++k)
      add_row(table, sets, {row[1], fmt::format("{:g} %", 100 * conformal_levels[k])},
              [&](const Reproduced& set) -> std::string {
                const std::vector<Measured>& coverage = evaluation_of(set, row[0]).coverage;
                if (k >= coverage.size()) return "-";
                return fmt::format("{:.1f} ± {:.1f}", 100 * coverage[k].mean(), 100 * coverage[k].sem());
              });
  return table;
}

Table clip_table(const std::vector<Reproduced>& sets) {
  Table table;
  table.caption =
      "Intrinsic error of GPLVMProj by density when eigenvalues of a prediction are raised to this share of the "
      "largest";
  std::vector<Reproduced> matrices;
  for (const Reproduced& set : sets)
    if (!evaluation_of(set, "gplvmproj").clip_errors.empty()) matrices.push_back(set);
  if (matrices.empty()) return table;
  table.header = header_of(matrices, {"share"});
  const auto& clips = evaluation_of(matrices.front(), "gplvmproj").clip_errors;
  for (std::size_t k = 0; k < clips.size(); ++k)
    add_row(table, matrices, {fmt::format("{:g}", clips[k].first)},
            [k](const Reproduced& set) { return cell(evaluation_of(set, "gplvmproj").clip_errors.at(k).second); });
  return table;
}

}  // namespace wgp::report
