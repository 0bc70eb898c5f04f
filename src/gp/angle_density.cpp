#include "gp/angle_density.h"

#include <cmath>
#include <numbers>

#include "wgp/types.h"

namespace wgp {

Matrix harmonics_at(ConstVectorRef angles, Index J) {
  Matrix waves(2 * J, angles.size());
  for (Index j = 1; j <= J; ++j) {
    const auto x = (static_cast<double>(j) * angles.array()).transpose();
    waves.row(j - 1) = x.cos();
    waves.row(J + j - 1) = x.sin();
  }
  return waves;
}

Vector evenly_around() {
  constexpr auto count = static_cast<double>(angles_of_integrals);
  return Vector::LinSpaced(angles_of_integrals, 0.5, count - 0.5) * (2 * std::numbers::pi / count);
}

AngleDensity::AngleDensity(Vector coefficients) : coefficients_(std::move(coefficients)) {
  if (coefficients_.size() % 2 != 0) throw Error("the density of an angle has as many cosines as sines");
  if (is_uniform()) return;
  const Vector exponents = harmonics_at(evenly_around(), harmonics()).transpose() * coefficients_;
  const double most = exponents.maxCoeff();
  log_normaliser_ = most + std::log((exponents.array() - most).exp().mean());
}

Vector AngleDensity::log_ratio(ConstVectorRef angles) const {
  if (is_uniform()) return Vector::Zero(angles.size());
  return (harmonics_at(angles, harmonics()).transpose() * coefficients_).array() - log_normaliser_;
}

Vector AngleDensity::slope(ConstVectorRef angles) const {
  const Index J = harmonics();
  Vector turned(2 * J);  // -j sin jx times a_j, j cos jx times b_j
  for (Index j = 1; j <= J; ++j) {
    turned[j - 1] = static_cast<double>(j) * coefficients_[J + j - 1];
    turned[J + j - 1] = -static_cast<double>(j) * coefficients_[j - 1];
  }
  return harmonics_at(angles, J).transpose() * turned;
}

}  // namespace wgp
