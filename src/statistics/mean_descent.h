// The minimiser behind frechet_mean: Newton on f(mu) = 1/2 sum_i w_i d(mu, p_i)^2, safeguarded by Armijo.
//
//   -grad f = g = sum_i w_i Log_mu(p_i)           Hess f = -sum_i w_i D_mu Log_mu(p_i)
// The gradient always uses every point; the Hessian a systematic sample of them. What the sample misses is made up for
// by Anderson acceleration on the preconditioned residual Hess^-1 g, so that large data sets need few full passes.
// Where the mean is unique for all data and the Hessian dear, steps go along g itself, accelerated likewise: on SPD(n)
// with the Bures-Wasserstein metric that is the fixed point iteration of Alvarez-Esteban et al. (2016).
#pragma once

#include <vector>

#include "wgp/manifold.h"

namespace wgp {

// Up to `size` indices that represent the weights: multiplicities / size approximate them. Equal weights: a stride.
struct Systematic {
  std::vector<Index> index;
  Vector weights;  // sum 1
};
Systematic systematic_sample(ConstVectorRef weights, Index size);

// Weighted points; weights positive with sum 1. Refers to the caller's matrices.
struct MeanProblem {
  MeanProblem(const Manifold& on, ConstMatrixRef data, ConstVectorRef data_weights);
  const Manifold& manifold;
  Eigen::Ref<const Matrix> points;
  Eigen::Ref<const Vector> weights;
  Systematic hessian_sample;
};

// One pass over all points, as seen from space->base().
struct MeanPass {
  std::shared_ptr<const TangentSpace> space;
  Vector g;
  double g_norm = 0, f = 0, radius = 0;
  Index cut = 0, near_cut = 0, failed = 0;
};
MeanPass evaluate(const MeanProblem& problem, ConstVectorRef mu);

// The Hessian in spectral form, complete for small dimensions, else on the Krylov space of `direction` (Lanczos) until
// Hess^-1 direction is known to this accuracy; accuracy 0 goes on to good extreme eigenvalues.
struct HessianSpectrum {
  Vector eigenvalues;  // increasing
  Matrix vectors;      // dim x count, orthonormal
};
HessianSpectrum hessian_spectrum(const MeanProblem& problem, const TangentSpace& space, ConstVectorRef direction,
                                 double accuracy);

enum class DescentEnd { converged, max_iterations, stalled };
struct MeanDescent {
  MeanPass end;
  int iterations = 0, passes = 0;
  DescentEnd ended = DescentEnd::max_iterations;
  bool converged() const { return ended == DescentEnd::converged; }
};
// Whether the minimiser does without the Hessian.
bool goes_by_gradient(const Manifold& manifold);
MeanDescent descend(const MeanProblem& problem, ConstVectorRef start, double tolerance, int max_iterations);

}  // namespace wgp
