#include "noise/laws.h"

namespace wgp {

const std::vector<NoiseLawEntry>& noise_laws() {
  static const std::vector<NoiseLawEntry> entries = {
      {"normal", "N(mean, (a s^2 + b) I)", "noise of one size", restore_normal_noise, example_normal_noise},
  };
  return entries;
}

}  // namespace wgp
