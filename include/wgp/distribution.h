// Wrapped Gaussians: x = Exp_mu(E v), v ~ N(offset, covariance) in frame coordinates at mu.
//
// Density against Riemannian volume, summed over the preimages v of x:
//   p(x) = sum_v N(v | offset, covariance) / |det dExp_mu(v)|
// The paper leaves the determinant out (that "density" does not integrate to 1); both are offered.
#pragma once

#include <vector>

#include "wgp/manifold.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

enum class DensityKind {
  exact,      // all preimages, volume corrected
  principal,  // Log_mu(x) alone, volume corrected
  paper,      // all preimages, determinant omitted
};

struct LogDensity {
  Vector values;                  // one per point; +inf or NaN never: ill-defined points get the principal term
  std::vector<LogStatus> status;  // cut_locus where the preimage is a continuum and the density ill-defined
  Vector neglected;               // share of the preimages other than Log_mu(x): 0 where the principal term is all
  bool complete = true;           // false if some point has preimages that are not known in closed form
};

struct Sample {
  Matrix points;       // ambient x count, all on the manifold
  Index rejected = 0;  // draws whose geodesic left an incomplete manifold; they were redrawn
};

class WrappedGaussian {
 public:
  WrappedGaussian(ManifoldPtr manifold, ConstVectorRef mean, ConstMatrixRef covariance);
  WrappedGaussian(ManifoldPtr manifold, ConstVectorRef mean, ConstVectorRef offset, ConstMatrixRef covariance);

  const ManifoldPtr& manifold() const { return manifold_; }
  const Vector& mean() const { return mean_; }
  const Vector& offset() const { return offset_; }
  const Matrix& covariance() const { return covariance_; }

  Sample sample(Random& random, Index count) const;
  LogDensity log_density(ConstMatrixRef points, DensityKind kind = DensityKind::exact) const;

 private:
  ManifoldPtr manifold_;
  Vector mean_, offset_;
  Matrix covariance_, factor_;  // factor_: lower Cholesky factor of the covariance
  std::shared_ptr<const TangentSpace> space_;
};

// X1 | X2 = p2 for jointly Gaussian (v1, v2) at (mu1, mu2) with covariance blocks K11, K12, K22: a mixture over the
// preimages v of p2, weights proportional to N(v | 0, K22) / |det dExp_mu2(v)| (exact) or N(v | 0, K22) (paper).
struct WrappedGaussianMixture {
  Vector weights;                           // decreasing
  std::vector<WrappedGaussian> components;  // all at mu1
  bool countable = true;
};
struct JointWrappedGaussian {
  ManifoldPtr first, second;
  Vector mean1, mean2;
  Matrix K11, K12, K22;
};
WrappedGaussianMixture condition(const JointWrappedGaussian& joint, ConstVectorRef p2,
                                 DensityKind kind = DensityKind::exact);

}  // namespace WGP_PUBLIC
