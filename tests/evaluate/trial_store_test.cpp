#include "evaluate/trial_store.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace wgp {
namespace {

class Store : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-store-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string directory_;
};

Trial some_trial() {
  Trial trial;
  trial.finished = true;
  trial.density = {0.1, 1.0 / 3, 7e-301};
  trial.projection = {0.25, std::nan(""), 12345678.9};
  trial.log_likelihood = -1.5e3;
  trial.held_out_log_density = 2.25;
  trial.seconds = 0.75;
  trial.fractions = {0.02, 0.5, 0.98};
  trial.null_fractions = {0.1};
  trial.coverage = {0.5, 0.8, 0.9, 0.95};
  return trial;
}

TEST_F(Store, GivesBackWhatWasKept) {
  const TrialStore store(directory_ + "/a/b");
  EXPECT_FALSE(store.find_trials("x-split-00-wgplvm", 5));
  store.add_trials("x-split-00-wgplvm", 5, {some_trial(), Trial{}});
  const auto back = store.find_trials("x-split-00-wgplvm", 5);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 2u);
  const Trial &one = back->front(), expected = some_trial();
  EXPECT_TRUE(one.finished);
  EXPECT_EQ(one.density.intrinsic_median, expected.density.intrinsic_median);
  EXPECT_EQ(one.density.euclidean_rmse, expected.density.euclidean_rmse);
  EXPECT_TRUE(std::isnan(one.projection.intrinsic_median));
  EXPECT_EQ(one.projection.euclidean_rmse, expected.projection.euclidean_rmse);
  EXPECT_EQ(one.log_likelihood, expected.log_likelihood);
  EXPECT_EQ(one.held_out_log_density, expected.held_out_log_density);
  EXPECT_EQ(one.seconds, expected.seconds);
  EXPECT_EQ(one.fractions, expected.fractions);
  EXPECT_EQ(one.null_fractions, expected.null_fractions);
  EXPECT_EQ(one.coverage, expected.coverage);
  EXPECT_TRUE(one.clip_errors.empty());
}

TEST_F(Store, OtherRunsFilesAreNotTaken) {
  const TrialStore store(directory_);
  store.add_trials("x", 5, {some_trial()});
  EXPECT_FALSE(store.find_trials("x", 6));
  EXPECT_FALSE(store.has_trials("x", 6));
  EXPECT_FALSE(store.find_trials("y", 5));
}

// A digit changed, cut short, emptied, another file's content: none of them is a trial.
TEST_F(Store, DamagedFilesCountAsMissing) {
  const TrialStore store(directory_);
  store.add_trials("x", 5, {some_trial()});
  const std::string path = store.trials_path("x", 5), good = read(path);
  const std::size_t digit = good.find("0.02");
  ASSERT_NE(digit, std::string::npos);
  std::string changed = good;
  changed[digit + 3] = '3';
  for (const std::string& bad : {changed, good.substr(0, good.size() / 2), std::string(), std::string("[1,2]"),
                                 std::string("{\"format\":2}"), "{\"format\":4" + good.substr(11)}) {
    std::ofstream(path, std::ios::binary) << bad;
    EXPECT_FALSE(store.find_trials("x", 5)) << bad.substr(0, 60);
    EXPECT_TRUE(store.has_trials("x", 5));
  }
  std::ofstream(path, std::ios::binary) << good;
  EXPECT_TRUE(store.find_trials("x", 5));
}

TEST_F(Store, KeepsModels) {
  const TrialStore store(directory_);
  Random random(3);
  Matrix P(3, 20);
  for (Index i = 0; i < 20; ++i)
    P.col(i) = Eigen::Vector3d(std::cos(0.2 * static_cast<double>(i)), 0.3, 1).normalized();
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.latent = LatentSpace::plain(1);
  options.max_iterations = 20;
  const FitResult fitted = fit(parse_manifold("sphere:2"), P, options);
  store.add_model("x-portrait-wgplvm", 9, fitted, {"wgp", ""});
  const auto back = store.find_model("x-portrait-wgplvm", 9);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->model.parts().X, fitted.model.parts().X);
  const std::string path = store.model_path("x-portrait-wgplvm", 9), good = read(path);
  std::ofstream(path, std::ios::binary) << good.substr(0, good.size() - 40);
  EXPECT_FALSE(store.find_model("x-portrait-wgplvm", 9));
  EXPECT_TRUE(store.has_model("x-portrait-wgplvm", 9));
}

}  // namespace
}  // namespace wgp
