// The points that a model was fitted to, as a user names them.
#pragma once

#include <string>

#include "wgp/model_file.h"

namespace wgp::cli {

// Which of the model's points this is: an id that the model has, or a row (from 1 on) of the table that it was fitted
// to. Error where it is neither, with what would be.
Index model_point(const LoadedModel& loaded, const std::string& name);

}  // namespace wgp::cli
