// The likelihood of likelihood.h where the outputs V move as well: its derivative by V comes along.
//
//   dL/dV = -K^-1 V' transposed
// By Cholesky with the jitter policy; a workspace for one problem and one thread.
#pragma once

#include "gp/likelihood.h"

namespace wgp {

class OutputLikelihood {
 public:
  explicit OutputLikelihood(KernelPtr kernel) : kernel_(std::move(kernel)) {}

  // -infinity where K is not positive definite within the jitter that is allowed.
  double value(ConstMatrixRef X, ConstVectorRef theta, double noise, ConstMatrixRef V);
  // At the arguments of the last value(), which must have been finite. Once for each value().
  GpGradient gradient(Matrix& dL_dV);
  double jitter() const { return jitter_; }

 private:
  KernelPtr kernel_;
  Matrix X_, K_, L_, A_;  // kernel; factor, then G; K^-1 V'
  Vector theta_;
  double jitter_ = 0;
};

}  // namespace wgp
