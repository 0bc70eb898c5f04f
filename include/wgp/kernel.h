// Covariance functions: pure in (theta, X), with a forward map and its pull-back; no state, no noise.
//
// theta holds logarithms (unconstrained). With rho^2 = sum over features of (a - b)^2 / l^2:
//   rbf        s^2 exp(-rho^2 / 2)
//   matern32   s^2 (1 + r) exp(-r),            r = sqrt(3) rho
//   matern52   s^2 (1 + r + r^2/3) exp(-r),    r = sqrt(5) rho
//   periodic   rbf on angles: s^2 exp(-2 sin^2((t - t')/2) / l^2)
//   linear     s^2 a.b          constant   s^2
// and sums and products of them. Angles enter through cos and sin (wgp/latent.h). Reverse mode on matrices: pull_back
// takes G = dL/dK to dL/dX and dL/dtheta, and no dK/dx is ever formed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wgp/latent.h"
#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual std::string spec() const = 0;
  virtual std::vector<std::string> parameter_names() const = 0;  // "rbf.log_variance", "rbf.log_length", ...
  Index parameter_count() const { return static_cast<Index>(parameter_names().size()); }
  virtual Vector default_parameters() const = 0;
  // Adding log c to each of these multiplies the covariance by c.
  virtual std::vector<Index> amplitude_parameters() const { return {0}; }
  // Parameters that a scaling of the plain latents can undo: the length-scales over plain coordinates.
  virtual std::vector<Index> length_parameters() const = 0;
  // Length-scales over angles, which nothing can undo: a circle has its length.
  virtual std::vector<Index> angle_length_parameters() const = 0;

  // Whether rigid motions of the plain coordinates change nothing, where they share a length-scale; and whether shifts
  // and reflections do not, where they have one each.
  virtual bool is_invariant() const { return false; }

  virtual Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const = 0;
  virtual Vector diag(ConstVectorRef theta, ConstMatrixRef a) const = 0;
  // Adds the derivatives of sum_ij G_ij k(a_i, b_j) by theta and by a (b held fixed). K = cov(theta, a, b).
  virtual void pull_back(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef K, ConstMatrixRef G,
                         VectorRef d_theta, MatrixRef d_a) const = 0;
  // Adds the derivative of sum_i g_i k(a_i, a_i) by a; zero for stationary kernels.
  virtual void pull_back_diag(ConstVectorRef theta, ConstMatrixRef a, ConstVectorRef g, MatrixRef d_a) const = 0;

  // The same for one set of points with itself, lower triangles only (the others are not touched). G symmetric;
  // d_X is the whole derivative of sum_ij G_ij k(x_i, x_j). The defaults go through the square forms.
  virtual void cov_lower(ConstVectorRef theta, ConstMatrixRef X, MatrixRef K) const;
  virtual void pull_back_lower(ConstVectorRef theta, ConstMatrixRef X, ConstMatrixRef K, ConstMatrixRef G,
                               VectorRef d_theta, MatrixRef d_X) const;
};
using KernelPtr = std::shared_ptr<const Kernel>;

// One line of the registry: what the help prints and what the tests run over.
struct KernelEntry {
  std::string name, formula, use;
};
const std::vector<KernelEntry>& registered_kernels();

// shared: one length-scale for all plain coordinates (angles have their own); per_dimension: one each (ARD).
enum class LengthScales { shared, per_dimension };

// "rbf", "matern52", "rbf+linear", "rbf*linear+constant": products bind closer than sums. Throws Error with the nearest
// right name.
KernelPtr parse_kernel(const std::string& spec, const LatentSpace& latent, LengthScales scales = LengthScales::shared);

}  // namespace WGP_PUBLIC
