#include "evaluate/truth_sets.h"

#include "core/random_streams.h"

namespace wgp {

const std::vector<TruthSource>& truth_sources() {
  static const std::vector<TruthSource> sources = {
      {"circle", "a circle in the plane, noise 0.15 of its radius", truth_circle},
      {"loop", "a closed curve on the sphere", truth_loop},
      {"turn", "a closed curve of rotations", truth_turn},
      {"arc", "an open curve on the sphere", truth_arc},
      {"sheet", "a surface of symmetric positive definite 3 x 3 matrices", truth_sheet},
      {"uneven", "the circle, at one place ten times as dense as opposite", truth_uneven},
      {"gap", "the loop without a sixth of it", truth_gap},
      {"peanut", "a closed curve with a neck of 4 noise sd", truth_peanut},
      {"horseshoe", "the outline of a horseshoe with a mouth of 4 noise sd", truth_horseshoe},
      {"eight", "a figure of eight on the sphere", truth_eight},
      {"trefoil", "a knot in space, noise 10 % of the distance between strands", truth_trefoil},
      {"trefoil20", "a knot in space, noise 20 % of the distance between strands", truth_trefoil_thick},
      {"spiral", "two turns of a spiral, 5 noise sd apart", truth_spiral},
      {"circle20", "the circle in 20 dimensions", truth_circle20},
      {"ellipse", "an ellipse of axes 5:1, the short semi-axis 3 noise sd", truth_ellipse},
      {"outliers", "the circle with one outlier in ten points", truth_outliers},
  };
  return sources;
}

const TruthSource* find_truth_source(const std::string& name) {
  for (const TruthSource& source : truth_sources())
    if (source.name == name) return &source;
  return nullptr;
}

TruthStream::TruthStream(TruthSet set, std::uint64_t seed, TruthPart part)
    : set_(std::move(set)),
      part_(part),
      random_(seed, part == TruthPart::training ? stream::truth_training : stream::truth_test),
      outlier_random_(seed, stream::truth_outliers) {}

double TruthStream::draw_parameter() {
  for (;;) {
    const double t = set_.first + (set_.last - set_.first) * random_.uniform();
    if (set_.gap && t > set_.gap->first && t < set_.gap->second) continue;
    if (!set_.relative_density || random_.uniform() < set_.relative_density(t)) return t;
  }
}

TruthPoints TruthStream::next(Index count) {
  const Manifold& manifold = *set_.manifold;
  const bool with_outliers = set_.outlier_box > 0 && part_ == TruthPart::training;
  TruthPoints drawn;
  drawn.parameters.resize(set_.is_curve() ? 1 : set_.latent.dim(), count);
  Matrix noise(manifold.dim(), count);
  for (Index i = 0; i < count; ++i) {
    if (set_.is_curve())
      drawn.parameters(0, i) = draw_parameter();
    else
      drawn.parameters.col(i) = sheet_parameter_sd * random_.normals(set_.latent.dim());
    noise.col(i) = set_.noise * random_.normals(manifold.dim());
  }
  drawn.truth = set_.at(drawn.parameters);
  drawn.points.resize(manifold.ambient_dim(), count);
  for (Index i = 0; i < count; ++i) drawn.points.col(i) = exp_point(*manifold.at(drawn.truth.col(i)), noise.col(i));
  if (!with_outliers) return drawn;
  for (Index i = 0; i < count; ++i, ++row_) {
    if (row_ % 10 == 0) outlier_row_ = row_ + outlier_random_.below(10);
    drawn.outlier.push_back(row_ == outlier_row_);
    if (!drawn.outlier.back()) continue;
    for (double& x : drawn.points.col(i).reshaped()) x = set_.outlier_box * (2 * outlier_random_.uniform() - 1);
  }
  return drawn;
}

TruthPoints draw_truth(const TruthSet& set, std::uint64_t seed, TruthPart part, Index count) {
  return TruthStream(set, seed, part).next(count);
}

Matrix curve_parameters(const TruthSet& set, Index count) {
  if (!set.is_closed()) return Vector::LinSpaced(count, set.first, set.last).transpose();
  const double step = (set.last - set.first) / static_cast<double>(count);
  return Vector::LinSpaced(count, set.first + step / 2, set.last - step / 2).transpose();
}

}  // namespace wgp
