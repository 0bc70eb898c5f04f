// A Gaussian process given its data: predictions at new inputs, and leave-one-out predictions.
#pragma once

#include <memory>
#include <mutex>

#include "wgp/kernel.h"

namespace wgp {

struct GpPrediction {
  Matrix mean;      // d x m
  Vector variance;  // of one coordinate of the noise-free function
};

class GpPosterior {
 public:
  GpPosterior() = default;
  // V is d x N. The jitter that the factorisation needs is added to the noise and reported.
  GpPosterior(KernelPtr kernel, Vector theta, double noise, Matrix X, ConstMatrixRef V);

  bool ok() const { return ok_; }  // false: no factorisation within the jitter allowed
  double jitter() const { return jitter_; }
  double noise() const { return noise_; }
  const Kernel& kernel() const { return *kernel_; }
  const Vector& theta() const { return theta_; }
  const Matrix& X() const { return X_; }
  const Matrix& A() const { return A_; }       // K^-1 V', N x d
  const Matrix& factor() const { return L_; }  // K = L L', the lower triangle
  // Of K^-1; worked out when it is first asked for.
  const Vector& inverse_diagonal() const;

  GpPrediction predict(ConstMatrixRef at) const;
  // Covariance of the noise-free function between all pairs of inputs.
  Matrix covariance(ConstMatrixRef at) const;

  // Leave-one-out: v_i - a_i / Q_ii with variance 1 / Q_ii, Q = K^-1. The log densities of all points.
  Vector leave_one_out(ConstMatrixRef V) const;

 private:
  KernelPtr kernel_;
  Vector theta_;
  double noise_ = 0, jitter_ = 0;
  Matrix X_, L_, A_;
  bool ok_ = false;
  struct Diagonal {
    std::once_flag known;
    Vector values;
  };
  std::shared_ptr<Diagonal> inverse_diagonal_ = std::make_shared<Diagonal>();
};

}  // namespace wgp
