#include "mpi/alike.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/fingerprint.h"
#include "core/format.h"
#include "core/packing.h"
#include "simd/level.h"

namespace wgp::mpi {
namespace {

// Of the program's own file: two builds of one version may round differently.
std::string build() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string piece(std::size_t{1} << 20, '\0');
  Fingerprint hash;
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
    hash.add(piece.data(), static_cast<std::size_t>(file.gcount()));
  return hash.text();
}

// Of what the system's mathematical functions return: they choose their instructions by the processor.
std::string rounding() {
  Fingerprint hash;
  for (int k = 1; k <= 500; ++k) {
    const double x = 0.0137 * k;
    for (const double y : {std::exp(-x), std::log(x), std::sin(x), std::cos(x), std::tanh(x), std::atan2(x, 1.7),
                           std::pow(x, 1.3), std::sqrt(x), std::lgamma(x), std::erf(x), std::acosh(1 + x)})
      hash.add(y);
  }
  return hash.text();
}

struct Kind {
  std::string version, build, rounding;
  std::vector<std::string> words, levels;
  void each_part(auto&& visitor) { visitor(version, build, rounding, words, levels); }
};

// Those that may be chosen: all that the processor has, or what WGP_SIMD says.
std::vector<std::string> levels() {
  const char* wanted = std::getenv("WGP_SIMD");
  if (wanted && *wanted) return {wanted};
  std::vector<std::string> names;
  for (const SimdLevel level : available_simd_levels()) names.push_back(to_string(level));
  return names;
}

std::string shown(const std::vector<std::string>& words) { return fmt::format("wgp {}", fmt::join(words, " ")); }

}  // namespace

std::optional<std::string> difference(Ranks& ranks, const std::string& version, const std::vector<std::string>& words) {
  Kind own{version, build(), rounding(), words, levels()};
  // The version first, by itself: another one may say everything else in another way.
  const std::vector<std::string> versions = ranks.gather(version);
  for (std::size_t k = 1; k < versions.size(); ++k)
    if (versions[k] != versions[0])
      return fmt::format("{} runs wgp {}, {} wgp {}: all processes must run the same program",
                         ranks.name(static_cast<int>(k)), versions[k], ranks.name(0), versions[0]);
  std::vector<Kind> kinds;
  for (const std::string& message : ranks.gather(packed(own))) kinds.push_back(unpacked<Kind>(message));
  const Kind& first = kinds.front();
  std::vector<std::string> common = first.levels;
  for (std::size_t k = 1; k < kinds.size(); ++k) {
    const std::string here = ranks.name(static_cast<int>(k)), there = ranks.name(0);
    const Kind& kind = kinds[k];
    if (kind.build != first.build)
      return fmt::format("{} runs another build of wgp {} than {}: all processes must run the same program", here,
                         version, there);
    if (kind.words != first.words)
      return fmt::format("{} was started as '{}', {} as '{}': all processes need the same arguments", here,
                         shown(kind.words), there, shown(first.words));
    std::erase_if(common, [&](const std::string& level) {
      return std::find(kind.levels.begin(), kind.levels.end(), level) == kind.levels.end();
    });
    if (common.empty())
      return fmt::format("{} is to use the instructions {} (WGP_SIMD), {} {}: all processes must use the same", here,
                         fmt::join(kind.levels, ", "), there, fmt::join(first.levels, ", "));
    if (kind.rounding != first.rounding)
      return fmt::format(
          "exp, log and their like round differently for {} than for {}: a fit would not end at the bytes "
          "of one process; use machines of one kind",
          here, there);
  }
  setenv("WGP_SIMD", common.back().c_str(), 1);
  return std::nullopt;
}

}  // namespace wgp::mpi
