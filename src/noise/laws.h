// How the registry restores each law, and an example of it for the tests.
#pragma once

#include "wgp/noise_law.h"

namespace wgp {

using NoiseParameters = std::map<std::string, double>;

NoiseLawPtr restore_normal_noise(Index dim, const NoiseParameters& parameters, const NoiseArrays& arrays);
NoiseLawPtr restore_student_noise(Index dim, const NoiseParameters& parameters, const NoiseArrays& arrays);
NoiseLawPtr restore_structured_noise(Index dim, const NoiseParameters& parameters, const NoiseArrays& arrays);

NoiseLawPtr example_normal_noise(Index dim);
NoiseLawPtr example_student_noise(Index dim);
NoiseLawPtr example_structured_noise(Index dim);

// The number of this name; Error if there is none.
double noise_parameter(const NoiseParameters& parameters, const char* kind, const char* name);

}  // namespace wgp
