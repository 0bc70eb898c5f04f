// Everything that is known of a model in words and numbers, as rows of a table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "wgp/model_file.h"

namespace wgp::report {

using NamedValues = std::vector<std::pair<std::string, std::string>>;
// How the rows that it was fitted to were read: bones of motion, channels, what was done to matrices and landmarks.
NamedValues how_read(const ModelNotes& notes);
NamedValues provenance(const LoadedModel& loaded);

// Of one tangent direction, as fitted: the one number that is called so, here and in wgp info.
double noise_sd(const Model& model);

// "338 points on sphere:2, one closed latent coordinate": what the page opens with.
std::string model_sentence(const Model& model);

}  // namespace wgp::report
