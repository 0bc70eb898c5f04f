// The flags of wgp fit and wgp regress, and the file that their model goes to.
#pragma once

#include <string>
#include <vector>

#include "cli/input/arguments.h"
#include "wgp/fit.h"

namespace wgp::cli {

int threads_from(const Arguments& arguments);
// --kernel, --ard, --periodic for q coordinates; --seed, --threads, --max-iterations.
void set_common_options(const Arguments& arguments, Index q, FitOptions& options);
// All flags of wgp fit.
FitOptions fit_options_from(const Arguments& arguments, const Manifold& manifold, Prior default_prior = Prior::map);
// --latent auto.
bool latent_is_automatic(const Arguments& arguments);
Effort effort_from(const Arguments& arguments);

// The parts of a list with commas.
std::vector<std::string> split_list(const std::string& text);

// -o, without which a model is lost; refused before the work rather than after it where nothing can be written.
std::string model_path_from(const Arguments& arguments);
void check_writable(const std::string& path);

}  // namespace wgp::cli
