// Fits of closed curves whose points lie unevenly: the density that they learn, and who knows of it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "evaluate/truth_measures.h"
#include "fit/large_fit.h"
#include "fit/truth_fits.h"
#include "gp/angle_density.h"
#include "model/encode_objectives.h"
#include "model/prior_nodes.h"
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
  return {set, draw_truth(set, seed, TruthPart::training, count).points, test::options_of(set)};
}
Matrix test_points(const Drawn& drawn, std::uint64_t seed, Index count) {
  return draw_truth(drawn.set, seed, TruthPart::test, count).points;
}

class FitWithAGap : public testing::Test {
 protected:
  static constexpr std::uint64_t seed = 2051;
  static void SetUpTestSuite() {
    drawn = new Drawn(draw("gap", seed, 200));
    result = new FitResult(fit(drawn->set.manifold, drawn->points, drawn->options));
  }
  static void TearDownTestSuite() {
    delete result;
    delete drawn;
  }
  static Drawn* drawn;
  static FitResult* result;
  const Model& model() const { return result->model; }
};
Drawn* FitWithAGap::drawn = nullptr;
FitResult* FitWithAGap::result = nullptr;

// With a uniform density points fill the gap: .59 sd beside the curve outside of it, a log density of -.307.
TEST_F(FitWithAGap, LeavesItOpen) {
  const TruthMeasures measures = measure_truth(TruthReference(drawn->set, test_points(*drawn, seed, 400)), model());
  EXPECT_LE(measures.outside_learned_to_true, 0.45);
  EXPECT_LE(measures.outside_true_to_learned, 0.45);
  EXPECT_GT(measures.log_density, measures.true_log_density - 0.1);
  const Vector& density = model().parts().angle_density;
  ASSERT_GT(density.size(), 0);
  EXPECT_LT(AngleDensity(density).log_ratio(evenly_around()).minCoeff(), -1);
}

// log int p(x) p(point | x) dx, written out.
TEST_F(FitWithAGap, DensitiesAreIntegralsOverIt) {
  const Matrix points = test_points(*drawn, seed, 20);
  constexpr Index places = 3000;
  const Matrix X = std::numbers::pi * Eigen::RowVectorXd::LinSpaced(places, -1 + 1.0 / places, 1 - 1.0 / places);
  const Vector log_ratio = AngleDensity(model().parts().angle_density).log_ratio(X.row(0).transpose());
  const Vector mixture = mixture_log_density(model(), points);
  const Encoding codes = model().encode(points);
  const Vector drawn_density = importance_log_density(model(), points, codes, 1);
  for (Index i = 0; i < points.cols(); ++i) {
    const Vector terms = model().log_density(X, points.col(i).replicate(1, places)) + log_ratio;
    const double most = terms.maxCoeff();
    const double expected = most + std::log((terms.array() - most).exp().mean());
    EXPECT_NEAR(mixture[i], expected, 1e-3);
    EXPECT_NEAR(drawn_density[i], expected, 0.3);
    // The heaviest code is where the product is largest, or another peak holds more.
    Index best = 0;
    terms.maxCoeff(&best);
    if (codes.mode_counts()[static_cast<std::size_t>(i)] == 1) {
      EXPECT_NEAR(std::remainder(codes.X(0, i) - X(0, best), 2 * std::numbers::pi), 0, 3e-3);
    }
  }
}

TEST_F(FitWithAGap, CodesHaveItsSlope) {
  const Matrix points = test_points(*drawn, seed, 3);
  const auto objective = with_latent_prior(density_objective(model(), points, infinity), model());
  const auto alone = density_objective(model(), points, infinity);
  const AngleDensity density(model().parts().angle_density);
  const std::vector<Index> owner = {0, 1, 2};
  Matrix X(1, 3);
  X << -2, 0.4, 1.7;
  const EncodeValues with = objective->at(X, owner), without = alone->at(X, owner);
  EXPECT_LT((with.f - without.f + density.log_ratio(X.row(0).transpose())).norm(), 1e-12);
  constexpr double h = 1e-5;
  const Vector up = objective->at(X.array() + h, owner).f, down = objective->at(X.array() - h, owner).f;
  for (Index i = 0; i < 3; ++i)
    EXPECT_NEAR((up[i] - down[i]) / (2 * h), with.gradient(0, i), 1e-5 * (1 + std::abs(with.gradient(0, i))));
}

TEST_F(FitWithAGap, FilesKeepIt) {
  const LoadedModel loaded = parse_model(model_bytes(model(), result->summary), "gap");
  EXPECT_EQ(loaded.model.parts().angle_density, model().parts().angle_density);
  const Matrix points = test_points(*drawn, seed, 5);
  EXPECT_EQ(mixture_log_density(loaded.model, points), mixture_log_density(model(), points));
  // Without one there is no trace of it, and the density is uniform.
  const Model uniform = model().with([](Model::Parts& parts) { parts.angle_density.resize(0); });
  const std::string bytes = model_bytes(uniform, result->summary);
  EXPECT_EQ(bytes.find("angle_density"), std::string::npos);
  EXPECT_EQ(parse_model(bytes, "uniform").model.parts().angle_density.size(), 0);
  EXPECT_NE(mixture_log_density(uniform, points), mixture_log_density(model(), points));
  for (const Vector& damaged :
       {Vector(Vector::Ones(3)), Vector(Vector::Constant(2, infinity)), Vector(Vector::Ones(1000))})
    EXPECT_THROW(parse_model(model_bytes(model().with([&](Model::Parts& parts) { parts.angle_density = damaged; }),
                                         result->summary),
                             "damaged"),
                 Error);
}

TEST_F(FitWithAGap, TheSameBytesOnTwoThreads) {
  FitOptions options = drawn->options;
  options.threads = 2;
  const FitResult again = fit(drawn->set.manifold, drawn->points, options);
  EXPECT_TRUE(model_bytes(again.model, again.summary) == model_bytes(model(), result->summary));
}

TEST(LearnedDensityInFits, OfACurveWithoutGapsStaysUniform) {
  const Drawn drawn = draw("circle", 1, 200);
  const FitResult result = fit(drawn.set.manifold, drawn.points, drawn.options);
  EXPECT_EQ(result.model.parts().angle_density.size(), 0);
}

// Ten times as dense on one side: with a uniform density .09 nats a point are lost.
TEST(LearnedDensityInFits, FitsInPassesLearnItToo) {
  Drawn drawn = draw("uneven", 3, 4000);
  drawn.options.subsample = 300;
  const FitResult result = large_fit(drawn.set.manifold, MatrixColumns(drawn.points), drawn.options);
  ASSERT_GT(result.model.parts().angle_density.size(), 0);
  const TruthMeasures measures = measure_truth(TruthReference(drawn.set, test_points(drawn, 3, 400)), result.model);
  EXPECT_GT(measures.log_density, measures.true_log_density - 0.03);
  EXPECT_LT(measures.learned_to_true, 0.2);
  ASSERT_TRUE(result.summary.held_out_log_density);
  EXPECT_NEAR(*result.summary.held_out_log_density, measures.log_density, 0.1);
}

}  // namespace
}  // namespace wgp
