#include "report/figures/calibration_figure.h"

#include "core/format.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "report/svg/palette.h"
#include "report/svg/plot.h"
#include "wgp/evaluate.h"

namespace wgp::report {

double encoded_share(double u, Index d, Index q) {
  if (u <= 0 || u >= 1) return std::clamp(u, 0.0, 1.0);
  const boost::math::chi_squared all(static_cast<double>(d)), left(static_cast<double>(d - q));
  return boost::math::cdf(left, boost::math::quantile(all, u));
}

CalibrationData calibration_data(const Model& model, const FitSummary& summary) {
  const Model::Parts& parts = model.parts();
  const Index n = parts.X.cols();
  CalibrationData data;
  data.d = model.dim();
  data.q = parts.kind == ModelKind::regression ? 0 : std::min(model.latent_dim(), data.d - 1);
  if (const std::optional<LeaveOneOut> others = model.posterior()->leave_one_out()) {
    const Matrix V = model.lift().lift(parts.X, parts.P).V;
    const Vector squared = (model.law().whiten(V) - model.law().whiten(others->mean)).colwise().squaredNorm();
    for (Index i = 0; i < n; ++i)
      data.fractions.push_back(model.law().share_within(squared[i], others->function_variance[i]));
    std::sort(data.fractions.begin(), data.fractions.end());
  } else {
    data.left_out = true;
    data.fractions.assign(summary.left_out_shares.begin(), summary.left_out_shares.end());
  }
  if (data.fractions.empty()) return data;
  Calibration measured{data.fractions, {}};
  if (data.left_out)
    for (double& u : measured.fractions) u = encoded_share(u, data.d, data.q);
  data.area = measured.area();
  data.ks = measured.ks();
  // Dvoretzky, Kiefer, Wolfowitz, with Massart's constant.
  data.band = std::sqrt(std::log(2 / 0.05) / (2 * static_cast<double>(n)));
  return data;
}

Figure calibration_figure(const CalibrationData& data) {
  const Box box{74, 16, 380, 380};
  Svg svg("calibration", box.right() + 236, box.bottom() + 52, "Calibration");
  const Plot plot(svg, box, {{0, 1}, "probability u that the model gives"}, {{0, 1}, "share of points within it"});
  const double b = std::min(data.band, 1.0);
  Matrix band(2, 6);
  band << plot.x(0), plot.x(0), plot.x(1 - b), plot.x(1), plot.x(1), plot.x(b),  //
      plot.y(0), plot.y(b), plot.y(1), plot.y(1), plot.y(1 - b), plot.y(0);
  svg.polygon(band, filled("#e3e7eb"));
  plot.grid();
  svg.segment(plot.x(0), plot.y(0), plot.x(1), plot.y(1), stroked("#5b646d", 1.2));
  if (data.q > 0) {
    constexpr Index steps = 200;
    Matrix line(2, steps + 1);
    for (Index k = 0; k <= steps; ++k) {
      const double u = static_cast<double>(k) / steps;
      line.col(k) << plot.x(u), plot.y(encoded_share(u, data.d, data.q));
    }
    svg.polyline(line, stroked(second_accent, 1.8, "6 4"));
  }
  const auto n = static_cast<Index>(data.fractions.size());
  Matrix steps(2, 2 * n + 2);
  steps.col(0) << plot.x(0), plot.y(0);
  for (Index i = 0; i < n; ++i) {
    const double x = plot.x(data.fractions[static_cast<std::size_t>(i)]);
    steps.col(2 * i + 1) << x, plot.y(static_cast<double>(i) / static_cast<double>(n));
    steps.col(2 * i + 2) << x, plot.y(static_cast<double>(i + 1) / static_cast<double>(n));
  }
  steps.col(2 * n + 1) << plot.x(1), plot.y(1);
  svg.polyline(steps, stroked(accent, 2.2));
  plot.frame();

  const double left = box.right() + 22;
  double down = box.y + 14;
  const auto entry = [&](const std::string& text) {
    svg.text(left + 40, down + 4, text, {.size = 12});
    down += 26;
  };
  svg.segment(left, down, left + 32, down, stroked(accent, 2.2));
  entry(data.left_out ? "points left out" : "the training points");
  svg.segment(left, down, left + 32, down, stroked("#5b646d", 1.2));
  entry("perfectly calibrated");
  if (data.q > 0) {
    svg.segment(left, down, left + 32, down, stroked(second_accent, 1.8, "6 4"));
    entry("perfect, after fitting latents");
  }
  svg.rect({left, down - 8, 32, 16}, filled("#e3e7eb"));
  entry("95 % band of chance");
  return {"Calibration",
          fmt::format("{}: the share of points within the region to which the model gives probability u. Above the {} "
                      "the uncertainty is too large, below it too small. Area {:.3f}, greatest distance {:.3f}.{}",
                      data.left_out ? "Each training point when its fold was left out, encoded and compared with the "
                                      "prediction of the model of the other points"
                      : data.q > 0  ? "Each training point against its prediction from the others, its latent "
                                      "kept"
                                    : "Each training point against its prediction from the others",
                      data.left_out && data.q > 0 ? "dashed line" : "diagonal", data.area, data.ks,
                      data.d > 30 ? fmt::format(" In {} dimensions regions differ little in size, so that small errors "
                                                "of the standard deviation move the curve far.",
                                                data.d)
                                  : ""),
          svg};
}

}  // namespace wgp::report
