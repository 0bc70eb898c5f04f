// Eighth-order central differences, for derivatives that have no convenient closed form.
//
//   f'(0) = sum_k w_k (f(k h) - f(-k h)) / h,   k = 1..4,   w = 4/5, -1/5, 4/105, -1/280,   error h^8 f^(9) / 630
// With h = 1e-2 of the scale on which f varies both errors, truncation and eps / h, are near 1e-14.
#pragma once

#include <array>

#include "wgp/types.h"

namespace wgp {

inline constexpr std::array<double, 4> central_weights = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

// f: double -> double, Vector or Matrix (by value). Eight evaluations.
template <class Function>
auto central_difference(Function&& f, double h) {
  auto derivative = f(h);
  derivative *= central_weights[0] / h;
  derivative -= (central_weights[0] / h) * f(-h);
  for (std::size_t k = 1; k < central_weights.size(); ++k) {
    const double step = static_cast<double>(k + 1) * h;
    derivative += (central_weights[k] / h) * f(step);
    derivative -= (central_weights[k] / h) * f(-step);
  }
  return derivative;
}

// Gradient at x of f: Vector -> double.
template <class Function>
Vector central_gradient(Function&& f, ConstVectorRef x, double h) {
  Vector gradient(x.size());
  for (Index i = 0; i < x.size(); ++i)
    gradient[i] = central_difference([&](double step) { return f(Vector(x + step * Vector::Unit(x.size(), i))); }, h);
  return gradient;
}

}  // namespace wgp
