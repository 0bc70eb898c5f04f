#include <algorithm>
#include <cmath>
#include <limits>

#include "lift/embedded_lift.h"
#include "model/error_summary.h"
#include "model/score_summary.h"

namespace wgp {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void append(Vector& to, const Vector& more) {
  to.conservativeResize(to.size() + more.size());
  to.tail(more.size()) = more;
}

// Of each point to what the model predicts at its latent.
void add_distances(const Model& model, ConstMatrixRef X, ConstMatrixRef points, PointScores& scores) {
  ExpReport report;
  const Matrix back = model.mean_points(X, &report);
  std::vector<bool> lost(static_cast<std::size_t>(points.cols()));
  for (const Index i : report.outside_domain) lost[static_cast<std::size_t>(i)] = true;
  scores.intrinsic = scores.euclidean = Vector::Constant(points.cols(), unknown);
  for (Index i = 0; i < points.cols(); ++i) {
    if (lost[static_cast<std::size_t>(i)]) continue;
    scores.euclidean[i] = euclidean_distances(model.manifold(), points.col(i), back.col(i))[0];
    if (model.on_manifold()) scores.intrinsic[i] = distance(model.manifold(), points.col(i), back.col(i));
  }
}

Score summary_of_distances(const Model& model, PointScores& points) {
  Score score;
  score.n = points.euclidean.size();
  score.intrinsic = std::move(points.intrinsic);
  score.euclidean = std::move(points.euclidean);
  std::vector<Index> known;
  for (Index i = 0; i < score.n; ++i)
    if (!std::isnan(score.euclidean[i])) known.push_back(i);
  score.without_prediction = score.n - static_cast<Index>(known.size());
  const Vector intrinsic = score.intrinsic(known), euclidean = score.euclidean(known);
  score.intrinsic_rmse = root_mean_square(intrinsic);
  score.euclidean_rmse = root_mean_square(euclidean);
  score.intrinsic_median = model.on_manifold() && !known.empty() ? median(intrinsic) : unknown;
  return score;
}

}  // namespace

void PointScores::append(const PointScores& more) {
  wgp::append(intrinsic, more.intrinsic);
  wgp::append(euclidean, more.euclidean);
  wgp::append(log_density, more.log_density);
  wgp::append(held_out, more.held_out);
  outside_support += more.outside_support;
}

PointScores score_points(const Model& model, ConstMatrixRef points, const EncodeOptions& options) {
  const Encoding encoding = model.encode(points, options);
  PointScores scores;
  add_distances(model, encoding.X, points, scores);
  scores.log_density = encoding.log_density;
  if (!model.lift().is_embedded()) scores.held_out = mixture_log_density(model, points, 0, &encoding);
  scores.outside_support = std::count(encoding.status.begin(), encoding.status.end(), EncodeStatus::outside_support);
  return scores;
}

Score score_of(const Model& model, PointScores points) {
  Score score = summary_of_distances(model, points);
  score.log_density_mean = points.log_density.mean();
  if (!model.lift().is_embedded()) score.held_out_log_density = points.held_out.mean();
  score.outside_support = points.outside_support;
  return score;
}

Score reconstruction_score(const Model& model, ConstMatrixRef X, ConstMatrixRef points) {
  PointScores scores;
  add_distances(model, X, points, scores);
  return summary_of_distances(model, scores);
}

}  // namespace wgp
