// Jacobi fields whose dense J0 and J1 are computed at the first use of one of them: log|det J0| often has a much
// cheaper way of its own, and its gradient is wanted by few callers.
#pragma once

#include <functional>
#include <memory>

#include "wgp/jacobi.h"

namespace wgp {

struct JacobiMatrices {
  Matrix J0, J1;  // in the frame at p and its parallel transport
};

// The functions must own what they need: the result may outlive the tangent space that made it. The gradient is
// computed anew at every call.
std::unique_ptr<const JacobiFields> deferred_jacobi_fields(std::function<JacobiMatrices()> matrices,
                                                           std::function<double()> log_det,
                                                           std::function<Vector()> log_det_gradient);

}  // namespace wgp
