// What the points are coloured by: nothing, groups, or a number such as a time; and the legends that say so.
#pragma once

#include <string>
#include <vector>

#include "report/svg/svg.h"

namespace wgp::report {

struct Colouring {
  enum class Kind { none, groups, numbers } kind = Kind::none;
  std::string name;                 // of the column
  std::vector<std::string> labels;  // of each point, as they stand in the table; empty for none
  std::vector<std::string> groups;  // in the order of the legend
  std::vector<int> group_of;        // each point's
  Vector numbers;                   // NaN where one is missing
  double low = 0, high = 1;         // of the numbers
};

// Groups up to this many have a colour and shape of their own; smaller ones beyond it are "others".
inline constexpr int most_groups = 55;
// A column of numbers with more distinct values than this is a number, not groups.
inline constexpr int most_numeric_groups = 12;
Colouring colouring_from(std::string name, std::vector<std::string> labels);

Marker marker_of(const Colouring& colouring, Index point);
Paint paint_of(const Colouring& colouring, Index point);
void draw_point(Svg& svg, const Colouring& colouring, Index point, double x, double y, double radius);

// How much room the legend needs beside a plot of this height; 0 if there is none.
double legend_width(const Colouring& colouring, double height);
void draw_legend(Svg& svg, const Colouring& colouring, double x, double y, double height);

// A bar of colours from low (at the bottom) to high with its ticks.
void draw_ramp(Svg& svg, const Box& box, double low, double high, const std::string& title,
               std::string (*colour)(double));
// The text, cut off with an ellipsis if it is longer than this many characters.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace wgp::report
