#include "noise/laws.h"

namespace wgp {

const std::vector<NoiseLawEntry>& noise_laws() {
  static const std::vector<NoiseLawEntry> entries = {
      {"normal", "N(mean, (a s^2 + b) I)", "noise of one size", restore_normal_noise, example_normal_noise},
      {"student", "N(mean, g psi I / u), u ~ Gamma(nu/2, nu/2)", "each point has its own scale", restore_student_noise,
       example_student_noise},
      {"structured", "N(mean, g U D U' / u), u ~ Gamma(nu/2, nu/2)", "and residuals prefer directions",
       restore_structured_noise, example_structured_noise},
  };
  return entries;
}

}  // namespace wgp
