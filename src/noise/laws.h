// How the registry restores each law, and an example of it for the tests.
#pragma once

#include "wgp/noise_law.h"

namespace wgp {

NoiseLawPtr restore_normal_noise(Index dim, const std::map<std::string, double>& parameters);
NoiseLawPtr example_normal_noise(Index dim);

}  // namespace wgp
