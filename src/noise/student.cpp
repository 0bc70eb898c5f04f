// v | u ~ N(mean, g psi I / u), u ~ Gamma(nu/2, nu/2): in StudentLaw c = psi and A = I.
#include <cmath>

#include "noise/student_law.h"

namespace wgp {
namespace {

class StudentNoise final : public StudentLaw {
 public:
  StudentNoise(Index dim, double psi, double nu, double fitted_noise)
      : StudentLaw("student", dim, {psi, psi, 0, nu, fitted_noise}), psi_(psi) {}

  std::string kind() const override { return "student"; }

  Matrix draw(ConstVectorRef variance, Random& random) const override {
    const Vector total = psi_ * (1 + variance.array() / fitted_noise());
    return draw_unit(variance.size(), random) * total.cwiseSqrt().asDiagonal();
  }
  Matrix draw_noise(Index count, Random& random) const override { return std::sqrt(psi_) * draw_unit(count, random); }
  double radius(double level, double variance) const override {
    return std::sqrt(radial().quantile(level) * scale(variance));
  }

  NoiseLawPtr scaled(double factor) const override {
    return student_noise(dim(), factor * psi_, radial().degrees_of_freedom(), fitted_noise());
  }
  NoiseLawPtr with_noise_times(double factor) const override {
    return student_noise(dim(), factor * psi_, radial().degrees_of_freedom(), factor * fitted_noise());
  }
  std::map<std::string, double> parameters() const override {
    return {{"scale", psi_}, {"degrees_of_freedom", radial().degrees_of_freedom()}, {"fitted_noise", fitted_noise()}};
  }

 private:
  double psi_;
};

}  // namespace

NoiseLawPtr student_noise(Index dim, double scale, double degrees_of_freedom, double fitted_noise) {
  return std::make_shared<const StudentNoise>(dim, scale, degrees_of_freedom, fitted_noise);
}

NoiseLawPtr restore_student_noise(Index dim, const NoiseParameters& parameters, const NoiseArrays&) {
  const auto number = [&](const char* name) { return noise_parameter(parameters, "student", name); };
  return student_noise(dim, number("scale"), number("degrees_of_freedom"), number("fitted_noise"));
}

NoiseLawPtr example_student_noise(Index dim) { return student_noise(dim, 0.3, 7, 0.2); }

}  // namespace wgp
