#include "cli/output/evaluate_report.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/input/fit_flags.h"
#include "cli/output/model_tables.h"

namespace wgp::cli {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json measured(const Measured& measured) {
  if (measured.values.empty()) return nullptr;
  Json values = Json::array();
  for (const double value : measured.values) values.push_back(number(value));
  return {{"mean", number(measured.mean())}, {"sem", number(measured.sem())}, {"values", values}};
}

// The share of fractions at or below u, at 51 levels.
Json ecdf(const std::vector<double>& sorted) {
  Json points = Json::array();
  for (int k = 0; k <= 50; ++k) {
    const double u = k / 50.0;
    const auto below = std::upper_bound(sorted.begin(), sorted.end(), u + 1e-12) - sorted.begin();
    points.push_back({u, static_cast<double>(below) / static_cast<double>(sorted.size())});
  }
  return points;
}

Json calibration_json(const Calibration& calibration, Index d, Index q) {
  if (calibration.fractions.empty()) return nullptr;
  return {{"ecdf", ecdf(calibration.fractions)},
          {"area", calibration.area()},
          {"ks", calibration.ks()},
          {"null_area", calibration.null_area()},
          {"reference_area", Calibration::reference_area(d, q)},
          {"null_ks", calibration.null_ks()},
          {"null_ecdf", ecdf(calibration.null_fractions)}};
}

std::string cell(const Measured& measured) {
  if (measured.values.empty() || !std::isfinite(measured.mean())) return "-";
  return fmt::format("{:.4g} ± {:.2g}", measured.mean(), measured.sem());
}

// fmt counts bytes where the plus-minus sign has two.
std::string padded(const std::string& text, std::size_t width) {
  const std::size_t shown = text.size() - (text.find("±") == std::string::npos ? 0 : 1);
  return text + std::string(shown < width ? width - shown : 0, ' ');
}

}  // namespace

EvaluateOptions evaluate_options_from(const Arguments& arguments, const Manifold& manifold) {
  EvaluateOptions options;
  options.fit = fit_options_from(arguments, manifold, Prior::automatic);
  options.threads = options.fit.threads;
  options.seed = options.fit.seed;
  options.repeats = static_cast<int>(arguments.integer("repeats", options.repeats, 1, 100000));
  options.train_share = arguments.number("train-share", options.train_share, 0.01, 0.99);
  options.conformal_share = options.fit.calibration_share;
  options.fit.calibration_share = 0;
  options.clips = {1e-12, 1e-10, 1e-8, 1e-6};
  if (arguments.has("models")) {
    options.models.clear();
    for (const std::string& name : split_list(arguments.text("models"))) {
      const std::vector<std::string> known = {
          "wgplvm", "wgplvm-variational", "wgplvm-point", "gplvm", "gplvmproj", "nearest", "pga"};
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw UsageError(fmt::format("--models: there is no model '{}'; there are {}", name, fmt::join(known, ", ")));
      options.models.push_back(name);
    }
  }
  return options;
}

Json evaluation_json(const std::vector<ModelEvaluation>& evaluations, Index d, Index q) {
  Json result;
  for (const ModelEvaluation& evaluation : evaluations) {
    const auto errors = [&](const ReconstructionErrors& of) {
      Json json;
      json["intrinsic_rmse"] = evaluation.on_manifold ? measured(of.intrinsic_rmse) : Json(nullptr);
      json["euclidean_rmse"] = measured(of.euclidean_rmse);
      json["intrinsic_median"] = evaluation.on_manifold ? measured(of.intrinsic_median) : Json(nullptr);
      return json;
    };
    Json json = errors(evaluation.density);
    json["projection"] = errors(evaluation.projection);
    json["calibration"] = calibration_json(evaluation.calibration, d, q);
    json["log_likelihood"] = measured(evaluation.log_likelihood);
    json["bound"] = measured(evaluation.bound);
    json["held_out_log_density"] = measured(evaluation.held_out_log_density);
    json["seconds"] = measured(evaluation.seconds);
    if (!evaluation.coverage.empty()) {
      Json coverage = Json::array();
      for (std::size_t k = 0; k < evaluation.coverage.size(); ++k)
        coverage.push_back({{"level", conformal_levels[k]}, {"coverage", measured(evaluation.coverage[k])}});
      json["conformal"] = coverage;
    }
    if (!evaluation.clip_errors.empty()) {
      Json clips = Json::array();
      for (const auto& [clip, error] : evaluation.clip_errors)
        clips.push_back({{"clip", clip}, {"intrinsic_rmse", measured(error)}});
      json["clip_sweep"] = clips;
    }
    result[evaluation.model] = json;
  }
  return result;
}

