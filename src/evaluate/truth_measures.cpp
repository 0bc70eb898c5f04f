#include "evaluate/truth_measures.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "evaluate/curve_crossings.h"
#include "evaluate/nearest_points.h"

namespace wgp {
namespace {

constexpr Index curve_nodes = 3000;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double sheet_radius = 6, disc_radius = 2.6;
constexpr double shape_distance = 1, shape_length = 0.1, outlier_distance = 3.5;

double rms(const Vector& values) {
  return values.size() == 0 ? not_a_number : std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
}

// Lattice points x of the disc |x| < radius.
Matrix disc_lattice(double radius, double step) {
  const auto side = static_cast<Index>(radius / step);
  Matrix nodes(2, (2 * side + 1) * (2 * side + 1));
  Index kept = 0;
  for (Index a = -side; a <= side; ++a)
    for (Index b = -side; b <= side; ++b)
      if (step * std::hypot(static_cast<double>(a), static_cast<double>(b)) < radius)
        nodes.col(kept++) << step * static_cast<double>(a), step * static_cast<double>(b);
  return nodes.leftCols(kept);
}

Matrix decoded_latents(const Model& model) {
  const Matrix& X = model.parts().X;
  if (model.parts().latent.angles() == 0) return Vector::LinSpaced(curve_nodes, X.minCoeff(), X.maxCoeff()).transpose();
  const double half_step = std::numbers::pi / static_cast<double>(curve_nodes);
  return Vector::LinSpaced(curve_nodes, -std::numbers::pi + half_step, std::numbers::pi - half_step).transpose();
}

void measure_curve(const TruthReference& reference, const Model& model, TruthMeasures& measures) {
  const TruthSet& set = reference.set;
  const Manifold& manifold = *set.manifold;
  const Matrix learned = model.mean_points(decoded_latents(model));
  const Nearest to_true = nearest_points(manifold, learned, reference.points),
                to_learned = nearest_points(manifold, reference.points, learned);
  measures.learned_to_true = rms(to_true.distance) / set.noise;
  measures.true_to_learned = rms(to_learned.distance) / set.noise;
  if (set.gap) {
    std::vector<Index> of_learned, of_true;
    const auto outside = [&](Index k) {
      const double t = reference.parameters(0, k);
      return t <= set.gap->first || t >= set.gap->second;
    };
    for (Index i = 0; i < learned.cols(); ++i)
      if (outside(to_true.which[static_cast<std::size_t>(i)])) of_learned.push_back(i);
    for (Index k = 0; k < reference.points.cols(); ++k)
      if (outside(k)) of_true.push_back(k);
    measures.outside_learned_to_true = rms(to_true.distance(of_learned)) / set.noise;
    measures.outside_true_to_learned = rms(to_learned.distance(of_true)) / set.noise;
  }
  const bool closed = model.parts().latent.angles() == 1;
  measures.length = curve_length(manifold, learned, closed) / reference.length;
  measures.crossings = count_crossings(manifold, learned, closed, set.noise);
  measures.right_shape = measures.learned_to_true <= shape_distance && measures.true_to_learned <= shape_distance &&
                         std::abs(measures.length - 1) <= shape_length && measures.crossings == reference.crossings;
}

void measure_sheet(const TruthReference& reference, const Model& model, TruthMeasures& measures) {
  const TruthSet& set = reference.set;
  const Matrix& X = model.parts().X;
  constexpr double true_step = 0.06;
  const Matrix learned = model.mean_points(X);
  const auto to_disc = [&](double radius) {
    return nearest_on_surface(*set.manifold, set.at, disc_lattice(radius, true_step), true_step, learned);
  };
  constexpr Index side = 161;
  const Vector first = Vector::LinSpaced(side, X.row(0).minCoeff(), X.row(0).maxCoeff()),
               second = Vector::LinSpaced(side, X.row(1).minCoeff(), X.row(1).maxCoeff());
  Matrix nodes(2, side * side);
  for (Index a = 0; a < side; ++a)
    for (Index b = 0; b < side; ++b) nodes.col(a * side + b) << first[a], second[b];
  const double step = std::max(first[1] - first[0], second[1] - second[0]);
  const Vector to_learned = nearest_on_surface(
      *set.manifold, [&](ConstMatrixRef x) { return model.mean_points(x); }, nodes, step,
      set.at(disc_lattice(disc_radius, 0.1)));
  measures.learned_to_true = rms(to_disc(sheet_radius)) / set.noise;
  measures.learned_to_disc = rms(to_disc(disc_radius)) / set.noise;
  measures.true_to_learned = rms(to_learned) / set.noise;
}

}  // namespace

TruthReference::TruthReference(TruthSet given, ConstMatrixRef test_points)
    : set(std::move(given)), test(test_points), log_density(wgp::true_log_density(set, test).mean()) {
  if (!set.is_curve()) return;
  parameters = curve_parameters(set, curve_nodes);
  points = set.at(parameters);
  length = curve_length(*set.manifold, points, set.is_closed());
  crossings = count_crossings(*set.manifold, points, set.is_closed(), set.noise);
}

TruthMeasures measure_truth(const TruthReference& reference, const Model& model) {
  TruthMeasures measures;
  measures.outside_learned_to_true = measures.outside_true_to_learned = measures.learned_to_disc = measures.length =
      not_a_number;
  if (model.latent_dim() != reference.set.latent.dim() || model.manifold().spec() != reference.set.manifold->spec())
    throw Error("a model of " + model.manifold().spec() + " with " + std::to_string(model.latent_dim()) +
                " latent coordinates cannot be measured against a set of " + reference.set.manifold->spec() + " with " +
                std::to_string(reference.set.latent.dim()));
  if (reference.set.is_curve())
    measure_curve(reference, model, measures);
  else
    measure_sheet(reference, model, measures);
  measures.noise = std::sqrt(model.parts().noise) / reference.set.noise;
  measures.log_density = mixture_log_density(model, reference.test).mean();
  measures.true_log_density = reference.log_density;
  measures.true_crossings = reference.crossings;
  return measures;
}

OutlierShares outlier_shares(const TruthReference& reference, const TruthPoints& training,
                             const std::vector<bool>& named) {
  const Vector apart = nearest_points(*reference.set.manifold, training.points, reference.points).distance;
  double far = 0, found = 0, good = 0, alarms = 0;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const bool outlier = i < training.outlier.size() && training.outlier[i];
    if (outlier && apart[static_cast<Index>(i)] > outlier_distance * reference.set.noise) {
      ++far;
      found += named[i];
    }
    if (!outlier) {
      ++good;
      alarms += named[i];
    }
  }
  return {found / far, alarms / good};
}

}  // namespace wgp
