#include "evidence/collapsed_bound.h"

#include <cmath>
#include <numbers>

#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "wgp/manifold.h"

namespace wgp {

LatticeSums sums_of_points(const Lattice& lattice, ConstMatrixRef table, Matrix cross, ConstMatrixRef V) {
  return {static_cast<double>(V.cols()), V.squaredNorm(), lattice.second_moments(table), std::move(cross), V.rows()};
}

Modes CollapsedBound::with_zero(const Lattice& lattice) {
  Modes modes = Modes::Zero(lattice.coordinates(), 1 + lattice.half());
  modes.rightCols(lattice.half()) = lattice.modes();
  return modes;
}

double CollapsedBound::value(ConstVectorRef theta, double noise, const LatticeSums& sums) {
  theta_ = theta;
  noise_ = noise;
  const Vector a = spectrum_.amplitudes(theta, lattice_.periods(), modes_);
  amplitudes_ = lattice_.feature_amplitudes(a);
  root_ = amplitudes_.cwiseSqrt();
  neglected_ = 0;
  if (mode_ == Neglected::penalised)
    neglected_ = std::max(0.0, spectrum_.variance(theta) - a[0] - 2 * a.tail(lattice_.half()).sum());
  const double b = 1 / noise, N = sums.count, d = static_cast<double>(sums.d);
  const Index M = lattice_.size();
  L_.resize(M, M);
  for (Index j = 0; j < M; ++j) {
    const double scale = b * root_[j];
    L_.col(j).head(j).setZero();
    for (Index i = j; i < M; ++i) L_(i, j) = scale * root_[i] * sums.second(i, j);
    L_(j, j) += 1;
  }
  scaled_ = root_.asDiagonal() * sums.cross;
  if (!L_.allFinite() || !cholesky_lower(L_)) return -infinity;
  W_ = scaled_;
  solve_lower(L_, W_);
  explained_ = W_.squaredNorm();
  solve_lower_transpose(L_, W_);
  return -N * d / 2 * std::log(2 * std::numbers::pi * noise) - d / 2 * log_det_from_cholesky(L_) -
         b / 2 * sums.squares + b * b / 2 * explained_ - b * d * N / 2 * neglected_;
}

Matrix CollapsedBound::inverse() const {
  Matrix inverse = L_;
  inverse_from_cholesky(inverse);
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  return inverse;
}

void CollapsedBound::gradient(const LatticeSums& sums, Wanted wanted, CollapsedGradient& gradient) const {
  const double b = 1 / noise_, N = sums.count, d = static_cast<double>(sums.d);
  const Index M = lattice_.size();
  // dF/dP = -(b d/2) B^-1 - (b^3/2) W W',  dF/dCt = b^2 W.
  Matrix by = inverse();
  const double trace = by.trace();
  by *= -b * d / 2;
  add_product_nt(by, W_, W_, -b * b * b / 2);
  // Per feature: (dF/dCt o Ct) 1 + 2 (dF/dP o P) 1, half of which is the derivative by log of its amplitude.
  Vector by_log_amplitude(M);
  for (Index j = 0; j < M; ++j)
    by_log_amplitude[j] =
        b * b / 2 * W_.row(j).dot(scaled_.row(j)) + root_[j] * by.col(j).cwiseProduct(root_).dot(sums.second.col(j));
  Matrix by_spectrum;
  const Vector a = spectrum_.amplitudes(theta_, lattice_.periods(), modes_, &by_spectrum);
  gradient.by_theta = by_spectrum.transpose() * lattice_.by_log_spectrum(by_log_amplitude);
  if (mode_ == Neglected::penalised && neglected_ > 0) {
    Vector times = 2 * a;
    times[0] = a[0];
    gradient.by_theta -= b * d * N / 2 * (spectrum_.variance_by_theta(theta_) - by_spectrum.transpose() * times);
  }
  // tr(B^-1 P) and tr(W'P W) from P = (B - I)/b.
  const double of_inverse = (static_cast<double>(M) - trace) / b,
               of_weights = (W_.cwiseProduct(scaled_).sum() - W_.squaredNorm()) / b;
  gradient.by_noise = -b * b *
                      (N * d / (2 * b) - sums.squares / 2 + b * explained_ - d / 2 * of_inverse -
                       b * b / 2 * of_weights - d * N / 2 * neglected_);
  if (wanted == Wanted::parameters) return;
  gradient.by_second = root_.asDiagonal() * by * root_.asDiagonal();
  gradient.by_cross = b * b * (root_.asDiagonal() * W_);
}

Matrix CollapsedBound::weights() const { return 1 / noise_ * (root_.asDiagonal() * W_); }
Matrix CollapsedBound::weights_covariance() const { return root_.asDiagonal() * inverse() * root_.asDiagonal(); }

// mean + D^1/2 L^-T z, z normal.
Matrix CollapsedBound::drawn_weights(Random& random) const {
  Matrix drawn = random.normals(lattice_.size(), W_.cols());
  solve_lower_transpose(L_, drawn);
  return root_.asDiagonal() * drawn + weights();
}

}  // namespace wgp
