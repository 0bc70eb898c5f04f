// Fits whose base point is fitted too, and the choice between base points.
#pragma once

#include <functional>

#include "wgp/model.h"

namespace wgp {

// From the fit with the mean as its base point: the same data with another one. Latents stay where they are if
// fix_latents (regression).
FitResult fit_moving(const FitResult& with_mean, ConstMatrixRef P, const FitOptions& options, BasepointKind kind,
                     bool fix_latents);

// The fit with the base point that the options ask for, or under automatic the one that held-out points like best.
// fit_with_mean makes the fit that all begin with, of all points or of a part; X: inputs of a regression, else empty.
FitResult choose_basepoint(ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options,
                           const std::function<FitResult(ConstMatrixRef X, ConstMatrixRef P)>& fit_with_mean,
                           bool fix_latents);

}  // namespace wgp
