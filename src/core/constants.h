// Numbers that many files need.
#pragma once

#include <limits>
#include <numbers>

namespace wgp {

inline constexpr double pi = std::numbers::pi;
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();  // 1 + epsilon is the number after 1

}  // namespace wgp
