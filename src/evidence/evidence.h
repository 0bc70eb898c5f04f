// How well parameters explain the vectors, and what a process given them predicts: the part of a model that inference
// is.
//
// The exact Gaussian evidence of d independent coordinates with one covariance:
//   L = -(dN/2) log 2 pi - (d/2) log|K| - (1/2) tr(V K^-1 V'),    K = k(X, X) + noise I,   V is d x N
//   G = dL/dK = (A A' - d K^-1)/2,  A = K^-1 V';    dL/dnoise = tr G;    dL/dV = -A'
// An evidence is a workspace for one problem and one caller; value() keeps what gradient() needs at the same place.
//
// To add one: derive from Evidence, hand a factory to fit_by() (fit/fit.h) or list it in point_evidence().
#pragma once

#include <functional>
#include <memory>

#include "core/executor.h"
#include "core/run_control.h"
#include "evidence/parameters.h"
#include "wgp/kernel.h"
#include "wgp/posterior.h"

namespace wgp {

// What an evidence sees of the data: V itself, or fewer rows with the same inner products between points.
struct Outputs {
  Matrix rows;
  Index d = 0;  // rows of V
  static Outputs of(ConstMatrixRef V) { return {V, V.rows()}; }
};
// Z with Z'Z = V'V and as few rows as the rank of V allows.
Matrix compress_rows(ConstMatrixRef V);

struct EvidenceGradient {
  Matrix X, S, Z;
  Vector theta;
  double noise = 0;
  Matrix rows;  // by the outputs, where that is wanted
};
enum class ByOutputs { unwanted, wanted };

class Evidence {
 public:
  virtual ~Evidence() = default;
  // -infinity where there is none: a covariance without a factor, within the jitter that is allowed. The outputs are
  // kept by reference until the next call. Throws Stopped.
  virtual double value(const Parameters& at, const Outputs& outputs) = 0;
  // At the arguments of the last value(), which must have been finite. Once for each value().
  virtual void gradient(EvidenceGradient& gradient, ByOutputs by_outputs) = 0;
  // Both at once, cheaper than one after the other where the gradient is wanted in most cases; the gradient is left
  // alone where the value is -infinity.
  virtual double value_and_gradient(const Parameters& at, const Outputs& outputs, EvidenceGradient& gradient,
                                    ByOutputs by_outputs);
  virtual double jitter() const { return 0; }  // the largest that any value() added to the diagonal

  // The process given V whole, at latents and kernel parameters of `at` with this noise variance; null where there is
  // none.
  virtual PosteriorPtr condition(const Parameters& at, double noise, ConstMatrixRef V) const = 0;
};

// Whether the density of one angle that is integrated out is learned (evidence/learned_density.h), or left uniform.
enum class AngleDensities { learned, uniform };

struct EvidenceSetting {
  KernelPtr kernel;
  LatentSpace latent = LatentSpace::plain(1);
  Executor* executor = nullptr;   // shares an evaluation where it is large; does not change the result
  RunControl* control = nullptr;  // asked on the way through a large one
  AngleDensities densities = AngleDensities::learned;
};
using EvidenceFactory = std::function<std::unique_ptr<Evidence>(const EvidenceSetting&)>;

// automatic: one sweep (linalg/sweep.h) while the noise is at least 1e-6 of the signal's variance, K factors without
// jitter, and the processor has AVX2 and FMA. Otherwise, or always if asked for: safe, by Cholesky.
enum class DensePath { automatic, safe };
// N^3 floating point operations for value and gradient together, a third of that for the value. Memory: N^2 doubles for
// a plain rbf, 2.5 N^2 for other kernels, 2 N^2 and temporaries on the safe path.
std::unique_ptr<Evidence> dense_evidence(const EvidenceSetting& setting, DensePath path = DensePath::automatic);
// One angle, squared-exponential: exactly low rank (evidence/cosine_series.h). Null if the kernel is another one.
std::unique_ptr<Evidence> fourier_evidence(const EvidenceSetting& setting);
// The cheaper of the two that fits: latents as point estimates.
std::unique_ptr<Evidence> point_evidence(const EvidenceSetting& setting);
// Of noise alone, at a cost of N d: where the lift carries the signal and the process is a trace too small to be seen.
// Latents and kernel parameters matter to condition() only, which is that of `process`.
EvidenceFactory noise_evidence(EvidenceFactory process);

}  // namespace wgp
