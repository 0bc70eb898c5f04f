#include "wgp/posterior.h"

#include "gp/slope_differences.h"

namespace wgp {

Matrix Posterior::slope_covariance(ConstVectorRef x) const {
  const SlopeDifferences around(x);
  return around.weights.transpose() * covariance(around.inputs) * around.weights;
}

}  // namespace wgp
