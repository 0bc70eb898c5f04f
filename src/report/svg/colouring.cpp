#include "report/svg/colouring.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/bytes/number.h"
#include "report/svg/palette.h"
#include "report/svg/plot.h"

namespace wgp::report {
namespace {

constexpr double line_height = 19;
constexpr std::size_t most_characters = 22;

void set_groups(Colouring& colouring) {
  std::map<std::string, int> sizes;
  for (const std::string& label : colouring.labels) ++sizes[label];
  std::vector<std::pair<std::string, int>> groups(sizes.begin(), sizes.end());
  const auto by_value = [](const auto& a, const auto& b) {
    const auto x = parse_number(a.first), y = parse_number(b.first);
    if (x && y && *x != *y) return *x < *y;
    return a.first < b.first;
  };
  if (groups.size() > most_groups) {
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    groups.resize(most_groups);
  }
  std::sort(groups.begin(), groups.end(), by_value);
  std::map<std::string, int> place;
  for (const auto& [label, size] : groups) {
    place[label] = static_cast<int>(colouring.groups.size());
    colouring.groups.push_back(label);
  }
  const int others = static_cast<int>(colouring.groups.size());
  if (sizes.size() > groups.size()) colouring.groups.emplace_back("others");
  for (const std::string& label : colouring.labels) {
    const auto found = place.find(label);
    colouring.group_of.push_back(found == place.end() ? others : found->second);
  }
}

// Shapes and colours go round with periods that have no common factor: all pairs are used before one comes again.
Marker group_marker(int group) { return static_cast<Marker>(group % marker_count); }
Paint group_paint(int group) {
  return {.fill = group == most_groups ? "#ffffff" : group_colour(group), .stroke = ink, .width = 0.6};
}

Index legend_columns(const Colouring& colouring, double height) {
  const double rows = std::max(1.0, std::floor((height - line_height) / line_height));
  return static_cast<Index>(std::ceil(static_cast<double>(colouring.groups.size()) / rows));
}

double column_width(const Colouring& colouring) {
  double widest = 0;
  for (const std::string& group : colouring.groups)
    widest = std::max(widest, text_width(shortened(group, most_characters), 12));
  return widest + 32;
}

}  // namespace

std::string shortened(const std::string& text, std::size_t most) {
  std::size_t characters = 0, bytes = 0, cut = 0;
  for (; bytes < text.size(); ++bytes) {
    if ((static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) continue;
    if (characters + 1 == most) cut = bytes;
    if (++characters > most) return text.substr(0, cut) + "…";
  }
  return text;
}

Colouring colouring_from(std::string name, std::vector<std::string> labels) {
  Colouring colouring;
  colouring.name = std::move(name);
  colouring.labels = std::move(labels);
  const auto n = static_cast<Index>(colouring.labels.size());
  colouring.numbers = Vector::Constant(n, std::nan(""));
  std::set<double> distinct;
  bool numeric = true;
  for (Index i = 0; i < n; ++i) {
    const std::string& label = colouring.labels[static_cast<std::size_t>(i)];
    const auto number = parse_number(label);
    if (number && std::isfinite(*number)) {
      colouring.numbers[i] = *number;
      distinct.insert(*number);
    } else if (!number && !is_missing(label)) {
      numeric = false;
    }
  }
  if (numeric && static_cast<int>(distinct.size()) > most_numeric_groups) {
    colouring.kind = Colouring::Kind::numbers;
    colouring.low = *distinct.begin();
    colouring.high = *distinct.rbegin();
  } else {
    colouring.kind = Colouring::Kind::groups;
    colouring.numbers.resize(0);
    set_groups(colouring);
  }
  return colouring;
}

Marker marker_of(const Colouring& colouring, Index point) {
  return colouring.kind == Colouring::Kind::groups ? group_marker(colouring.group_of[static_cast<std::size_t>(point)])
                                                   : Marker::circle;
}

Paint paint_of(const Colouring& colouring, Index point) {
  switch (colouring.kind) {
    case Colouring::Kind::groups:
      return group_paint(colouring.group_of[static_cast<std::size_t>(point)]);
    case Colouring::Kind::numbers:
      return {.fill = ramp_colour((colouring.numbers[point] - colouring.low) / (colouring.high - colouring.low)),
              .stroke = ink,
              .width = 0.6};
    case Colouring::Kind::none:
      break;
  }
  return {.fill = second_accent, .stroke = "#ffffff", .width = 0.6};
}

void draw_point(Svg& svg, const Colouring& colouring, Index point, double x, double y, double radius) {
  svg.marker(marker_of(colouring, point), x, y, radius, paint_of(colouring, point));
}

double legend_width(const Colouring& colouring, double height) {
  switch (colouring.kind) {
    case Colouring::Kind::none:
      return 0;
    case Colouring::Kind::numbers:
      return std::max(90.0, text_width(shortened(colouring.name, most_characters), 13) + 10);
    case Colouring::Kind::groups:
      break;
  }
  return std::max(text_width(shortened(colouring.name, most_characters), 13) + 10,
                  static_cast<double>(legend_columns(colouring, height)) * column_width(colouring));
}

void draw_legend(Svg& svg, const Colouring& colouring, double x, double y, double height) {
  if (colouring.kind == Colouring::Kind::none) return;
  if (colouring.kind == Colouring::Kind::numbers) {
    draw_ramp(svg, {x, y, 16, height}, colouring.low, colouring.high, colouring.name, ramp_colour);
    return;
  }
  svg.text(x, y + 10, shortened(colouring.name, most_characters), {.bold = true});
  const auto count = static_cast<Index>(colouring.groups.size());
  const Index columns = legend_columns(colouring, height), rows = (count + columns - 1) / columns;
  for (Index g = 0; g < count; ++g) {
    const double left = x + static_cast<double>(g / rows) * column_width(colouring);
    const double middle = y + line_height * static_cast<double>(1 + g % rows) + 8;
    svg.marker(group_marker(static_cast<int>(g)), left + 7, middle, 4.5, group_paint(static_cast<int>(g)));
    svg.text(left + 18, middle + 4, shortened(colouring.groups[static_cast<std::size_t>(g)], most_characters),
             {.size = 12});
  }
}

void draw_ramp(Svg& svg, const Box& box, double low, double high, const std::string& title,
               std::string (*colour)(double)) {
  svg.text(box.x, box.y + 10, shortened(title, most_characters), {.bold = true});
  const Box bar{box.x, box.y + 20, box.width, box.height - 20};
  constexpr int steps = 48;
  const double step = bar.height / steps;
  for (int k = 0; k < steps; ++k)  // overlapping a little, so that no seam shows
    svg.rect({bar.x, bar.bottom() - (k + 1) * step, bar.width, k == 0 ? step : step + 0.6},
             filled(colour((k + 0.5) / steps)));
  svg.rect(bar, stroked("#5b646d", 0.8));
  const std::vector<double> ticks = nice_ticks(low, high, std::clamp(static_cast<int>(bar.height / 45), 2, 6));
  const double spacing = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (const double tick : ticks) {
    const double y = bar.bottom() - bar.height * (tick - low) / (high - low);
    svg.segment(bar.right(), y, bar.right() + 4, y, stroked("#5b646d"));
    svg.text(bar.right() + 7, y + 4, tick_label(tick, spacing), {.size = 12});
  }
}

}  // namespace wgp::report
