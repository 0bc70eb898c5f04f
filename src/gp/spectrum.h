// Stationary kernels as sums of cosines over a lattice of frequencies.
//
//   k(x, x') = sum_k a_k exp(i k.w (x - x')),   k in Z^q;   w_j = 1 for an angle, 2 pi / T_j for a plain coordinate
// A plain coordinate is put on a circle of length T_j, far enough from its own other side. Every spectrum is normalised
// so that the sum over the whole lattice is the kernel's variance: a length-scale that grows gives the constant kernel.
//
//   periodic  (angle)             a_k = e^-c I_|k|(c),  c = 1/l^2
//   rbf       (plain)             a_k = e^{-u k^2/2} / Z,  u = (l w)^2
//   matern nu (plain, radial)     a_k = prod(l_j/T_j) 2^p pi^{p/2} Gamma(nu+p/2)/Gamma(nu) (2nu)^nu
//                                       (2nu + rho^2)^-(nu+p/2) / Z,   rho^2 = sum (l_j w_j k_j)^2
//   products over coordinates multiply, sums of kernels add.
#pragma once

#include <optional>
#include <vector>

#include "wgp/kernel.h"

namespace wgp {

enum class SpectralShape { rbf, matern32, matern52, constant };

// One term of a kernel: `shape` over the plain coordinates, periodic over the angles, times a variance.
struct SpectralTerm {
  SpectralShape shape = SpectralShape::rbf;
  Index log_variance = 0;         // which parameter of the kernel it is
  std::vector<Index> log_length;  // of each coordinate
};
// The kernel as a sum of such terms; nothing where it is not one (linear, products, Matern over angles).
std::optional<std::vector<SpectralTerm>> spectral_terms(const Kernel& kernel, const LatentSpace& latent);

// One column per frequency.
using Modes = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic>;

class KernelSpectrum {
 public:
  KernelSpectrum(LatentSpace latent, std::vector<SpectralTerm> terms, Index parameters)
      : latent_(latent), terms_(std::move(terms)), parameters_(parameters) {}

  const LatentSpace& latent() const { return latent_; }
  const std::vector<SpectralTerm>& terms() const { return terms_; }
  Index parameters() const { return parameters_; }
  bool has_matern() const;

  double variance(ConstVectorRef theta) const;  // the sum over the whole lattice
  // a_k of each column. by_theta, where wanted: d log a_k / d theta, a row per mode.
  Vector amplitudes(ConstVectorRef theta, ConstVectorRef periods, const Modes& modes, Matrix* by_theta = nullptr) const;
  // Of the variance.
  Vector variance_by_theta(ConstVectorRef theta) const;
  // The shortest length-scale of a coordinate over all terms.
  double length(ConstVectorRef theta, Index coordinate) const;

 private:
  LatentSpace latent_;
  std::vector<SpectralTerm> terms_;
  Index parameters_;
};

}  // namespace wgp
