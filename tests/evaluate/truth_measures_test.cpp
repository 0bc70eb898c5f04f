#include "evaluate/truth_measures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "wgp/statistics.h"

namespace wgp {
namespace {

// A process through these vectors at the given latents, as good as the truth: dense data with hardly any noise.
Model interpolate(const TruthSet& set, const Matrix& X, const Matrix& P, double length_scale, double noise_sd) {
  Model::Parts parts;
  parts.kind = ModelKind::wgplvm;
  parts.manifold = set.manifold;
  parts.latent = set.latent;
  parts.kernel = parse_kernel(set.kernel, set.latent);
  parts.base = frechet_mean(*set.manifold, P).mean;
  parts.X = X;
  parts.P = P;
  parts.theta = parts.kernel->default_parameters();
  parts.theta[0] = std::log(2);
  parts.theta[1] = std::log(length_scale);
  parts.noise = 1e-6;
  parts.law = normal_noise(set.manifold->dim(), noise_sd * noise_sd);
  const Model model(parts);
  return model.with([&](Model::Parts& p) { p.noise = noise_sd * noise_sd; });
}

Model true_model(const TruthSet& set, double length_scale) {
  const Matrix t = curve_parameters(set, 300);
  // Latents as a fit has them: angles, or of unit variance.
  const Matrix X = set.is_closed() ? t : Matrix((t.array() - t.mean()) * std::sqrt(12.0));
  return interpolate(set, X, set.at(t), length_scale, set.noise);
}

TruthReference reference_of(const TruthSet& set, std::uint64_t seed) {
  return {set, draw_truth(set, seed, TruthPart::test, 400).points};
}

TEST(TruthMeasures, TheTruthIsRight) {
  for (const std::string name : {"circle", "loop", "turn", "arc", "eight", "horseshoe", "spiral", "gap"}) {
    const TruthSet set = find_truth_source(name)->make(2);
    const TruthReference reference = reference_of(set, 2);
    const TruthMeasures found = measure_truth(reference, true_model(set, 0.3));
    EXPECT_LT(found.learned_to_true, 0.05) << name;
    EXPECT_LT(found.true_to_learned, 0.05) << name;
    EXPECT_NEAR(found.length, 1, 0.005) << name;
    EXPECT_NEAR(found.noise, 1, 1e-9) << name;
    EXPECT_EQ(found.crossings, found.true_crossings) << name;
    EXPECT_TRUE(found.right_shape) << name;
    if (name == "gap")
      EXPECT_LT(found.outside_learned_to_true + found.outside_true_to_learned, 0.1);
    else
      EXPECT_NEAR(found.log_density, found.true_log_density, 0.03) << name;
  }
}

TEST(TruthMeasures, ATangleIsWrong) {
  // The circle's noisy points in random order along the curve.
  const TruthSet set = truth_circle(0);
  const TruthPoints drawn = draw_truth(set, 1, TruthPart::training, 200);
  Random random(1, 5);
  Matrix X(1, 200);
  for (double& x : X.reshaped()) x = 6.28 * random.uniform();
  const TruthMeasures found = measure_truth(reference_of(set, 1), interpolate(set, X, drawn.points, 0.02, 0.02));
  EXPECT_GT(found.length, 5);
  EXPECT_GT(found.crossings, 50);
  EXPECT_GT(found.learned_to_true, 1);
  EXPECT_NEAR(found.noise, 0.02 / 0.15, 1e-9);
  EXPECT_FALSE(found.right_shape);
  EXPECT_LT(found.log_density, found.true_log_density - 0.1);
}

TEST(TruthMeasures, OnePartOfTheTruthIsNotAllOfIt) {
  // Half of a spiral: every decoded point is true, but half of the truth is missing.
  const TruthSet set = truth_spiral(0);
  const Matrix t = 0.5 * curve_parameters(set, 300);
  const TruthMeasures found = measure_truth(reference_of(set, 1), interpolate(set, 7 * t, set.at(t), 0.3, 0.1));
  EXPECT_LT(found.learned_to_true, 0.05);
  EXPECT_GT(found.true_to_learned, 3);
  EXPECT_NEAR(found.length, 0.5, 0.01);
  EXPECT_FALSE(found.right_shape);
}

TEST(TruthMeasures, DistancesAreInUnitsOfTheNoise) {
  // A circle of radius 1.1 is two thirds of the noise away from that of radius 1.
  const TruthSet set = truth_circle(0);
  const Matrix t = curve_parameters(set, 300);
  const TruthMeasures found = measure_truth(reference_of(set, 1), interpolate(set, t, 1.1 * set.at(t), 0.5, 0.15));
  EXPECT_NEAR(found.learned_to_true, 2.0 / 3, 0.01);
  EXPECT_NEAR(found.true_to_learned, 2.0 / 3, 0.01);
  EXPECT_NEAR(found.length, 1.1, 0.001);
}

TEST(TruthMeasures, OutsideTheGapIsOutside) {
  // Right outside, wrong inside: latents of the gap are left to the process.
  const TruthSet set = truth_gap(4);
  const Matrix t = curve_parameters(set, 300);
  Matrix P = set.at(t);
  const ManifoldPtr& sphere = set.manifold;
  for (Index i = 0; i < t.cols(); ++i) {
    const double inside = std::min(t(0, i) - set.gap->first, set.gap->second - t(0, i));
    if (inside > 0.2) P.col(i) = sphere->project(P.col(i) - Eigen::Vector3d(0, 0, std::min(0.2, inside - 0.2)));
  }
  const TruthMeasures found = measure_truth(reference_of(set, 1), interpolate(set, t, P, 0.15, 0.06));
  EXPECT_GT(found.learned_to_true, 0.5);
  EXPECT_GT(found.true_to_learned, 0.5);
  EXPECT_LT(found.outside_learned_to_true, 0.45);
  EXPECT_LT(found.outside_true_to_learned, 0.2);
}

TEST(TruthMeasures, TheSheetItselfIsNearAndAShiftedOneIsFar) {
  const TruthSet set = truth_sheet(3);
  Matrix lattice(2, 26 * 26);
  for (Index a = 0; a < 26; ++a)
    for (Index b = 0; b < 26; ++b)
      lattice.col(26 * a + b) << -3.75 + 0.3 * static_cast<double>(a), -3.75 + 0.3 * static_cast<double>(b);
  const TruthReference reference = reference_of(set, 3);
  const TruthMeasures found = measure_truth(reference, interpolate(set, lattice, set.at(lattice), 1.3, 0.1));
  EXPECT_LT(found.learned_to_true, 0.1);
  EXPECT_LT(found.true_to_learned, 0.1);
  EXPECT_TRUE(std::isnan(found.length));
  // Log matrices moved by 1/2 along the trace: not farther than five noise sd from the sheet, and not on it.
  const Matrix scaled = std::exp(0.5 / std::sqrt(3.0)) * set.at(lattice);
  const TruthMeasures far = measure_truth(reference, interpolate(set, lattice, scaled, 1.3, 0.1));
  EXPECT_GT(far.learned_to_true, 2);
  EXPECT_GT(far.true_to_learned, 2);
  EXPECT_LT(far.learned_to_true, 5.01);
  EXPECT_LT(far.true_to_learned, 5.01);
}

TEST(TruthMeasures, OutliersAreCountedWhereTheyAreFar) {
  const TruthSet set = truth_outliers(0);
  const TruthPoints drawn = draw_truth(set, 1, TruthPart::training, 200);
  const TruthReference reference = reference_of(set, 1);
  const OutlierShares all = outlier_shares(reference, drawn, drawn.outlier);
  EXPECT_EQ(all.found, 1);
  EXPECT_EQ(all.false_alarms, 0);
  std::vector<bool> near(200, false), good = drawn.outlier;  // by the distance to the circle
  for (Index i = 0; i < 200; ++i) {
    const bool is_near = std::abs(drawn.points.col(i).norm() - 1) <= 3.5 * 0.15;
    if (drawn.outlier[static_cast<std::size_t>(i)] && is_near) near[static_cast<std::size_t>(i)] = true;
  }
  EXPECT_EQ(outlier_shares(reference, drawn, near).found, 0);
  good.flip();
  EXPECT_EQ(outlier_shares(reference, drawn, good).false_alarms, 1);
}

TEST(TruthMeasures, AModelOfSomethingElseIsRefused) {
  const TruthSet circle = truth_circle(0);
  EXPECT_THROW(measure_truth(reference_of(truth_loop(0), 1), true_model(circle, 0.3)), Error);
}

}  // namespace
}  // namespace wgp
