// What wgp evaluate is asked, and its results as JSON, as text and as a table of all splits.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/input/arguments.h"
#include "wgp/evaluate.h"
#include "wgp/io.h"

namespace wgp::cli {

EvaluateOptions evaluate_options_from(const Arguments& arguments, const Manifold& manifold);

// One object per model, as the reference describes it; d and q give the calibration's reference.
nlohmann::ordered_json evaluation_json(const std::vector<ModelEvaluation>& evaluations, Index d, Index q);
std::string evaluation_text(const std::vector<ModelEvaluation>& evaluations, Index d, Index q);
// model, split, and the errors of both encoders.
std::unique_ptr<TableWriter> create_evaluation_table(const std::string& path);
void write_evaluation_table(TableWriter& table, const std::vector<ModelEvaluation>& evaluations);

}  // namespace wgp::cli
