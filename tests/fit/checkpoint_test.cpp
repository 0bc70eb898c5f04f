#include "fit/checkpoint.h"

#include <gtest/gtest.h>

#include "fit/point_sets.h"
#include "fit/problem.h"

namespace wgp {
namespace {

struct Logged {
  FitResult result;
  std::vector<FitCheckpoint> checkpoints;  // after each step
};
using FitFunction = std::function<FitResult(const FitOptions&)>;

Logged log_fit(const FitFunction& run, const FitOptions& options,
               std::shared_ptr<const FitCheckpoint> resume = nullptr) {
  std::vector<FitCheckpoint> checkpoints;
  FitCheckpoint so_far = resume ? *resume : FitCheckpoint{};
  FitOptions with_log = options;
  with_log.on_step = [&](std::uint64_t fingerprint, const FitStep& step) {
    so_far.fingerprint = fingerprint;
    so_far.steps[step.name] = step.numbers;
    checkpoints.push_back(so_far);
  };
  with_log.resume = std::move(resume);
  FitResult result = run(with_log);
  return {std::move(result), std::move(checkpoints)};
}

// Every `stride`-th checkpoint leads to the model of the whole fit, bit by bit, on another number of threads.
void expect_to_resume(const FitFunction& run, FitOptions options, std::size_t fewest, std::size_t stride) {
  options.threads = 2;
  const Logged whole = log_fit(run, options);
  ASSERT_GE(whole.checkpoints.size(), fewest);
  options.threads = 1;
  for (std::size_t k = 0; k < whole.checkpoints.size(); k += stride) {
    const Logged rest = log_fit(run, options, std::make_shared<const FitCheckpoint>(whole.checkpoints[k]));
    EXPECT_EQ(rest.checkpoints.size(), whole.checkpoints.size() - k - 1);
    const Model::Parts &again = rest.result.model.parts(), &before = whole.result.model.parts();
    EXPECT_EQ(again.X, before.X) << k;
    EXPECT_EQ(again.base, before.base);
    EXPECT_EQ(again.coefficients, before.coefficients);
    EXPECT_EQ(again.noise, before.noise);
    EXPECT_EQ(again.law->parameters(), before.law->parameters());
    ASSERT_EQ(rest.result.summary.starts.size(), whole.result.summary.starts.size());
    EXPECT_EQ(rest.result.summary.iterations, whole.result.summary.iterations);
    EXPECT_EQ(rest.result.summary.evaluations, whole.result.summary.evaluations);
    EXPECT_EQ(rest.result.summary.held_out_log_density, whole.result.summary.held_out_log_density);
  }
}

FitResult fit_sheet(const FitOptions& options) {
  return fit(parse_manifold("euclidean:5"), test::bent_sheet(40), options);
}

TEST(Checkpoint, EveryOneLeadsToTheSameModel) {
  FitOptions options;
  options.inference = Inference::point;
  options.starts = 2;
  options.max_iterations = 60;
  // Two starts, sixteen growths, forty rounds, at least one optimum polished, five folds.
  expect_to_resume(fit_sheet, options, 31, 5);
}

TEST(Checkpoint, OfBasePointsToo) {
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.max_iterations = 40;
  options.basepoint = BasepointKind::automatic;
  const FitFunction run = [](const FitOptions& with) {
    return fit(parse_manifold("sphere:2"), test::arc_on_sphere(24), with);
  };
  expect_to_resume(run, options, 20, 13);
}

TEST(Checkpoint, OfRegressionsToo) {
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.max_iterations = 40;
  options.basepoint = BasepointKind::automatic;
  Random random(3);
  const Matrix X = random.normals(1, 24);
  const FitFunction run = [&](const FitOptions& with) {
    return regress(parse_manifold("sphere:2"), X, test::arc_on_sphere(24), with);
  };
  expect_to_resume(run, options, 10, 7);
}

TEST(Checkpoint, OfAnotherFitIsRefused) {
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  const Logged whole = log_fit(fit_sheet, options);
  const auto last = std::make_shared<const FitCheckpoint>(whole.checkpoints.back());
  options.seed = 1;
  EXPECT_THROW(log_fit(fit_sheet, options, last), Error);
  options.seed = 0;
  options.folds = FoldPolicy::blocks;
  EXPECT_THROW(log_fit(fit_sheet, options, last), Error);
}

FitProblem problem_of(Index q, Index N) {
  FitProblem problem;
  problem.latent = LatentSpace::plain(q);
  problem.kernel = parse_kernel("rbf", problem.latent);
  problem.P = Matrix::Zero(3, N);
  return problem;
}

TEST(Checkpoint, DamagedStepsAreErrors) {
  const FitProblem problem = problem_of(2, 7);
  Optimum optimum;
  optimum.kind = "growth+moves";
  optimum.state.X = Matrix::Random(2, 7);
  optimum.state.theta = Vector::Random(2);
  optimum.polished = true;
  const Vector packed = pack(optimum);
  const Optimum back = unpack_optimum(packed, problem);
  EXPECT_EQ(back.kind, optimum.kind);
  EXPECT_EQ(back.state.X, optimum.state.X);
  EXPECT_EQ(back.state.theta, optimum.state.theta);
  EXPECT_TRUE(back.polished);
  for (Index n = 0; n < packed.size(); ++n) EXPECT_THROW(unpack_optimum(packed.head(n), problem), Error) << n;
  Vector absurd = packed;
  absurd[0] = 1e18;
  EXPECT_THROW(unpack_optimum(absurd, problem), Error);
  // Of another size than the problem's: latents of another dimension, of fewer points, other kernel parameters.
  EXPECT_THROW(unpack_optimum(packed, problem_of(1, 7)), Error);
  EXPECT_THROW(unpack_optimum(packed, problem_of(2, 6)), Error);
  FitProblem other_kernel = problem;
  other_kernel.kernel = parse_kernel("rbf+linear", problem.latent);
  EXPECT_THROW(unpack_optimum(packed, other_kernel), Error);
}

TEST(Checkpoint, MovesOfOptimaThatAreNotThereAreErrors) {
  const FitProblem problem = problem_of(1, 4);
  Optimum optimum;
  optimum.kind = "pga";
  optimum.state.X = Matrix::Random(1, 4);
  optimum.state.theta = Vector::Random(2);
  const Vector good = pack(MovesState{3, {0, 1}, {optimum, optimum}});
  EXPECT_EQ(unpack_moves(good, problem, 2).next_round, 3);
  EXPECT_THROW(unpack_moves(good, problem, 1), Error);
  EXPECT_THROW(unpack_moves(pack(MovesState{3, {0, 5}, {optimum, optimum}}), problem, 2), Error);
  EXPECT_THROW(unpack_moves(pack(MovesState{3, {}, {optimum, optimum}}), problem, 2), Error);
  EXPECT_THROW(unpack_moves(pack(MovesState{3, {1, 1}, {optimum, optimum}}), problem, 2), Error);
  EXPECT_THROW(unpack_moves(pack(MovesState{3, {0, 1, 0}, {optimum, optimum, optimum}}), problem, 3), Error);
}

}  // namespace
}  // namespace wgp
