// Fits that several ranks make together end at the same bytes as on one, whatever their number, and go on or end in
// step.
#include <gtest/gtest.h>

#include "core/rank_columns.h"
#include "evidence/normal_passes.h"
#include "fit/large_fit.h"
#include "fit/truth_fits.h"
#include "gp/lattice_posterior.h"
#include "thread_ranks.h"
#include "wgp/model_file.h"

namespace wgp {
namespace {

using test::FitTask, test::quick_task;

// Each rank with the points that it needs, and no number in the others.
FitResult fitted_on(Ranks& ranks, const FitTask& drawn, FitOptions options) {
  options.ranks = &ranks;
  RankExchange exchange(ranks);
  const Index N = drawn.points.cols();
  const Executor::Range own = NormalPasses::own_points(Executor(1, &exchange), N);
  Matrix here = Matrix::Constant(drawn.points.rows(), N, std::nan(""));
  here.middleCols(own.first, own.last - own.first) = drawn.points.middleCols(own.first, own.last - own.first);
  const MatrixColumns columns(here);
  return large_fit(drawn.manifold, RankColumns(columns, own, &exchange), options);
}

TEST(RankFits, EndAtTheBytesOfOneProcess) {
  for (const char* source : {"loop", "outliers", "sheet"}) {
    const FitTask drawn = quick_task(source, 3, 1500);
    const FitResult alone = large_fit(drawn.manifold, MatrixColumns(drawn.points), drawn.options);
    const std::string bytes = model_bytes(alone.model, alone.summary);
    for (const int count : drawn.options.latent.dim() == 1 ? std::vector<int>{2, 3} : std::vector<int>{3})
      test::ThreadRanks::run(count, [&](Ranks& ranks) {
        FitOptions options = drawn.options;
        options.threads = 1 + ranks.rank() % 2;
        const FitResult result = fitted_on(ranks, drawn, options);
        EXPECT_TRUE(model_bytes(result.model, result.summary) == bytes) << source << ", " << count << " ranks";
        EXPECT_EQ(result.summary.outliers, alone.summary.outliers);
      });
  }
}

TEST(RankFits, OfPointsThatAllHaveEndAtTheBytesOfOneProcess) {
  for (const Index count : {150, 2300}) {  // with latents by descent, and by passes
    const FitTask drawn = quick_task("arc", 4, count);
    const FitResult alone = fit(drawn.manifold, drawn.points, drawn.options);
    const std::string bytes = model_bytes(alone.model, alone.summary);
    test::ThreadRanks::run(3, [&](Ranks& ranks) {
      FitOptions options = drawn.options;
      options.ranks = &ranks;
      const FitResult result = fit(drawn.manifold, drawn.points, options);
      EXPECT_TRUE(model_bytes(result.model, result.summary) == bytes) << count;
    });
  }
}

// Each chain is one rank's; the draws are all of theirs.
TEST(RankFits, OfSurfacesWithDrawsEndAtTheBytesOfOneProcess) {
  const FitTask drawn = test::flat_task(40);
  const FitResult alone = fit(drawn.manifold, drawn.points, drawn.options);
  EXPECT_FALSE(drawn_processes(*alone.model.posterior()).empty());
  const std::string bytes = model_bytes(alone.model, alone.summary);
  test::ThreadRanks::run(2, [&](Ranks& ranks) {
    FitOptions options = drawn.options;
    options.ranks = &ranks;
    const FitResult result = fit(drawn.manifold, drawn.points, options);
    EXPECT_TRUE(model_bytes(result.model, result.summary) == bytes);
  });
}

TEST(RankFits, GoOnOnAnotherNumberOfRanks) {
  const FitTask drawn = quick_task("loop", 5, 1200);
  const FitResult alone = large_fit(drawn.manifold, MatrixColumns(drawn.points), drawn.options);
  const std::string bytes = model_bytes(alone.model, alone.summary);
  // Told to end on one of two ranks while all points are looked at; the first keeps the steps.
  auto checkpoint = std::make_shared<FitCheckpoint>();
  test::ThreadRanks::run(2, [&](Ranks& ranks) {
    FitOptions options = drawn.options;
    if (ranks.rank() == 0)
      options.on_step = [&](std::uint64_t fingerprint, const FitStep& step) {
        checkpoint->fingerprint = fingerprint;
        checkpoint->steps[step.name] = step.numbers;
      };
    if (ranks.rank() == 1) options.keep_going = [](const Progress& progress) { return progress.phase != "all points"; };
    const FitResult result = fitted_on(ranks, drawn, options);
    EXPECT_TRUE(result.summary.cancelled);
    EXPECT_GT(result.model.parts().noise, 0);
  });
  EXPECT_GE(checkpoint->steps.size(), 2u);
  test::ThreadRanks::run(3, [&](Ranks& ranks) {
    FitOptions options = drawn.options;
    options.resume = checkpoint;
    const FitResult result = fitted_on(ranks, drawn, options);
    EXPECT_TRUE(model_bytes(result.model, result.summary) == bytes);
  });
}

// Whoever is told to end, wherever the search is: all end, and know of the same best. What is made of a start in a
// moment, for want of a best, goes by the clock of one of them.
TEST(RankFits, EndAtTheSameModelInTheMiddleOfTheSearch) {
  FitTask curve = quick_task("loop", 5, 200), sheet = quick_task("sheet", 5, 200), part = quick_task("arc", 5, 700),
          wide = curve;
  sheet.options.effort = Effort::normal;
  wide.manifold = parse_manifold("euclidean:24");
  wide.points = Random(3).normals(24, 3) * Random(4).normals(3, 400) + 0.1 * Random(5).normals(24, 400);
  wide.options.latent = LatentSpace::plain(2);
  wide.options.kernel = "rbf";
  wide.options.max_iterations = 40;
  for (const FitTask* task : {&curve, &sheet, &part, &wide})
    for (const int most : {0, 1, 4, 12, 40}) {
      std::vector<std::string> bytes(3);
      test::ThreadRanks::run(3, [&](Ranks& ranks) {
        FitOptions options = task->options;
        options.ranks = &ranks;
        int asked = 0;
        if (ranks.rank() > 0) options.keep_going = [&](const Progress&) { return ++asked < most + ranks.rank(); };
        const FitResult result = fit(task->manifold, task->points, options);
        bytes[static_cast<std::size_t>(ranks.rank())] = model_bytes(result.model, result.summary);
      });
      EXPECT_TRUE(bytes[0] == bytes[1] && bytes[1] == bytes[2]) << task->manifold->spec() << ' ' << most;
    }
}

TEST(RankFits, AllNameThePointThatIsNone) {
  FitTask drawn = quick_task("loop", 6, 700);
  drawn.points.col(650) *= 2;  // the last rank's
  test::ThreadRanks::run(3, [&](Ranks& ranks) {
    try {
      fitted_on(ranks, drawn, drawn.options);
      ADD_FAILURE() << "a point of norm 2 was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("column 651"), std::string::npos) << error.what();
    }
  });
}

}  // namespace
}  // namespace wgp
