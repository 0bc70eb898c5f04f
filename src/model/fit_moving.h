// Fits whose base point is fitted too, and the choice between base points.
#pragma once

#include <functional>

#include "wgp/model.h"

namespace wgp {

// From the fit with the mean as its base point: the same data with another one. Latents stay where they are if
// fix_latents (regression).
FitResult fit_moving(const FitResult& with_mean, ConstMatrixRef P, const FitOptions& options, BasepointKind kind,
                     bool fix_latents);

// Of any base point but automatic. fit_with_mean(points) makes the fit that all begin with.
FitResult choose_basepoint(ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options,
                           const std::function<FitResult(ConstMatrixRef X, ConstMatrixRef P)>& fit_with_mean,
                           bool fix_latents);

}  // namespace wgp
