#include "evaluate/calibration.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>

#include "wgp/evaluate.h"

namespace wgp {
namespace {

// Of models of the ambient space in the coordinates that they model: there shapes are turned to the mean shape.
Vector distances_from(const Model& model, ConstVectorRef centre, ConstMatrixRef points) {
  if (model.on_manifold()) return model.manifold().at(centre)->distance(points);
  const Matrix V = model.lift().lift(Matrix(), points).V, v = model.lift().lift(Matrix(), centre).V;
  return (V.colwise() - v.col(0)).colwise().norm().transpose();
}

double area_of(const std::vector<double>& fractions) {
  if (fractions.empty()) return 0;
  return 0.5 - std::accumulate(fractions.begin(), fractions.end(), 0.0) / static_cast<double>(fractions.size());
}

}  // namespace

Model under_law_of_regions(const Model& model) {
  const NoiseLawPtr& own = model.parts().law;
  const NoiseLaw& regions = own->for_regions();
  if (&regions == own.get()) return model;
  return model.with([&](Model::Parts& parts) { parts.law = NoiseLawPtr(own, &regions); });  // it lives as long as own
}

std::vector<double> calibration_fractions(const Model& model, ConstMatrixRef points, ConstMatrixRef latents, int draws,
                                          Random& random) {
  const Index n = points.cols();
  const Matrix mean = model.mean_points(latents);
  const Matrix drawn = model.sample(latents, draws, random);
  std::vector<double> fractions;
  Matrix together(points.rows(), draws + 1);
  for (Index i = 0; i < n; ++i) {
    for (int s = 0; s < draws; ++s) together.col(s) = drawn.col(s * n + i);
    together.col(draws) = points.col(i);
    const Vector distance = distances_from(model, mean.col(i), together);
    const double own = distance[draws];
    double nearer = 0;
    for (int s = 0; s < draws; ++s) nearer += distance[s] < own ? 1 : distance[s] == own ? 0.5 : 0;
    fractions.push_back(nearer / draws);
  }
  return fractions;
}

double Calibration::area() const { return area_of(fractions); }
double Calibration::null_area() const { return area_of(null_fractions); }

double Calibration::ks() const {
  double worst = 0;
  const double n = static_cast<double>(fractions.size());
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    const double below = static_cast<double>(i) / n, above = static_cast<double>(i + 1) / n;
    worst = std::max({worst, std::abs(below - fractions[i]), std::abs(above - fractions[i])});
  }
  return worst;
}

double Calibration::null_ks() const {
  double worst = 0;
  std::size_t i = 0, j = 0;
  while (i < fractions.size() && j < null_fractions.size()) {
    // Equal values step together: with few draws there are many.
    const double level = std::min(fractions[i], null_fractions[j]);
    while (i < fractions.size() && fractions[i] <= level) ++i;
    while (j < null_fractions.size() && null_fractions[j] <= level) ++j;
    worst = std::max(worst, std::abs(static_cast<double>(i) / static_cast<double>(fractions.size()) -
                                     static_cast<double>(j) / static_cast<double>(null_fractions.size())));
  }
  return worst;
}

// P(F <= u) = P(chi^2_{d-q} <= quantile of chi^2_d at u), by the midpoint rule.
double Calibration::reference_area(Index d, Index q) {
  if (d <= q) return 0;
  const boost::math::chi_squared all(static_cast<double>(d)), left(static_cast<double>(d - q));
  constexpr int cells = 2000;
  double sum = 0;
  for (int k = 0; k < cells; ++k) {
    const double u = (k + 0.5) / cells;
    sum += boost::math::cdf(left, boost::math::quantile(all, u)) - u;
  }
  return sum / cells;
}

}  // namespace wgp
