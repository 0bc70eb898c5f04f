// Diffusion tensors along a bundle that turns: the first latent sets the anisotropy, the second the direction of the
// fibre and the mean diffusivity. Anisotropy is spread evenly over [0.05, 0.80); noise in the matrix logarithm,
// 0.12 a coordinate. Units um^2/ms.
#include <cmath>

#include "core/random_streams.h"
#include "evaluate/synthetic.h"
#include "linalg/decompositions.h"
#include "wgp/manifold.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr Index tensors = 750;
constexpr double tensor_noise = 0.12;

// Log eigenvalues of an axially symmetric tensor of unit mean diffusivity and fractional anisotropy f: eigenvalues
// 1 + 2e, 1 - e, 1 - e with f^2 = 9 e^2 / (3 + 6 e^2).
Eigen::Vector3d log_eigenvalues(double f) {
  const double e = f / std::sqrt(3 - 2 * f * f);
  return {std::log1p(2 * e), std::log1p(-e), std::log1p(-e)};
}

Eigen::Matrix3d log_tensor(double f, double s) {
  const Eigen::Vector3d fibre =
      Eigen::Vector3d(std::cos(1.1 * s), std::sin(1.1 * s), 0.7 * std::sin(0.8 * s + 0.5)).normalized();
  const Eigen::Vector3d l = log_eigenvalues(f);
  const double log_diffusivity = -0.1 + 0.25 * std::sin(1.4 * s) - 0.3 * f;
  return (log_diffusivity + l[1]) * Eigen::Matrix3d::Identity() + (l[0] - l[1]) * fibre * fibre.transpose();
}

Vector exponential_row(const Eigen::Matrix3d& log_matrix) {
  const Spectrum spectrum = symmetric_spectrum(log_matrix);
  const Eigen::Matrix3d U = spectrum.vectors;
  Eigen::Matrix3d tensor = U * spectrum.values.array().exp().matrix().asDiagonal() * U.transpose();
  tensor = (tensor + tensor.transpose()).eval() / 2;
  return Eigen::Map<const Vector>(tensor.data(), 9);
}

}  // namespace

SyntheticSet synthetic_dti(std::uint64_t seed) {
  SyntheticSet set{"spd:3", 2, "rbf", Matrix(9, tensors), Matrix(9, tensors), Matrix(2, tensors), {}, {"fa", "s"}, {}};
  set.point_names = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
  Random random(seed, stream::synthetic_dti);
  for (Index i = 0; i < tensors; ++i) {
    const double f = 0.05 + 0.75 * (static_cast<double>(i) + random.uniform()) / static_cast<double>(tensors);
    const double s = 4 * random.uniform() - 2;
    const Eigen::Matrix3d clean = log_tensor(f, s);
    Eigen::Matrix3d error;
    for (Index r = 0; r < 3; ++r)
      for (Index c = 0; c <= r; ++c)
        error(r, c) = error(c, r) = tensor_noise * random.normal() / (r == c ? 1 : std::sqrt(2.0));
    set.truth.col(i) = exponential_row(clean);
    set.points.col(i) = exponential_row(clean + error);
    set.latents.col(i) << f, s;
  }
  return set;
}

}  // namespace wgp
