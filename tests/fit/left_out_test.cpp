// What left-out points of a fit with integrated latents say about its noise.
#include "fit/left_out.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "evaluate/truth_sets.h"
#include "fit/process_chains.h"
#include "fit/truth_fits.h"
#include "model/drawn_density.h"
#include "wgp/fit.h"

namespace wgp {
namespace {

struct Circle {
  TruthPoints drawn;
  FitOptions options;
  FitResult fitted;
  const Matrix& points() const { return drawn.points; }
  const Model& model() const { return fitted.model; }
  double noise() const { return model().parts().noise; }
};
Circle fitted_circle(std::uint64_t seed) {
  const TruthSet set = find_truth_source("circle")->make(seed);
  TruthPoints drawn = draw_truth(set, seed, TruthPart::training, 100);
  FitOptions options;
  options.latent = set.latent;
  options.kernel = set.kernel;
  options.effort = Effort::quick;
  FitResult fitted = fit(set.manifold, drawn.points, options);
  return {std::move(drawn), std::move(options), std::move(fitted)};
}

// A model of all points, as if each fold's other points had made it.
LeftOutPoints left_out_of(const Model& model, ConstMatrixRef P, double noise, Executor& executor) {
  const std::vector<bool> nobody(static_cast<std::size_t>(P.cols()), false);
  auto left_out = leave_out(
      make_folds(P.cols(), FoldPolicy::random, 0), [&](std::size_t, Executor&) { return model; }, P, nobody, noise,
      executor);
  if (!left_out) throw Error("some fold has no model");
  return std::move(*left_out);
}

TEST(LeftOutPoints, EachFoldIsMeasuredInItsOwnNoise) {
  const Circle circle = fitted_circle(51);
  Executor executor(2);
  const LeftOutPoints plain = left_out_of(circle.model(), circle.points(), circle.noise(), executor);
  EXPECT_EQ(plain.residuals.Z.cols(), circle.points().cols());
  EXPECT_EQ(plain.residuals.fitted_noise, circle.noise());
  // The same residuals beside a model of all points with nine times the noise are three times as large.
  const LeftOutPoints wider = left_out_of(circle.model(), circle.points(), 9 * circle.noise(), executor);
  EXPECT_LT((wider.residuals.Z - 3 * plain.residuals.Z).norm(), 1e-9 * plain.residuals.Z.norm());
  EXPECT_LT((wider.residuals.J - 3 * plain.residuals.J).norm(), 1e-9 * plain.residuals.J.norm());
  EXPECT_LT((wider.variance - 9 * plain.variance).norm(), 1e-9 * plain.variance.norm() + 1e-300);
  EXPECT_EQ(wider.residuals.g, plain.residuals.g);
}

// What a law makes of the points of a circle that each fold's others have fitted with `times` as much noise as all.
DensestLaw densest_of(const Circle& circle, const NoiseLaw& law, double times = 1) {
  Executor executor(1);
  const double noise = circle.noise() / times;
  return densest_law(left_out_of(circle.model(), circle.points(), noise, executor), law, noise, circle.points(),
                     DensitiesOf::process, executor);
}
double mean_density(const Circle& circle, const NoiseLawPtr& law) {
  return mixture_log_density(circle.model().with([&](Model::Parts& parts) { parts.law = law; }), circle.points())
      .mean();
}

TEST(LeftOutPoints, WidenALawUntilTheyAreDensest) {
  const Circle circle = fitted_circle(52);
  // Wherever the law begins it ends at the same width, but for a step.
  double widths[3];
  int k = 0;
  for (const double factor : {0.25, 1.0, 4.0}) {
    const DensestLaw found = densest_of(circle, *normal_noise(2, factor * circle.noise()));
    widths[k++] = factor * found.scales.variances;
    ASSERT_EQ(found.log_densities.size(), circle.points().cols());
    EXPECT_NEAR(found.log_densities.mean(), mean_density(circle, found.law), 1e-9) << factor;
    const double before = mean_density(circle, normal_noise(2, factor * circle.noise()));
    EXPECT_NEAR(found.log_densities_before.mean(), before, 1e-9) << factor;
  }
  for (const double width : widths) EXPECT_NEAR(std::log2(width / widths[1]), 0, 0.51);
  EXPECT_NEAR(std::log2(widths[1]), 0.25, 0.75);
}

// A law is that of the model of all points. A fold whose own model has another noise is asked with the law of that
// noise: left-out points are as dense as under it.
TEST(LeftOutPoints, AFoldOfOtherNoiseIsAskedWithALawOfItsOwn) {
  const Circle circle = fitted_circle(54);
  const DensestLaw found = densest_of(circle, *normal_noise(2, circle.noise() / 9), 9);
  const double all = found.scales.variances;
  const NoiseLawPtr own = normal_noise(2, all * circle.noise(), all * found.scales.function);
  EXPECT_NEAR(found.log_densities.mean(), mean_density(circle, own), 1e-9);
  // Not widened ninefold to make up for it.
  EXPECT_LT(std::abs(std::log2(all)), 1.1);
}

// A surface, whose model has draws: the law that its one process wants is found under that process alone, and that of
// the draws under them.
TEST(LeftOutPoints, OfDrawsWantALawOfTheirOwn) {
  const test::FitTask task = test::flat_task(40);
  const Model model = fit(task.manifold, task.points, task.options).model;
  ASSERT_TRUE(has_draws(model));
  const Model alone(model.parts(), lattice_posterior(*lattice_parts(*model.posterior())));
  const Matrix others = test::flat_sheet(100, 2);
  const double noise = model.parts().noise;
  const NoiseLawPtr law = normal_noise(model.dim(), noise);
  Executor executor(1);
  const LeftOutPoints left_out = left_out_of(model, others, noise, executor);
  const DensestLaw of_process = densest_law(left_out, *law, noise, others, DensitiesOf::process, executor),
                   of_draws = densest_law(left_out, *law, noise, others, DensitiesOf::draws, executor);
  const auto density = [&](const Model& one, const DensestLaw& found) {
    return mixture_log_density(one.with([&](Model::Parts& parts) {
             parts.law = found.law;
             parts.scales_of_draws = {};
           }),
                               others)
        .mean();
  };
  EXPECT_NEAR(of_process.log_densities.mean(), density(alone, of_process), 0.1);
  EXPECT_NEAR(of_draws.log_densities.mean(), density(model, of_draws), 1e-3);
  EXPECT_GT(std::abs(of_draws.log_densities_before.mean() - of_process.log_densities_before.mean()), 1e-3);
}

// Optima that differ hardly in bound, whichever of them is the higher one.
TEST(Chains, BeginAtOptimaThatAreNear) {
  FitOptions options;
  options.latent = LatentSpace::plain(2);
  FitProblem problem;
  problem.P = Matrix::Zero(3, 50);
  problem.lift = std::make_shared<const Basepoint>(parse_manifold("euclidean:3"), Vector::Zero(3), nullptr, Matrix());
  std::vector<LatentOptimum> optima(3);
  for (LatentOptimum& one : optima) one.state.X = Matrix::Zero(2, 50);
  const double near = variational::near_bound_a_point * 50;
  const auto second = [&](double first, double other) {
    optima[0].bound = first;
    optima[1].bound = 0;
    optima[2].bound = other;
    const auto starts = chain_starts(problem, options, optima[1], optima);
    return starts.size() < 2 ? -1 : static_cast<int>(starts[1] - optima.data());
  };
  EXPECT_EQ(second(-100, -near + 1), 2);
  EXPECT_EQ(second(near - 1, -100), 0);
  EXPECT_EQ(second(near + 1, -near - 1), -1);
  EXPECT_EQ(second(0.1, -0.1), -1);  // the same optimum again
}

// A function that is far less certain than the law says, as few points have made it.
TEST(LeftOutPoints, WidenTheFunctionWhereItIsTooSure) {
  const Circle circle = fitted_circle(55);
  const Matrix few = circle.points().leftCols(12), others = circle.points().rightCols(88);
  FitOptions options = circle.options;
  options.inits = {"given"};
  options.given_latents = circle.drawn.parameters.leftCols(12);
  const Model model = fit(circle.model().parts().manifold, few, options).model;
  const double noise = model.parts().noise;
  Executor executor(1);
  const LeftOutPoints left_out = left_out_of(model, others, noise, executor);
  const DensestLaw sure =
      densest_law(left_out, *normal_noise(2, noise, 0.1), noise, others, DensitiesOf::process, executor);
  EXPECT_GE(sure.scales.function, 2);
  EXPECT_DOUBLE_EQ(sure.law->noise_variance(), sure.scales.variances * noise);
  EXPECT_DOUBLE_EQ(sure.law->function_scale(), 0.1 * sure.scales.variances * sure.scales.function);
  // One that says more than enough is left alone.
  EXPECT_EQ(densest_law(left_out, *normal_noise(2, noise, 1e3), noise, others, DensitiesOf::process, executor)
                .scales.function,
            1);
}

// Latents that are given belong to rows of the data: whichever of them a fit, or a fold of it, is made of.
TEST(LeftOutPoints, GivenLatentsStayWithTheirRows) {
  Circle circle = fitted_circle(53);
  circle.options.inits = {"given"};
  circle.options.given_latents = circle.drawn.parameters;
  circle.options.calibration_share = 0.3;
  const FitResult fitted = fit(circle.fitted.model.parts().manifold, circle.drawn.points, circle.options);
  ASSERT_EQ(fitted.summary.training.size(), 70u);
  std::complex<double> along = 0, against = 0;
  for (std::size_t i = 0; i < 70; ++i) {
    const double t = circle.drawn.parameters(0, fitted.summary.training[i]);
    const double x = fitted.model.parts().X(0, static_cast<Index>(i));
    along += std::polar(1.0 / 70, x - t);
    against += std::polar(1.0 / 70, x + t);
  }
  EXPECT_GT(std::abs(along), 0.95);
  EXPECT_LT(std::abs(against), 0.5);
}

}  // namespace
}  // namespace wgp
