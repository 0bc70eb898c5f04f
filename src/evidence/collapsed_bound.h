// The bound on the evidence of a process on a Fourier lattice, its weights integrated out.
//
// With P = D^1/2 Psi2 D^1/2 and Ct = D^1/2 C from the sums over points, b = 1/noise, B = I + b P = L L', W = B^-1 Ct:
//   F = -(Nd/2) log(2 pi noise) - (d/2) log|B| - (b/2) tr V'V + (b^2/2) |L^-1 Ct|^2 - (b d N/2) neglected
// to which minus the Kullback-Leibler divergence of q(x) from the prior is added elsewhere. B has no eigenvalue below
// 1: its factor never needs jitter. The bound depends on kernel and noise through the sums alone, so these can be
// optimised without the data.
#pragma once

#include "gp/lattice.h"
#include "wgp/random.h"

namespace wgp {

// Sums over points under q(x); C by the unit-amplitude features.
struct LatticeSums {
  double count = 0, squares = 0;  // N, tr V'V
  Matrix second;                  // Psi2, M x M
  Matrix cross;                   // C, M x rows
  Index d = 0;                    // outputs; the rows of V may be fewer (evidence.h)
};

// Of points with these vectors, from the sums of their lattice tables and of their features with the vectors.
LatticeSums sums_of_points(const Lattice& lattice, ConstMatrixRef table, Matrix cross, ConstMatrixRef V);

// Neglected variance: in the bound, or as if the kept part were the kernel.
enum class Neglected { penalised, dropped };

struct CollapsedGradient {
  Matrix by_second;  // symmetric
  Matrix by_cross;
  Vector by_theta;
  double by_noise = 0;
};

class CollapsedBound {
 public:
  CollapsedBound(const KernelSpectrum& spectrum, const Lattice& lattice, Neglected mode)
      : spectrum_(spectrum), lattice_(lattice), mode_(mode), modes_(with_zero(lattice)) {}

  // Not finite where parameters are out of all bounds.
  double value(ConstVectorRef theta, double noise, const LatticeSums& sums);
  // At the arguments of the last value().
  enum class Wanted { parameters, everything };
  void gradient(const LatticeSums& sums, Wanted wanted, CollapsedGradient& gradient) const;

  // Of the last value(): D, the variance that is left out (0 if dropped), W and L.
  const Vector& amplitudes() const { return amplitudes_; }
  double neglected() const { return neglected_; }
  const Matrix& W() const { return W_; }
  const Matrix& L() const { return L_; }
  // b D^1/2 W: the mean of the weights of unit-amplitude features; and D^1/2 B^-1 D^1/2, their covariance.
  Matrix weights() const;
  Matrix weights_covariance() const;
  // A draw of all of them.
  Matrix drawn_weights(Random& random) const;

 private:
  static Modes with_zero(const Lattice& lattice);
  Matrix inverse() const;  // B^-1, both triangles

  const KernelSpectrum& spectrum_;
  const Lattice& lattice_;
  Neglected mode_;
  Modes modes_;
  Vector theta_, root_, amplitudes_;
  double noise_ = 0, neglected_ = 0, explained_ = 0;
  Matrix L_, W_, scaled_;  // scaled_: Ct
};

}  // namespace wgp
