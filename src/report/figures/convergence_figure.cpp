#include "report/figures/convergence_figure.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>

#include "report/svg/colouring.h"
#include "report/svg/palette.h"
#include "report/svg/plot.h"

namespace wgp::report {
namespace {

constexpr std::size_t most_rows = 28;
constexpr double row_height = 21;

// The range of the sound optima; what lies far below them stands at the edge with an arrow.
Range range_of(const std::vector<double>& values) {
  std::vector<double> sorted;
  for (const double value : values)
    if (std::isfinite(value)) sorted.push_back(value);
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const double high = sorted.back(), median = sorted[sorted.size() / 2];
  const double least = median < high ? high - 6 * (high - median) : sorted.front();
  Vector kept(2);
  kept << std::max(sorted.front(), least), high;
  return Range::of(kept, 0.08);
}

void draw_panel(Svg& svg, const Box& box, const std::string& label, const std::vector<StartReport>& starts,
                double StartReport::*member) {
  std::vector<double> values;
  for (const StartReport& start : starts) values.push_back(start.*member);
  const Range range = range_of(values);
  Axis rows{{0, static_cast<double>(starts.size())}, ""};
  rows.ticks = Axis::Ticks::hidden;
  const Plot plot(svg, box, {range, label}, rows);
  plot.grid();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const double y = box.y + row_height * (static_cast<double>(i) + 0.5);
    svg.segment(box.x, y, box.right(), y, stroked("#eceff1"));
    if (!std::isfinite(values[i])) continue;
    if (values[i] < range.low) {
      svg.text(box.x + 5, y + 4, "\u25c2 " + tick_label(values[i], std::max(1.0, (range.high - range.low) / 20)),
               {.size = 11, .colour = "#5b646d"});
      continue;
    }
    const bool chosen = starts[i].chosen, sound = starts[i].degenerate.empty();
    svg.marker(chosen ? Marker::diamond : Marker::circle, plot.x(values[i]), y, chosen ? 5.5 : 4.2,
               {.fill = chosen  ? accent
                        : sound ? second_accent
                                : "#ffffff",
                .stroke = ink,
                .width = 0.8});
  }
  plot.frame();
}

}  // namespace

ConvergenceData convergence_data(const Model& model, const FitSummary& summary) {
  ConvergenceData data{summary.starts, model.parts().kind != ModelKind::regression};
  if (summary.inference == Inference::variational) {
    data.integrated = true;
    data.has_leave_one_out = false;
    for (const CandidateReport& one : summary.candidates) {
      StartReport start;
      start.kind = one.kind;
      start.log_posterior = one.bound;
      start.iterations = one.iterations;
      start.chosen = one.chosen;
      data.starts.push_back(std::move(start));
    }
  }
  std::stable_sort(data.starts.begin(), data.starts.end(), [](const StartReport& a, const StartReport& b) {
    return a.chosen != b.chosen ? a.chosen : a.log_posterior > b.log_posterior;
  });
  return data;
}

Figure convergence_figure(const ConvergenceData& data) {
  std::vector<StartReport> shown = data.starts;
  if (shown.size() > most_rows) shown.resize(most_rows);
  std::vector<std::string> names;
  double widest = 60;
  bool any_degenerate = false;
  for (const StartReport& start : shown) {
    names.push_back(shortened(start.degenerate.empty() ? start.kind : start.kind + ": " + start.degenerate, 40));
    widest = std::max(widest, text_width(names.back(), 12));
    any_degenerate = any_degenerate || !start.degenerate.empty();
  }
  const double left = widest + 24, height = row_height * static_cast<double>(std::max<std::size_t>(shown.size(), 1));
  const double panel = data.has_leave_one_out ? 270 : 420;
  const double right = left + (data.has_leave_one_out ? 2 * panel + 30 : panel);
  Svg svg("convergence", right + 20, height + 92, "Optima of the fit");
  double x = left;
  const auto sign = [&](Marker marker, const std::string& fill, const std::string& text) {
    svg.marker(marker, x + 6, 18, marker == Marker::diamond ? 5.5 : 4.2, {.fill = fill, .stroke = ink, .width = 0.8});
    svg.text(x + 17, 22, text, {.size = 12});
    x += text_width(text, 12) + 40;
  };
  sign(Marker::diamond, accent, "the model");
  if (shown.size() > 1) sign(Marker::circle, second_accent, "another optimum");
  if (any_degenerate) sign(Marker::circle, "#ffffff", "degenerate");
  const double top = 36;
  for (std::size_t i = 0; i < names.size(); ++i)
    svg.text(left - 10, top + row_height * (static_cast<double>(i) + 0.5) + 4, names[i],
             {.size = 12, .anchor = Anchor::end});
  draw_panel(svg, {left, top, panel, height}, data.integrated ? "bound on the log evidence" : "log posterior", shown,
             &StartReport::log_posterior);
  if (data.has_leave_one_out)
    draw_panel(svg, {left + panel + 30, top, panel, height}, "leave-one-out log density per point", shown,
               &StartReport::leave_one_out);
  const std::size_t rest = data.starts.size() - shown.size();
  return {
      "Convergence",
      fmt::format(
          "The {} that the fit found, by the start it came from. Farther to the right is better{}. Several that end "
          "at the same value speak for it; a lone best one asks for a longer search (--effort thorough).{}",
          data.starts.size() == 1 ? "optimum" : fmt::format("{} optima", data.starts.size()),
          data.has_leave_one_out ? "; the fit weighs both, since a latent can be fitted to its own point alone "
                                   "(high posterior, low leave-one-out density)"
                                 : "",
          rest > 0 ? fmt::format(" {} lower ones are not shown.", rest) : ""),
      svg};
}

}  // namespace wgp::report
