// What a fit says of itself, as a dictionary with the names that `wgp fit --json` has.
#pragma once

#include <nanobind/nanobind.h>

#include "wgp/model_file.h"

namespace wgp::python {

nanobind::dict summary_of(const LoadedModel& loaded);

}  // namespace wgp::python
