#include "report/svg/distribution_panel.h"

#include <algorithm>

namespace wgp::report {
namespace {

std::vector<double> bar_shares(const std::vector<double>& sorted) {
  std::vector<double> shares(static_cast<std::size_t>(share_bars), 0);
  for (const double value : sorted)
    shares[static_cast<std::size_t>(std::clamp(static_cast<int>(value * share_bars), 0, share_bars - 1))] +=
        1 / static_cast<double>(sorted.size());
  return shares;
}

}  // namespace

double highest_share(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const std::vector<double> shares = bar_shares(sorted);
  return *std::max_element(shares.begin(), shares.end());
}

void draw_share_bars(Svg& svg, const Plot& plot, const std::vector<double>& sorted, double highest,
                     const Paint& paint) {
  if (sorted.empty() || !(highest > 0)) return;
  const std::vector<double> shares = bar_shares(sorted);
  for (int k = 0; k < share_bars; ++k) {
    const double share = shares[static_cast<std::size_t>(k)];
    if (share == 0) continue;
    const double left = plot.x(static_cast<double>(k) / share_bars), right = plot.x((k + 1.0) / share_bars);
    const double top = plot.y(share / highest);
    svg.rect({left + 0.5, top, right - left - 1, plot.y(0) - top}, paint);
  }
}

void draw_share_steps(Svg& svg, const Plot& plot, const std::vector<double>& sorted, const Paint& paint) {
  const auto n = static_cast<Index>(sorted.size());
  if (n == 0) return;
  // Equal values are one step: with 50 draws there are at most 101 of them.
  std::vector<Eigen::Vector2d> corners = {{0, 0}};
  for (Index i = 0; i < n;) {
    const double value = sorted[static_cast<std::size_t>(i)], height = corners.back().y();
    corners.emplace_back(value, height);
    while (i < n && sorted[static_cast<std::size_t>(i)] == value) ++i;
    corners.emplace_back(value, static_cast<double>(i) / static_cast<double>(n));
  }
  corners.emplace_back(1, 1);
  Matrix line(2, static_cast<Index>(corners.size()));
  for (std::size_t k = 0; k < corners.size(); ++k)
    line.col(static_cast<Index>(k)) << plot.x(corners[k].x()), plot.y(corners[k].y());
  svg.polyline(line, paint);
}

}  // namespace wgp::report
