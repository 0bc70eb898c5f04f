// The Gaussian likelihood of d independent coordinates with one covariance, and its gradient.
//
//   L = -(dN/2) log 2 pi - (d/2) log|K| - (1/2) tr(V K^-1 V'),    K = k(X, X) + noise I,   V is d x N
//   G = dL/dK = (A A' - d K^-1)/2,  A = K^-1 V';    dL/dnoise = tr G
//
// Only V'V enters, so V may be compressed once to its rank: Z'Z = V'V. An engine is a workspace for one problem and one
// caller; value() keeps what gradient() and the rest need at the same place.
#pragma once

#include <memory>

#include "wgp/kernel.h"

namespace wgp {

// Z with Z'Z = V'V and as few rows as the rank of V allows.
Matrix compress_rows(ConstMatrixRef V);

struct GpGradient {
  Matrix X;
  Vector theta;
  double noise = 0;
};

class GpEngine {
 public:
  virtual ~GpEngine() = default;
  // -infinity where K is not positive definite within the jitter that is allowed.
  virtual double value(ConstMatrixRef X, ConstVectorRef theta, double noise) = 0;
  // At the arguments of the last value(), which must have been finite. Once for each value().
  virtual GpGradient gradient() = 0;
  // Both at once, cheaper than one after the other where the gradient is wanted in most cases; the gradient is left
  // alone where the value is -infinity.
  virtual double value_and_gradient(ConstMatrixRef X, ConstVectorRef theta, double noise, GpGradient& gradient);
  virtual double jitter() const = 0;  // the largest that any value() added to the diagonal
};

// automatic: one sweep (linalg/sweep.h) while the noise is at least 1e-6 of the signal's variance, K factors without
// jitter, and the processor has AVX2 and FMA. Otherwise, or always if asked for: safe, by Cholesky.
enum class DensePath { automatic, safe };
// N^3 floating point operations for value and gradient together, a third of that for the value. Memory: N^2 doubles for
// a plain rbf, 2.5 N^2 for other kernels, 2 N^2 and temporaries on the safe path. threads: share the sweep, where it is
// large; they do not change the result.
std::unique_ptr<GpEngine> dense_engine(KernelPtr kernel, Matrix Z, Index d, DensePath path = DensePath::automatic,
                                       int threads = 1);
// One angle, squared-exponential: exactly low rank (fourier.h). Nothing if the kernel is another one.
std::unique_ptr<GpEngine> fourier_engine(const KernelPtr& kernel, const LatentSpace& latent, Matrix Z, Index d);
// The cheaper of the two that fits.
std::unique_ptr<GpEngine> make_engine(const KernelPtr& kernel, const LatentSpace& latent, Matrix Z, Index d,
                                      int threads = 1);

// Cholesky with the jitter policy: as given, else 1e-10 of the mean diagonal times powers of ten up to 1e-5. Returns
// the jitter added, or -1. K's lower triangle becomes L; the upper one is used, and holds what the lower one had.
double factor_with_jitter(MatrixRef K, double first_jitter);

}  // namespace wgp
