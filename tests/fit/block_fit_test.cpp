// Fits over blocks of points that share nothing but bytes: the same model as in one process, whoever makes the parts,
// in whatever order they are added up, and after a part was lost.
#include "wgp/block_fit.h"

#include <gtest/gtest.h>

#include "fit/large_fit.h"
#include "fit/truth_fits.h"
#include "wgp/model_file.h"

namespace wgp {
namespace {

using test::FitTask, test::quick_task;

// Too many coordinates for a grid of nodes.
FitTask long_vectors(Index count) {
  Random random(8);
  const Matrix X = random.normals(2, count), slopes = random.normals(24, 2), waves = random.normals(24, 2);
  FitOptions options;
  options.subsample = 150;
  options.effort = Effort::quick;
  options.max_iterations = 40;
  return {parse_manifold("euclidean:24"),
          slopes * X + (waves * X).array().sin().matrix() + 0.3 * random.normals(24, count), options};
}

std::string bytes_of(const FitResult& result) { return model_bytes(result.model, result.summary); }

// Points of three machines.
struct Cluster {
  explicit Cluster(const FitTask& drawn) : drawn_(drawn) {
    const Index N = drawn.points.cols();
    ends = {0, 256, 896, N};
  }
  PointBlock block(std::size_t k) const {
    return {drawn_.manifold, ends[k], drawn_.points.middleCols(ends[k], ends[k + 1] - ends[k])};
  }
  const FitTask& drawn_;
  std::vector<Index> ends;
};

FitResult over_blocks(const FitTask& drawn) {
  const Cluster cluster(drawn);
  std::vector<PointBlock> blocks = {cluster.block(0), cluster.block(1), cluster.block(2)};
  std::vector<std::string> latents(3);
  BlockFit fit(drawn.manifold, drawn.points.cols(), drawn.options);
  for (int step = 0; !fit.done(); ++step) {
    std::vector<std::string> sums(3);
    for (std::size_t k = 0; k < 3; ++k) {
      if (step % 7 == 3 && k == static_cast<std::size_t>(step) % 3) {  // lost, and made again by somebody else
        blocks[k].partial(fit.parameters(), latents[k]);
        blocks[k] = cluster.block(k);
      }
      BlockPartial part = blocks[k].partial(fit.parameters(), latents[k]);
      sums[k] = std::move(part.sums);
      latents[k] = std::move(part.latents);
    }
    const std::size_t first = static_cast<std::size_t>(step) % 3;
    fit.step(add_block_sums(sums[(first + 2) % 3], add_block_sums(sums[first], sums[(first + 1) % 3])));
  }
  return fit.result();
}

TEST(BlockFit, EndsAtTheBytesOfOneProcess) {
  for (const FitTask& drawn :
       {quick_task("loop", 3, 1500), quick_task("outliers", 3, 1500), quick_task("sheet", 3, 1100)}) {
    const FitResult alone = large_fit(drawn.manifold, MatrixColumns(drawn.points), drawn.options);
    const FitResult blocks = over_blocks(drawn);
    EXPECT_TRUE(bytes_of(alone) == bytes_of(blocks)) << drawn.manifold->spec();
    EXPECT_EQ(alone.summary.outliers, blocks.summary.outliers);
  }
}

TEST(BlockFit, OfLongVectorsTooWhichBeginAtTheirNearest) {
  const FitTask drawn = long_vectors(1000);
  const FitResult alone = large_fit(drawn.manifold, MatrixColumns(drawn.points), drawn.options);
  const FitResult blocks = over_blocks(drawn);
  EXPECT_NEAR(*alone.summary.bound, *blocks.summary.bound, 1e-10 * std::abs(*alone.summary.bound));
  EXPECT_LT((alone.model.parts().X - blocks.model.parts().X).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(BlockFit, RefusesSumsThatAreNotAllOfAStepAndGoesOn) {
  const FitTask drawn = quick_task("loop", 5, 1000);
  const Cluster cluster(drawn);
  BlockFit fit(drawn.manifold, 1000, drawn.options);
  const auto refused = [&](const auto& what, const char* why) {
    try {
      what();
      ADD_FAILURE() << "taken, and not: " << why;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  const std::string asked = fit.parameters();
  std::vector<std::string> sums;
  for (std::size_t k = 0; k < 3; ++k) sums.push_back(cluster.block(k).partial(asked, "").sums);
  const std::string some = add_block_sums(sums[0], sums[2]);
  refused([&] { fit.step(some); }, "points 256 to 895 are missing");
  refused([&] { add_block_sums(some, sums[2]); }, "twice");
  refused([&] { fit.step(some.substr(0, some.size() / 2)); }, "cut short");
  refused([&] { fit.step(asked); }, "sums over blocks");
  refused([&] { cluster.block(0).partial("parameters", ""); }, "parameters of a block's step");
  refused([&] { fit.result(); }, "not done");
  EXPECT_EQ(fit.parameters(), asked);
  const std::string all = add_block_sums(some, sums[1]);
  fit.step(all);
  refused([&] { fit.step(all); }, "is to come");
  refused([&] { add_block_sums(all, cluster.block(0).partial(fit.parameters(), "").sums); }, "do not belong together");
  refused([&] { PointBlock(drawn.manifold, 100, drawn.points); }, "multiples of 128");
  refused([&] { PointBlock(drawn.manifold, 0, drawn.points.leftCols(200)).partial(fit.parameters(), ""); },
          "a multiple of 128");
  FitOptions fitted_base = drawn.options;
  fitted_base.basepoint = BasepointKind::geodesic;
  refused([&] { BlockFit(drawn.manifold, 1000, fitted_base); }, "the base point is fitted");
}

TEST(BlockFit, NamesThePointThatIsNone) {
  FitTask drawn = quick_task("loop", 6, 1000);
  drawn.points.col(650) *= 2;
  try {
    over_blocks(drawn);
    ADD_FAILURE() << "a point of norm 2 was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("column 651"), std::string::npos) << error.what();
  }
}

TEST(BlockFit, SaysWhatHasEndedItToWhoeverGoesOn) {
  FitTask drawn = quick_task("loop", 3, 1000);
  drawn.options.keep_going = [](const Progress&) -> bool { throw std::runtime_error("the watch has broken"); };
  const Cluster cluster(drawn);
  BlockFit fit(drawn.manifold, 1000, drawn.options);
  const auto sums_of = [&](const std::string& asked) {
    std::string sums = cluster.block(0).partial(asked, "").sums;
    for (std::size_t k = 1; k < 3; ++k) sums = add_block_sums(sums, cluster.block(k).partial(asked, "").sums);
    return sums;
  };
  std::string last;
  EXPECT_THROW(
      while (!fit.done()) {
        last = sums_of(fit.parameters());
        fit.step(last);
      },
      std::runtime_error);
  EXPECT_TRUE(fit.done());
  const auto says = [&](const auto& what) {
    try {
      what();
      ADD_FAILURE() << "went on";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("ended without a result"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("the watch has broken"), std::string::npos) << error.what();
    }
  };
  says([&] { fit.parameters(); });
  says([&] { fit.step(last); });
  says([&] { fit.result(); });
}

TEST(BlockFit, HasAModelWhereItIsToldToEnd) {
  FitTask drawn = quick_task("loop", 3, 1500);
  drawn.options.keep_going = [](const Progress& progress) { return progress.phase != "all points"; };
  const FitResult blocks = over_blocks(drawn);
  EXPECT_TRUE(blocks.summary.cancelled);
  EXPECT_TRUE(blocks.model.predict(blocks.model.parts().X.leftCols(3)).points.allFinite());
}

}  // namespace
}  // namespace wgp
