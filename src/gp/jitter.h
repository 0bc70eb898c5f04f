// Cholesky of a covariance matrix that may be singular to rounding.
#pragma once

#include "core/run_control.h"
#include "wgp/types.h"

namespace wgp {

// As given, else with 1e-10 of the mean diagonal times powers of ten up to 1e-5 added to the diagonal. Returns what was
// added, or -1. K's lower triangle becomes L; the upper one is used, and holds what the lower one had.
double factor_with_jitter(MatrixRef K, double first_jitter, RunControl* control = nullptr);

}  // namespace wgp
