#include "report/figures/residual_figure.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lift/embedded_lift.h"
#include "report/svg/palette.h"
#include "report/svg/plot.h"

namespace wgp::report {

ResidualData residual_data(const Model& model) {
  const Matrix& P = model.parts().P;
  const Index n = P.cols();
  if (n == 0) return {};
  const Matrix back = model.mean_points(model.parts().X);
  ResidualData data;
  data.intrinsic = model.on_manifold();
  if (data.intrinsic) {
    data.distances.resize(n);
    for (Index i = 0; i < n; ++i) data.distances[i] = distance(model.manifold(), P.col(i), back.col(i));
  } else {
    data.distances = euclidean_distances(model.manifold(), P, back);
  }
  data.worst.resize(static_cast<std::size_t>(n));
  std::iota(data.worst.begin(), data.worst.end(), Index{0});
  std::stable_sort(data.worst.begin(), data.worst.end(),
                   [&](Index a, Index b) { return data.distances[a] > data.distances[b]; });
  data.rms = std::sqrt(data.distances.squaredNorm() / static_cast<double>(n));
  const auto ranked = [&](Index k) { return data.distances[data.worst[static_cast<std::size_t>(k)]]; };
  data.median = n % 2 == 1 ? ranked(n / 2) : (ranked(n / 2 - 1) + ranked(n / 2)) / 2;
  return data;
}

Figure residual_figure(const ResidualData& data, const PointNames& points) {
  const Index n = data.distances.size();
  const Box box{74, 16, 600, 280};
  Svg svg("residuals", box.right() + 24, box.bottom() + 52, "Distances to the reconstructions");
  const double largest = data.distances.maxCoeff();
  const double margin = 0.5 + 0.015 * static_cast<double>(n);
  const Plot plot(svg, box, {{1 - margin, static_cast<double>(n) + margin}, "points, the farthest first"},
                  {{0, largest > 0 ? 1.08 * largest : 1}, "distance to the reconstruction"});
  plot.grid();
  svg.segment(box.x, plot.y(data.rms), box.right(), plot.y(data.rms), stroked(accent, 1.4, "6 4"));
  svg.text(box.right() - 6, plot.y(data.rms) - 6, fmt::format("root mean square {:.3g}", data.rms),
           {.size = 12, .anchor = Anchor::end, .colour = "#a84300", .halo = true});
  const double radius = n <= 100 ? 3.4 : n <= 400 ? 2.6 : 1.9;
  const std::size_t named = std::min(worst_shown, data.worst.size());
  const auto every = static_cast<std::size_t>(drawn_every(n));
  for (std::size_t k = data.worst.size(); k-- > 0;) {
    const bool worst = k < named;
    if (!worst && k % every != 0) continue;
    svg.marker(worst ? Marker::diamond : Marker::circle, plot.x(static_cast<double>(k + 1)),
               plot.y(data.distances[data.worst[k]]), worst ? 3.6 : radius,
               {.fill = worst ? accent : second_accent, .stroke = worst ? ink : "none", .width = 0.6});
  }
  // Names stand to the right of all ten, as far as they meet neither each other nor the points that follow.
  double last = -infinity;
  const double next = named < data.worst.size() ? plot.y(data.distances[data.worst[named]]) : infinity;
  for (std::size_t k = 0; k < named; ++k) {
    const double y = plot.y(data.distances[data.worst[k]]);
    if (y - last < 13 || next - y < 10) continue;
    svg.text(plot.x(static_cast<double>(named)) + 10, y + 4, points.name(data.worst[k]), {.size = 11});
    last = y;
  }
  plot.frame();
  return {"Residuals",
          fmt::format(
              "{} from each training point to the model's prediction at its coordinates, the farthest first (median "
              "{:.3g}). The diamonds are the ten worst, named in the table by their {}.{}",
              data.intrinsic ? "Distance on the manifold" : "Euclidean distance", data.median,
              points.heading() == "row" ? "rows in the table of the fit" : points.heading(), drawn_words(n)),
          svg};
}

}  // namespace wgp::report
