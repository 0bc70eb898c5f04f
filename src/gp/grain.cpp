#include "gp/grain.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wgp {

Posterior::Grain grain_of_kernel_sums(const Kernel& kernel, ConstVectorRef theta, ConstMatrixRef weights,
                                      double variance) {
  constexpr double none = std::numeric_limits<double>::infinity();
  Posterior::Grain grain{none, none, Vector(weights.cols() + 1)};
  for (const Index i : kernel.length_parameters()) grain.plain = std::min(grain.plain, std::exp(theta[i]));
  for (const Index i : kernel.angle_length_parameters()) grain.angle = std::min(grain.angle, std::exp(theta[i]));
  // What a sum of terms of this size is rounded to.
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  grain.rounding.head(weights.cols()) = rounding * variance * weights.cwiseAbs().colwise().sum().transpose();
  grain.rounding[weights.cols()] = 1e-12 * variance;
  return grain;
}

}  // namespace wgp
