// Colours that colour-blind people can tell apart and that grow darker or lighter evenly where they stand for numbers.
#pragma once

#include <string>

namespace wgp::report {

inline constexpr int group_colour_count = 8;
std::string group_colour(int group);  // Okabe and Ito's eight, the more distinct ones first

// From dark violet over green to yellow: lightness rises evenly, so that the order survives black-and-white print.
std::string ramp_colour(double share);  // share in [0, 1]; grey for NaN
// From white to grey, by the square root: shading behind points, in which small values must still differ.
std::string shade_colour(double share);

inline constexpr const char* ink = "#222222";
inline constexpr const char* faint_ink = "#8a939c";
inline constexpr const char* accent = "#d55e00";
inline constexpr const char* second_accent = "#0072b2";

}  // namespace wgp::report
