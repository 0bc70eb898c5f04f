#include "report/live/live_view.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/format.h"
#include "report/words/units.h"

namespace wgp::report {
namespace {

constexpr Index most_for_scale = 400, draw_count = 24;
constexpr std::uint64_t seed_of_draws = 7;

Matrix spread_out(ConstMatrixRef all) {
  const Index every = (all.cols() + most_for_scale - 1) / most_for_scale;
  Matrix some(all.rows(), (all.cols() + every - 1) / every);
  for (Index i = 0; i < some.cols(); ++i) some.col(i) = all.col(i * every);
  return some;
}

// The mean shape, matrix, direction: the Frechet mean where the model has one, else what its points have on average.
Vector middle_of_model(const Model& model, ConstMatrixRef points) {
  const Manifold& manifold = model.manifold();
  const Vector& base = model.parts().base;
  if (model.on_manifold() && model.parts().kind != ModelKind::gplvmproj && base.size() == manifold.ambient_dim() &&
      !manifold.defect(base))
    return base;
  const Vector average = points.rowwise().mean();
  try {
    return manifold.project(average);
  } catch (const Error&) {
    return average;
  }
}

}  // namespace

LiveView::LiveView(const LoadedModel& loaded) : model_(loaded.model) {
  const Model::Parts& parts = model_.parts();
  row_form_ = row_forms(*parts.manifold).front();
  for (const auto& form : row_forms(*parts.manifold))
    if (form->name() == loaded.notes.row_form) row_form_ = form;
  const Matrix predicted = model_.mean_points(spread_out(parts.X));
  const Index observed = parts.has_points() ? std::min(most_for_scale, parts.P.cols()) : 0;
  scale_.points.resize(predicted.rows(), predicted.cols() + observed);
  scale_.points.leftCols(predicted.cols()) = predicted;
  if (observed > 0) scale_.points.rightCols(observed) = spread_out(parts.P).leftCols(observed);
  scale_.mean = middle_of_model(model_, predicted);
  scale_.channels = loaded.notes.channels;
  picture_ = live_picture(model_, scale_);
}

Look LiveView::look(ConstVectorRef x, Spread spread) const {
  Look look;
  look.x = x;
  const Prediction prediction = model_.predict(x);
  const double variance = std::max(prediction.variance[0], 0.0);
  look.sd = std::sqrt(variance);
  look.data_sd = std::sqrt(variance + prediction.noise);
  look.radius = model_.confidence_radius(x, 0.95)[0];
  if (!prediction.report.outside_domain.empty()) return look;
  look.point = prediction.points.col(0);
  if (spread == Spread::none) return look;
  Random random(seed_of_draws);
  ExpReport report;
  look.draws = model_.sample(x, draw_count, random, spread == Spread::data ? SampleOf::data : SampleOf::function,
                             SampleHow::separately, &report);
  for (auto gone = report.outside_domain.rbegin(); gone != report.outside_domain.rend(); ++gone) {
    const Index last = look.draws.cols() - 1;
    look.draws.col(*gone) = look.draws.col(last);
    look.draws.conservativeResize(Eigen::NoChange, last);
  }
  return look;
}

double LiveView::distance(ConstVectorRef p, ConstVectorRef q) const {
  if (!model_.on_manifold()) return (p - q).norm();
  return wgp::distance(model_.manifold(), model_.manifold().project(p), q);
}

std::vector<std::pair<std::string, std::string>> LiveView::facts(const Look& look) const {
  std::vector<std::pair<std::string, std::string>> facts;
  if (look.point.size() == 0) {
    facts.emplace_back("no point", "the manifold has none here: the prediction leaves it");
    return facts;
  }
  const Manifold& manifold = model_.manifold();
  const std::string unit = distance_unit(manifold);
  if (!manifold.defect(look.point)) {
    facts = facts_of_point(manifold, look.point);
    facts.emplace_back("distance from the mean", fmt::format("{:.4g}{}", distance(scale_.mean, look.point), unit));
  }
  facts.emplace_back("sd of the prediction", fmt::format("{:.3g}{}", look.sd, unit));
  facts.emplace_back("sd of new points", fmt::format("{:.3g}{}", look.data_sd, unit));
  facts.emplace_back("95 % of new points within", fmt::format("{:.3g}{}", look.radius, unit));
  return facts;
}

Matrix circle_about(const Manifold& manifold, ConstVectorRef point, double radius, Index count) {
  const auto space = manifold.at(point);
  Matrix coords(2, count);
  for (Index i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count - 1);
    coords.col(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  Matrix points(manifold.ambient_dim(), count);
  space->exp(coords, points);
  return points;
}

std::string to_string(ViewKind kind) {
  switch (kind) {
    case ViewKind::globe:
      return "globe";
    case ViewKind::ellipsoid:
      return "ellipsoid";
    case ViewKind::frames:
      return "frames";
    case ViewKind::landmarks:
      return "landmarks";
    case ViewKind::space:
      return "space";
    case ViewKind::flat:
      break;
  }
  return "flat";
}

ViewKind view_kind(const Manifold& manifold) {
  const std::string spec = manifold.spec();
  const auto is = [&](const char* begin) {
    return spec.starts_with(begin) && spec.find_first_of(",^*") == std::string::npos;
  };
  if (spec == "sphere:2") return ViewKind::globe;
  if (is("spd:3")) return ViewKind::ellipsoid;
  if (spec == "so:3" || spec == "se:3") return ViewKind::frames;
  if (is("kendall3d:")) return ViewKind::landmarks;
  if (spec == "euclidean:3") return ViewKind::space;
  return ViewKind::flat;
}

}  // namespace wgp::report
