// Expectations of the squared-exponential kernel at latents that are uncertain, q(x) = N(mu, diag S).
//
// Everything in units of the length-scales (mu/l, S/l^2, z/l) and for variance 1; with the inducing inputs z_m:
//   Psi1_nm  = E k(x_n, z_m)               = prod_j (1 + S)^-1/2 exp(-(mu - z_m)^2 a/2),   a = 1/(1 + S)
//   Psi2_mm' = sum_n E k(z_m, x_n) k(x_n, z_m')
//            = sum_n prod_j (1 + 2S)^-1/2 exp(-(z_m - z_m')^2/4 - (mu - (z_m + z_m')/2)^2 b),   b = 1/(1 + 2S)
// The exponent of Psi2 is w_m + w_m' - sum_j S b z_m z_m' with w = sum_j (mu - z)^2 b/2 + z^2 S b/2 + log(1 + 2S)/4:
// one product a coordinate and pair, and nothing of the size N x M x M is ever stored (simd/psi_kernels.h).
// Length-scales need no derivative of their own: they enter through the units alone.
#pragma once

#include "wgp/types.h"

namespace wgp {

// Adds up over calls; S may be empty where latents are known exactly.
struct PsiGradient {
  Matrix mu, S;  // q x points, of one call
  Matrix z;      // M x q
};

class PsiStatistics {
 public:
  explicit PsiStatistics(ConstMatrixRef z);  // q x M
  Index inputs() const { return M_; }
  Index coordinates() const { return z_.cols(); }

  // points x M
  Matrix first(ConstMatrixRef mu, ConstMatrixRef S) const;
  // Adds the points' part of Psi2, lower triangle, to a matrix that room() made; whole() fills in the rest of it.
  Matrix room() const { return Matrix::Zero(padded_, M_); }
  void add_second(ConstMatrixRef mu, ConstMatrixRef S, MatrixRef sums) const;
  Matrix whole(ConstMatrixRef sums) const;

  // A symmetric derivative by Psi2 as pull_back() takes it.
  Matrix prepared(ConstMatrixRef by_second) const;
  // Derivatives of a function with these derivatives by Psi1 (points x M) and, prepared, by Psi2.
  void pull_back(ConstMatrixRef mu, ConstMatrixRef S, ConstMatrixRef by_first, ConstMatrixRef by_second,
                 PsiGradient& gradient) const;

 private:
  struct Point;  // w and c of one latent

  Index M_, padded_;
  Matrix z_;  // padded x q
};

}  // namespace wgp
