// Ordinary differential equations x' = f(x, t) on 0 <= t <= 1, for geodesics and parallel transport.
#pragma once

#include <functional>

#include "wgp/types.h"

namespace wgp {

// Writes f(x, t) to the last argument; false where f is not defined.
using OdeField = std::function<bool(ConstVectorRef x, double t, VectorRef derivative)>;

// Replaces x(0) by x(1), by extrapolation (Bulirsch-Stoer) with local errors below tolerance * (1 + |x_i|) in every
// component: scale the problem so that its state is of order 1. False if the solution does not reach t = 1, x being
// then the last point reached.
bool integrate(const OdeField& field, VectorRef x, double tolerance);

}  // namespace wgp
