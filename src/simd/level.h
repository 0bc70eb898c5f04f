// Which of the compiled instruction sets this process uses.
//
// The innermost loops (src/simd/levels) are compiled once for every level, in a namespace of their own, and chosen when
// the program runs: the best that the processor has, or what the environment variable WGP_SIMD names.
#pragma once

#include <string>
#include <vector>

namespace wgp {

enum class SimdLevel { generic, avx2, avx512, neon };
std::string to_string(SimdLevel level);

// Chosen at the first call. Throws Error where WGP_SIMD names a level that does not exist or that cannot run here.
SimdLevel simd_level();
// Those that this build has and this processor can run, the plainest first.
std::vector<SimdLevel> available_simd_levels();

}  // namespace wgp
