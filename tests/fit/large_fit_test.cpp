// Fits in passes over points that are read in blocks, judged by what the points were drawn from; and what they must do
// with threads, with a word to end, with checkpoints and files.
#include "fit/large_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluate/truth_measures.h"
#include "fit/truth_fits.h"
#include "wgp/model_file.h"

namespace wgp {
namespace {

struct Drawn {
  TruthSet set;
  Matrix points;
  FitOptions options;
};
Drawn draw(const char* source, std::uint64_t seed, Index count) {
  const TruthSet set = find_truth_source(source)->make(seed);
  FitOptions options = test::options_of(set);
  options.subsample = 600;
  return {set, draw_truth(set, seed, TruthPart::training, count).points, options};
}
FitResult fitted(const Drawn& drawn, const FitOptions& options) {
  return large_fit(drawn.set.manifold, MatrixColumns(drawn.points), options);
}

TEST(LargeFit, LearnsCurvesAndSheets) {
  for (const char* source : {"loop", "arc", "turn"}) {
    const Drawn drawn = draw(source, 5, 5000);
    const FitResult result = fitted(drawn, drawn.options);
    const TruthReference reference(drawn.set, draw_truth(drawn.set, 5, TruthPart::test, 400).points);
    const TruthMeasures measures = measure_truth(reference, result.model);
    EXPECT_NEAR(measures.noise, 1, 0.05) << source;
    // Of an open curve as far as the farthest of its latents.
    EXPECT_LT(measures.learned_to_true, drawn.options.latent.angles() == 1 ? 0.2 : 0.3) << source;
    EXPECT_NEAR(measures.length, 1, drawn.options.latent.angles() == 1 ? 0.03 : 0.05) << source;
    EXPECT_GT(measures.log_density, measures.true_log_density - 0.05) << source;
    ASSERT_TRUE(result.summary.held_out_log_density) << source;
    EXPECT_NEAR(*result.summary.held_out_log_density, measures.log_density, 0.15) << source;
    EXPECT_LT(result.summary.outliers.size(), 10u) << source;
  }
}

TEST(LargeFit, OfASheetIsAsGoodAsOneInMemory) {
  const Drawn drawn = draw("sheet", 5, 2000);
  FitOptions options = drawn.options;
  options.effort = Effort::quick;
  options.subsample = 400;
  const FitResult large = fitted(drawn, options), small = fit(drawn.set.manifold, drawn.points, options);
  const TruthReference reference(drawn.set, draw_truth(drawn.set, 5, TruthPart::test, 300).points);
  const double of_large = measure_truth(reference, large.model).log_density,
               of_small = measure_truth(reference, small.model).log_density;
  EXPECT_GT(of_large, of_small - 0.15);
  EXPECT_NEAR(std::log(large.model.parts().noise / small.model.parts().noise), 0, 0.1);
}

TEST(LargeFit, HoldsLatentsAndOfManyPointsNone) {
  const Drawn drawn = draw("loop", 2, 6000);
  const FitResult result = fitted(drawn, drawn.options);
  const Model::Parts& parts = result.model.parts();
  EXPECT_FALSE(parts.has_points());
  EXPECT_EQ(parts.X.cols(), 6000);
  EXPECT_EQ(parts.X_sd.cols(), 6000);
  EXPECT_EQ(parts.point_count(), 6000);
  EXPECT_EQ(result.summary.training.size(), 6000u);
  // Encoded anew, training points are where the fit has put them.
  const Encoding codes = result.model.encode(drawn.points.leftCols(200));
  std::vector<double> far;
  for (Index i = 0; i < 200; ++i) far.push_back(std::abs(std::remainder(codes.X(0, i) - parts.X(0, i), 2 * M_PI)));
  std::nth_element(far.begin(), far.begin() + 100, far.end());
  EXPECT_LT(far[100], 0.02);

  const std::string path = testing::TempDir() + "large.wgp";
  save_model(path, result.model, result.summary, {});
  const LoadedModel loaded = load_model(path);
  EXPECT_FALSE(loaded.model.parts().has_points());
  EXPECT_EQ(loaded.model.parts().point_count(), 6000);
  EXPECT_EQ(loaded.model.parts().X, parts.X);
  const Matrix at = parts.X.leftCols(50);
  EXPECT_EQ(loaded.model.predict(at).points, result.model.predict(at).points);
  // Few points stay with their model.
  const FitResult few = large_fit(drawn.set.manifold, MatrixColumns(drawn.points.leftCols(2000)), drawn.options);
  EXPECT_EQ(few.model.parts().P.cols(), 2000);
}

TEST(LargeFit, HoldsTheLatentsOfVeryManyPointsWhereTheyAreWanted) {
  Drawn drawn = draw("loop", 2, 100001);
  drawn.options.effort = Effort::quick;
  drawn.options.subsample = 200;
  drawn.options.keep_going = [](const Progress& progress) { return progress.phase != "all points"; };
  const FitResult some = fitted(drawn, drawn.options);
  ASSERT_EQ(some.model.parts().X.cols(), 2000);
  EXPECT_EQ(some.model.parts().point_count(), 100001);
  ASSERT_EQ(some.summary.training.size(), 2000u);
  EXPECT_TRUE(std::is_sorted(some.summary.training.begin(), some.summary.training.end()));
  drawn.options.keep_latents = true;
  const FitResult all = fitted(drawn, drawn.options);
  ASSERT_EQ(all.model.parts().X.cols(), 100001);
  EXPECT_EQ(all.model.parts().X(Eigen::all, some.summary.training), some.model.parts().X);
}

TEST(LargeFit, EndsAtTheSameBytesOnAnyNumberOfThreadsAndAfterASearchThatWasKept) {
  const Drawn drawn = draw("loop", 3, 3000);
  FitOptions options = drawn.options;
  auto checkpoint = std::make_shared<FitCheckpoint>();
  options.on_step = [&](std::uint64_t fingerprint, const FitStep& step) {
    checkpoint->fingerprint = fingerprint;
    checkpoint->steps[step.name] = step.numbers;
  };
  const FitResult one = fitted(drawn, options);
  options.on_step = nullptr;
  options.threads = 3;
  const FitResult three = fitted(drawn, options);
  options.resume = checkpoint;
  const FitResult again = fitted(drawn, options);
  for (const FitResult* other : {&three, &again}) {
    EXPECT_EQ(one.model.parts().X, other->model.parts().X);
    EXPECT_EQ(one.model.parts().noise, other->model.parts().noise);
    EXPECT_EQ(one.summary.bound, other->summary.bound);
    EXPECT_EQ(one.summary.held_out_log_density, other->summary.held_out_log_density);
  }
}

TEST(LargeFit, HasAModelWhereverItIsToldToEnd) {
  const Drawn drawn = draw("loop", 3, 3000);
  for (const std::string phase : {"tours", "all points", "points left out"}) {
    FitOptions options = drawn.options;
    options.keep_going = [&](const Progress& progress) { return progress.phase != phase; };
    const FitResult result = fitted(drawn, options);
    EXPECT_TRUE(result.summary.cancelled) << phase;
    EXPECT_EQ(result.summary.stop, StopReason::cancelled) << phase;
    EXPECT_GT(result.model.parts().noise, 0) << phase;
    EXPECT_TRUE(result.model.predict(result.model.parts().X.leftCols(3)).points.allFinite()) << phase;
  }
}

TEST(LargeFit, LeavesOutliersAside) {
  const TruthSet set = find_truth_source("outliers")->make(7);
  const TruthPoints drawn = draw_truth(set, 7, TruthPart::training, 4000);
  FitOptions options;
  options.latent = set.latent;
  options.kernel = set.kernel;
  options.subsample = 600;
  const FitResult result = large_fit(set.manifold, MatrixColumns(drawn.points), options);
  const TruthReference reference(set, draw_truth(set, 7, TruthPart::test, 300).points);
  const TruthMeasures measures = measure_truth(reference, result.model);
  EXPECT_NEAR(measures.noise, 1, 0.1);
  EXPECT_LT(measures.learned_to_true, 0.2);
  std::vector<bool> named(4000);
  for (const Index row : result.summary.outliers) named[static_cast<std::size_t>(row)] = true;
  const OutlierShares shares = outlier_shares(reference, drawn, named);
  EXPECT_GT(shares.found, 0.9);
  EXPECT_LT(shares.false_alarms, 0.01);
}

TEST(LargeFit, RefusesWhatIsNoData) {
  const ManifoldPtr plane = parse_manifold("euclidean:3");
  FitOptions options;
  EXPECT_THROW(large_fit(plane, MatrixColumns(Matrix::Ones(3, 500)), options), Error);
}

TEST(LargeFit, IsChosenByNumbersAndRefusedByOptions) {
  const ManifoldPtr small = parse_manifold("spd:3"), wide = parse_manifold("euclidean:1000");
  EXPECT_FALSE(is_large(*small, 100000));
  EXPECT_TRUE(is_large(*small, 100001));
  EXPECT_TRUE(is_large(*wide, 60000));
  FitOptions options;
  EXPECT_EQ(why_not_in_passes(options), "");
  options.basepoint = BasepointKind::geodesic;
  EXPECT_NE(why_not_in_passes(options), "");
  options = {};
  options.inference = Inference::point;
  EXPECT_NE(why_not_in_passes(options), "");
  options = {};
  options.latent = LatentSpace::plain(4);
  EXPECT_NE(why_not_in_passes(options), "");
  options = {};
  options.calibration_share = 0.1;
  EXPECT_NE(why_not_in_passes(options), "");
}

TEST(LargeFit, TakesOverWhereAnExactOneWouldTakeHours) {
  const Drawn drawn = draw("circle", 4, 4001);
  FitOptions options = drawn.options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.subsample = 300;
  const FitResult result = fit(drawn.set.manifold, drawn.points, options);
  EXPECT_EQ(result.summary.inference, Inference::variational);
  EXPECT_NE(result.summary.inference_note.find("4001 latents"), std::string::npos) << result.summary.inference_note;
  EXPECT_NE(result.summary.inference_note.find("GB"), std::string::npos);
  EXPECT_NEAR(std::sqrt(result.model.parts().noise) / drawn.set.noise, 1, 0.05);
}

}  // namespace
}  // namespace wgp
