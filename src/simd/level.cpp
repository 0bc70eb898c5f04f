#include "simd/level.h"

#include <algorithm>
#include <cstdlib>

#include "core/format.h"
#include "wgp/types.h"

namespace wgp {

std::string to_string(SimdLevel level) {
  switch (level) {
    case SimdLevel::generic:
      return "generic";
    case SimdLevel::avx2:
      return "avx2";
    case SimdLevel::avx512:
      return "avx512";
    case SimdLevel::neon:
      return "neon";
  }
  return "unknown";
}

std::vector<SimdLevel> available_simd_levels() {
  std::vector<SimdLevel> levels = {SimdLevel::generic};
#if defined(WGP_SIMD_X86)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (avx2) levels.push_back(SimdLevel::avx2);
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    levels.push_back(SimdLevel::avx512);
#elif defined(WGP_SIMD_NEON)
  levels.push_back(SimdLevel::neon);
#endif
  return levels;
}

namespace {

SimdLevel chosen_level() {
  const std::vector<SimdLevel> levels = available_simd_levels();
  const char* wanted = std::getenv("WGP_SIMD");
  if (wanted == nullptr || *wanted == '\0') return levels.back();
  std::vector<std::string> names;
  for (const SimdLevel level : levels) names.push_back(to_string(level));
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end())
    throw Error(fmt::format("WGP_SIMD={}: this program has on this processor {}", wanted, fmt::join(names, ", ")));
  return levels[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace

SimdLevel simd_level() {
  static const SimdLevel level = chosen_level();
  return level;
}

}  // namespace wgp
