// A small square plot of shares: a histogram as bars behind distribution functions as lines, all on [0, 1].
#pragma once

#include <string>
#include <vector>

#include "report/svg/plot.h"

namespace wgp::report {

inline constexpr int share_bars = 20;

// Bars of equal width over [0, 1], in shares of all values; their tops are scaled so that `highest` reaches the frame.
void draw_share_bars(Svg& svg, const Plot& plot, const std::vector<double>& sorted, double highest, const Paint& paint);
// The share in the fullest bar.
double highest_share(const std::vector<double>& sorted);
// The empirical distribution function of values in [0, 1].
void draw_share_steps(Svg& svg, const Plot& plot, const std::vector<double>& sorted, const Paint& paint);

}  // namespace wgp::report
