// A rectangle with axes: data to pixels, ticks at round numbers, labels.
#pragma once

#include <string>
#include <vector>

#include "report/svg/svg.h"

namespace wgp::report {

struct Range {
  double low = 0, high = 1;
  // Of the finite values, widened at both ends by this share; never empty.
  static Range of(ConstVectorRef values, double margin = 0.05);
};

// Multiples of 1, 2 or 5 times a power of ten within [low, high], about so many.
std::vector<double> nice_ticks(double low, double high, int about = 5);
// With as many decimals as the step needs; powers of ten beyond 1e5 and 1e-4.
std::string tick_label(double value, double step);

struct Axis {
  Range range;
  std::string label;
  enum class Scale { linear, angle } scale = Scale::linear;  // angle: ticks at multiples of pi / 2
  enum class Ticks { shown, hidden } ticks = Ticks::shown;
};

class Plot {
 public:
  Plot(Svg& svg, const Box& box, Axis x, Axis y);

  double x(double value) const;
  double y(double value) const;
  const Box& box() const { return box_; }
  void grid() const;   // thin lines at the ticks, to be drawn first
  void frame() const;  // edge, ticks and labels, to be drawn last

 private:
  Svg& svg_;
  Box box_;
  Axis x_axis_, y_axis_;
  struct Tick {
    double value;
    std::string label;
  };
  static std::vector<Tick> ticks_of(const Axis& axis, double pixels, double pixels_each);
  std::vector<Tick> x_ticks_, y_ticks_;
};

}  // namespace wgp::report
