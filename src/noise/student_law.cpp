#include "noise/student_law.h"

#include <cmath>

#include "core/format.h"
#include "simd/function_kernels.h"

namespace wgp {

StudentLaw::StudentLaw(const char* kind, Index dim, const Scales& scales)
    : dim_(dim),
      radial_(dim, scales.degrees_of_freedom > 2 ? scales.degrees_of_freedom : 3),
      unit_(scales.unit),
      mean_scale_(scales.mean),
      log_det_(scales.log_det),
      fitted_noise_(scales.fitted_noise) {
  if (dim < 1) throw Error(fmt::format("a {} noise law has {} coordinates, but needs one or more", kind, dim));
  const auto positive = [&](const char* name, double value) {
    if (!(value > 0 && std::isfinite(value)))
      throw Error(fmt::format("'{}' of a {} noise law is {}, but a positive number is expected", name, kind, value));
  };
  positive("scale", scales.mean);
  positive("fitted_noise", scales.fitted_noise);
  if (!(scales.degrees_of_freedom > 2))
    throw Error(fmt::format("'degrees_of_freedom' of a {} noise law is {}, but must exceed 2: it has no variance else",
                            kind, scales.degrees_of_freedom));
}

NoiseLaw::Density StudentLaw::density(double squared, double variance) const {
  const double d = static_cast<double>(dim_), total = scale(variance), Q = squared / total, w = radial_.weight(Q);
  return {radial_.log_density(Q) - d / 2 * std::log(total) - log_det_, -w / (2 * total),
          unit_ / fitted_noise_ * (w * Q - d) / (2 * total)};
}

Vector StudentLaw::log_density(ConstVectorRef squared, ConstVectorRef variance) const {
  return log_densities(squared, variance).col(0);
}

Matrix StudentLaw::log_densities(ConstMatrixRef squared, ConstVectorRef variance) const {
  const Vector total = unit_ * (1 + variance.array() / fitted_noise_);
  Matrix result = total.cwiseInverse().asDiagonal() * squared;
  radial_.log_densities(result);
  Vector log_total = total;
  simd_functions().log(log_total.data(), log_total.size());
  result.colwise() -= Vector(static_cast<double>(dim_) / 2 * log_total.array() + log_det_);
  return result;
}

double StudentLaw::share_within(double squared, double variance) const {
  return radial_.share_within(squared / scale(variance));
}
double StudentLaw::p_value(double squared, double variance) const {
  return radial_.share_beyond(squared / scale(variance));
}
double StudentLaw::weight(double squared, double variance) const { return radial_.weight(squared / scale(variance)); }

Matrix StudentLaw::draw_unit(Index count, Random& random) const {
  Matrix drawn = random.normals(dim_, count);
  for (Index i = 0; i < count; ++i) drawn.col(i) /= std::sqrt(radial_.draw_precision(random));
  return drawn;
}

}  // namespace wgp
