#include "report/svg/palette.h"

#include "core/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wgp::report {
namespace {

using Rgb = std::array<double, 3>;

template <std::size_t count>
std::string between(const std::array<Rgb, count>& stops, double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(count - 1);
  const auto below = std::min(static_cast<std::size_t>(place), count - 2);
  const double t = place - static_cast<double>(below);
  std::string colour = "#";
  for (std::size_t k = 0; k < 3; ++k)
    colour += fmt::format("{:02x}", static_cast<int>(std::lround((1 - t) * stops[below][k] + t * stops[below + 1][k])));
  return colour;
}

}  // namespace

std::string group_colour(int group) {
  static constexpr std::array<const char*, group_colour_count> colours = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                                          "#cc79a7", "#56b4e9", "#f0e442", "#4d4d4d"};
  return colours[static_cast<std::size_t>(group % group_colour_count)];
}

std::string ramp_colour(double share) {
  if (std::isnan(share)) return "#b8b8b8";
  static constexpr std::array<Rgb, 7> stops = {
      {{66, 8, 84}, {66, 58, 128}, {49, 102, 141}, {32, 145, 140}, {62, 184, 114}, {149, 213, 66}, {250, 230, 40}}};
  return between(stops, share);
}

std::string shade_colour(double share) {
  static constexpr std::array<Rgb, 2> stops = {{{255, 255, 255}, {158, 164, 172}}};
  return between(stops, std::sqrt(std::max(share, 0.0)));
}

}  // namespace wgp::report
