// What the isotropic and the structured Student t have in common: v - mean = sqrt(c g / u) A eps with a matrix A whose
// coordinates whiten() undoes, g = 1 + s^2 / sigma^2, and Q = |whitened residual|^2 / (c g).
#pragma once

#include "noise/laws.h"
#include "noise/student_radial.h"

namespace wgp {

class StudentLaw : public NoiseLaw {
 public:
  Index dim() const override { return dim_; }
  double function_scale() const override { return noise_variance() / fitted_noise_; }
  double noise_variance() const override { return radial_.variance() * mean_scale_; }

  Density density(double squared, double variance) const override;
  Vector log_density(ConstVectorRef squared, ConstVectorRef variance) const override;
  Matrix log_densities(ConstMatrixRef squared, ConstVectorRef variance) const override;
  double share_within(double squared, double variance) const override;
  double p_value(double squared, double variance) const override;
  double weight(double squared, double variance) const override;

 protected:
  // c; the average diagonal entry of c A A'; ln|det A|; nu; sigma^2. Error for those that are impossible.
  struct Scales {
    double unit, mean, log_det, degrees_of_freedom, fitted_noise;
  };
  StudentLaw(const char* kind, Index dim, const Scales& scales);

  double growth(double variance) const { return 1 + variance / fitted_noise_; }  // g
  double scale(double variance) const { return unit_ * growth(variance); }
  double fitted_noise() const { return fitted_noise_; }
  const StudentRadial& radial() const { return radial_; }
  // Independent normals, each column over the root of its own u.
  Matrix draw_unit(Index count, Random& random) const;

 private:
  Index dim_;
  StudentRadial radial_;
  double unit_, mean_scale_, log_det_, fitted_noise_;
};

}  // namespace wgp
