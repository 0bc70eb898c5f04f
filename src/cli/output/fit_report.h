// What wgp fit, regress and info say about a fitted model.
#pragma once

#include <string>

#include "cli/output/messages.h"
#include "wgp/fit.h"

namespace wgp::cli {

// How the search ended, and what to make of it.
std::string stop_words(const FitSummary& summary);

// "wgplvm of 40 points on sphere:2, 2 latent coordinates (1 angle), kernel rbf"
std::string model_line(const Model::Parts& parts);
// {"spec": "rbf", "rbf.log_variance": ..., ...}
Json kernel_json(const Model::Parts& parts);
Json noise_law_json(const NoiseLaw& law);
// The object of fit --json; model: the path.
Json fit_json(const Model& model, const FitSummary& summary, const std::string& path);
// The best starts as a table, then noise, cut locus, windings; a text of several lines.
std::string fit_text(const Model& model, const FitSummary& summary);
// Under --strict this is exit 4.
bool has_failed(const FitSummary& summary);

}  // namespace wgp::cli
