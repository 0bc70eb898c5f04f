#include "report/svg/plot.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/svg/palette.h"

namespace wgp::report {

Range Range::of(ConstVectorRef values, double margin) {
  double low = 0, high = 0;
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  if (!any) return {};
  double room = margin * (high - low);
  if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high)) || high == low)
    room = std::max(0.5 * std::abs(high), 1e-3);
  return {low - room, high + room};
}

std::vector<double> nice_ticks(double low, double high, int about) {
  if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) return {};
  const double rough = (high - low) / std::max(about, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  if (last - first > 1000) return {};  // digits of the range are lost: no honest ticks
  for (double k = first; k <= last; ++k) ticks.push_back(k == 0 ? 0 : k * step);
  return ticks;
}

std::string tick_label(double value, double step) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  std::string text;
  if (size >= 1e5 || size < 1e-4) {
    text = fmt::format("{:.3g}", value);
    // 2e-05 reads better as 2e-5.
    for (const char* zero : {"e-0", "e+0"})
      if (const auto at = text.find(zero); at != std::string::npos) text.erase(at + 2, 1);
    if (const auto plus = text.find("e+"); plus != std::string::npos) text.erase(plus + 1, 1);
  } else {
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9);
    text = fmt::format("{:.{}f}", value, decimals);
  }
  if (text.starts_with('-')) text.replace(0, 1, "\u2212");
  return text;
}

std::vector<Plot::Tick> Plot::ticks_of(const Axis& axis, double pixels, double pixels_each) {
  std::vector<Tick> ticks;
  if (axis.ticks == Axis::Ticks::hidden) return ticks;
  if (axis.scale == Axis::Scale::angle) {
    static const char* names[] = {"\u2212π", "\u2212π/2", "0", "π/2", "π"};
    for (int k = -2; k <= 2; ++k)
      if (const double value = k * std::numbers::pi / 2;
          value >= axis.range.low - 1e-9 && value <= axis.range.high + 1e-9)
        ticks.push_back({value, names[k + 2]});
    return ticks;
  }
  const std::vector<double> values =
      nice_ticks(axis.range.low, axis.range.high, std::clamp(static_cast<int>(pixels / pixels_each), 2, 8));
  const double step = values.size() > 1 ? values[1] - values[0] : 1;
  for (const double value : values) ticks.push_back({value, tick_label(value, step)});
  return ticks;
}

Plot::Plot(Svg& svg, const Box& box, Axis x, Axis y)
    : svg_(svg), box_(box), x_axis_(std::move(x)), y_axis_(std::move(y)) {
  x_ticks_ = ticks_of(x_axis_, box.width, 80);
  y_ticks_ = ticks_of(y_axis_, box.height, 55);
}

double Plot::x(double value) const {
  return box_.x + box_.width * (value - x_axis_.range.low) / (x_axis_.range.high - x_axis_.range.low);
}
double Plot::y(double value) const {
  return box_.bottom() - box_.height * (value - y_axis_.range.low) / (y_axis_.range.high - y_axis_.range.low);
}

void Plot::grid() const {
  const Paint line = stroked("#e4e7ea");
  for (const Tick& tick : x_ticks_) svg_.segment(x(tick.value), box_.y, x(tick.value), box_.bottom(), line);
  for (const Tick& tick : y_ticks_) svg_.segment(box_.x, y(tick.value), box_.right(), y(tick.value), line);
}

void Plot::frame() const {
  svg_.rect(box_, stroked("#5b646d"));
  double widest = 0;
  for (const Tick& tick : x_ticks_) {
    svg_.segment(x(tick.value), box_.bottom(), x(tick.value), box_.bottom() + 5, stroked("#5b646d"));
    svg_.text(x(tick.value), box_.bottom() + 18, tick.label, {.size = 12, .anchor = Anchor::middle});
  }
  for (const Tick& tick : y_ticks_) {
    svg_.segment(box_.x - 5, y(tick.value), box_.x, y(tick.value), stroked("#5b646d"));
    svg_.text(box_.x - 8, y(tick.value) + 4, tick.label, {.size = 12, .anchor = Anchor::end});
    widest = std::max(widest, text_width(tick.label, 12));
  }
  if (!x_axis_.label.empty())
    svg_.text(box_.x + box_.width / 2, box_.bottom() + (x_ticks_.empty() ? 18 : 38), x_axis_.label,
              {.anchor = Anchor::middle});
  if (!y_axis_.label.empty())
    svg_.text(box_.x - 20 - widest, box_.y + box_.height / 2, y_axis_.label,
              {.anchor = Anchor::middle, .degrees = -90});
}

}  // namespace wgp::report