std::string evaluation_text(const std::vector<ModelEvaluation>& evaluations, Index d, Index q) {
  const std::size_t splits = evaluations.front().density.euclidean_rmse.values.size();
  std::string text = fmt::format(
      "{} split{}; root mean square distance of a test point to its reconstruction, mean ± standard error\n"
      "{:<10}  {:<19}  {:<19}  {:<19}  {:<13}\n",
      splits, splits == 1 ? "" : "s", "model", "by density", "by projection", "Euclidean", "calibration");
  for (const ModelEvaluation& evaluation : evaluations) {
    const std::string calibration =
        evaluation.calibration.fractions.empty()
            ? "-"
            : fmt::format("area {:+.3f}, null {:+.3f}, KS {:.3f}", evaluation.calibration.area(),
                          evaluation.calibration.null_area(), evaluation.calibration.null_ks());
    text += fmt::format("{:<10}  {}  {}  {}  {}\n", evaluation.model,
                        padded(evaluation.on_manifold ? cell(evaluation.density.intrinsic_rmse) : "-", 19),
                        padded(evaluation.on_manifold ? cell(evaluation.projection.intrinsic_rmse) : "-", 19),
                        padded(cell(evaluation.density.euclidean_rmse), 19), calibration);
  }
  for (const ModelEvaluation& evaluation : evaluations) {
    if (!evaluation.held_out_log_density.values.empty())
      text +=
          fmt::format("{}: log density of a test point {}\n", evaluation.model, cell(evaluation.held_out_log_density));
    if (!evaluation.coverage.empty()) {
      text += fmt::format("{}: conformal regions of", evaluation.model);
      for (std::size_t k = 0; k < evaluation.coverage.size(); ++k)
        text += fmt::format("{} {:.0f} % hold {:.1f} %", k > 0 ? "," : "", 100 * conformal_levels[k],
                            100 * evaluation.coverage[k].mean());
      text += "\n";
    }
    if (!evaluation.clip_errors.empty()) {
      text += fmt::format("{}: clipped at", evaluation.model);
      for (const auto& [clip, error] : evaluation.clip_errors)
        text += fmt::format(" {:g}: {:.4g} ", clip, error.mean());
      text += "\n";
    }
  }
  const bool calibrated = std::any_of(evaluations.begin(), evaluations.end(), [](const ModelEvaluation& evaluation) {
    return !evaluation.calibration.fractions.empty();
  });
  if (calibrated)
    text += fmt::format("A perfect model in flat space would have the calibration area {:+.3f}.\n",
                        Calibration::reference_area(d, q));
  return text;
}

std::unique_ptr<TableWriter> create_evaluation_table(const std::string& path) {
  return create_number_table(
      path, {"split", "intrinsic_rmse", "intrinsic_median", "euclidean_rmse", "projection_intrinsic_rmse",
             "projection_intrinsic_median", "projection_euclidean_rmse", "model"});
}

void write_evaluation_table(TableWriter& table, const std::vector<ModelEvaluation>& evaluations) {
  for (const ModelEvaluation& evaluation : evaluations) {
    const Index splits = static_cast<Index>(evaluation.density.euclidean_rmse.values.size());
    Matrix rows(7, splits);
    for (Index s = 0; s < splits; ++s) {
      const auto at = [s](const Measured& measured) { return measured.values[static_cast<std::size_t>(s)]; };
      const ReconstructionErrors &a = evaluation.density, &b = evaluation.projection;
      rows.col(s) << static_cast<double>(s), at(a.intrinsic_rmse), at(a.intrinsic_median), at(a.euclidean_rmse),
          at(b.intrinsic_rmse), at(b.intrinsic_median), at(b.euclidean_rmse);
    }
    table.write(rows, {std::vector<std::string>(static_cast<std::size_t>(splits), evaluation.model)});
  }
  table.close();
}

}  // namespace wgp::cli
