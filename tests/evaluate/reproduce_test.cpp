#include "evaluate/reproduce.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "evaluate/trial.h"
#include "thread_ranks.h"

namespace wgp {
namespace {

class Reproduce : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-reproduce-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // The first points of a synthetic set.
  static Experiment small(const std::string& name, Index count) {
    for (const ExperimentPlan& plan : experiment_plans())
      if (plan.name == name) {
        Experiment experiment = load_experiment(plan, "");
        experiment.points = experiment.points.leftCols(count).eval();
        experiment.colours.resize(static_cast<std::size_t>(count));
        return experiment;
      }
    throw Error("no such experiment: " + name);
  }
  ReproduceOptions options() const {
    ReproduceOptions options;
    options.repeats = 2;
    options.effort = Effort::quick;
    options.store = directory_ + "/trials";
    return options;
  }
  std::string directory_;
};

TEST(Experiments, AreTheFourOfThePaperAndHaveSyntheticSets) {
  const std::vector<std::pair<std::string, Index>> sizes = {
      {"femur", 338}, {"diatoms", 780}, {"dti", 750}, {"crypto", 126}};
  ASSERT_EQ(experiment_plans().size(), sizes.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const Experiment experiment = load_experiment(experiment_plans()[k], "");
    EXPECT_EQ(experiment.plan.name, sizes[k].first);
    EXPECT_EQ(experiment.points.cols(), sizes[k].second);
    EXPECT_EQ(static_cast<Index>(experiment.colours.size()), sizes[k].second);
    EXPECT_TRUE(experiment.synthetic);
    EXPECT_EQ(experiment.fit().latent.dim(), k == 0 ? 1 : 2);
  }
  EXPECT_EQ(load_experiment(experiment_plans()[0], "").fit().latent.angles(), 1);
}

TEST_F(Reproduce, DataIsReadFromItsPlaceAndErrorsNameIt) {
  const ExperimentPlan& femur = experiment_plans()[0];
  std::filesystem::create_directories(directory_ + "/femur");
  const std::string path = directory_ + "/femur/femur.csv";
  std::ofstream(path) << "frame,time_s,x,y,z,rx\n1,0.5,0,0.6,0.8,7\n2,1.5,1,0,0,7\n";
  const Experiment experiment = load_experiment(femur, directory_ + "/");
  EXPECT_EQ(experiment.points.col(0), Eigen::Vector3d(0, 0.6, 0.8));
  EXPECT_EQ(experiment.colours, (std::vector<std::string>{"0.5", "1.5"}));
  EXPECT_FALSE(experiment.synthetic);
  std::ofstream(path) << "frame,time_s,x,y,z\n1,0.5,0,0.6,0.8\n2,1.5,1,1,0\n";
  try {
    load_experiment(femur, directory_);
    FAIL() << "a row that is not on the sphere was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("femur/femur.csv: row 2: "), std::string::npos) << error.what();
  }
}

TEST_F(Reproduce, DatesBecomeYears) {
  const ExperimentPlan& crypto = experiment_plans()[3];
  std::filesystem::create_directories(directory_ + "/crypto");
  std::ofstream file(directory_ + "/crypto/crypto_cov.csv");
  const char* coins[] = {"btc", "dash", "dgb", "doge", "ltc", "vtc", "xlm", "xmr", "xrp", "xvg"};
  file << "window_first";
  for (const char* a : coins)
    for (const char* b : coins) file << ',' << a << '_' << b;
  for (const char* day : {"2015-01-01", "2016-07-02"}) {
    file << '\n' << day;
    for (int i = 0; i < 100; ++i) file << ',' << (i % 11 == 0 ? 2 : 0);
  }
  file.close();
  const Experiment experiment = load_experiment(crypto, directory_);
  EXPECT_EQ(experiment.colours, (std::vector<std::string>{"2015.0000", "2016.5000"}));  // a leap year's middle
}

// All models on the same splits as evaluate() makes, and the second time nothing is computed.
TEST_F(Reproduce, AgreesWithEvaluateAndResumes) {
  const std::vector<Experiment> experiments = {small("crypto", 40)};
  const Reproduction first = reproduce(experiments, options());
  EXPECT_TRUE(first.complete);
  EXPECT_EQ(first.made, 2 * 4 + 2);
  EXPECT_EQ(first.taken, 0);
  ASSERT_TRUE(first.sets[0].wgplvm && first.sets[0].gplvm);

  EvaluateOptions evaluation = evaluate_options(experiments[0], options());
  evaluation.models = {"wgplvm", "wgplvm-variational", "gplvm", "gplvmproj", "nearest", "pga"};
  const auto plain = evaluate(experiments[0].manifold, experiments[0].points, evaluation);
  for (std::size_t m = 0; m < plain.size(); ++m) {
    const ModelEvaluation& own = first.sets[0].evaluations[m];
    EXPECT_EQ(own.model, plain[m].model);
    EXPECT_EQ(own.density.euclidean_rmse.values, plain[m].density.euclidean_rmse.values) << own.model;
    if (own.on_manifold) {
      EXPECT_EQ(own.density.intrinsic_rmse.values, plain[m].density.intrinsic_rmse.values) << own.model;
    }
    EXPECT_EQ(own.projection.euclidean_rmse.values, plain[m].projection.euclidean_rmse.values) << own.model;
    EXPECT_EQ(own.calibration.fractions, plain[m].calibration.fractions) << own.model;
  }
  EXPECT_EQ(first.sets[0].evaluations[0].coverage.size(), 4u);
  EXPECT_EQ(count_finished(experiments, options()), 10);

  const Reproduction second = reproduce(experiments, options());
  EXPECT_EQ(second.made, 0);
  EXPECT_EQ(second.taken, 10);
  for (std::size_t m = 0; m < plain.size(); ++m)
    EXPECT_EQ(second.sets[0].evaluations[m].density.euclidean_rmse.values,
              first.sets[0].evaluations[m].density.euclidean_rmse.values);
  EXPECT_EQ(second.sets[0].wgplvm->parts().X, first.sets[0].wgplvm->parts().X);

  // Another seed is another run.
  ReproduceOptions other = options();
  other.seed = 1;
  EXPECT_EQ(count_finished(experiments, other), 0);
}

TEST_F(Reproduce, StopsWhenAskedAndGoesOn) {
  const std::vector<Experiment> experiments = {small("crypto", 30)};
  ReproduceOptions stopped = options();
  int finished = 0;
  stopped.on_progress = [&](const ReproduceProgress& progress) { finished = progress.done; };
  stopped.interrupted = [&] { return finished >= 3; };
  const Reproduction part = reproduce(experiments, stopped);
  EXPECT_FALSE(part.complete);
  EXPECT_EQ(part.made, 3);
  const Reproduction rest = reproduce(experiments, options());
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(rest.taken, 3);
  EXPECT_EQ(rest.made, 7);
}

// Each makes some, in a store of its own; the first has all in the end, as if it had made them.
TEST_F(Reproduce, RanksShareTheTrials) {
  const std::vector<Experiment> experiments = {small("crypto", 30)};
  ReproduceOptions options = this->options();
  options.repeats = 1;
  std::atomic<int> made_elsewhere = 0;
  test::ThreadRanks::run(2, [&](Ranks& ranks) {
    ReproduceOptions own = options;
    own.ranks = &ranks;
    own.store += std::to_string(ranks.rank());
    int made_here = 0;
    own.on_progress = [&](const ReproduceProgress& progress) { made_here = progress.done; };
    const Reproduction together = reproduce(experiments, own);
    if (ranks.rank() != 0) {
      made_elsewhere = made_here;
      return;
    }
    EXPECT_TRUE(together.complete);
    EXPECT_EQ(together.made, 6);
    EXPECT_LT(made_here, 6);
    EXPECT_EQ(together.sets[0].evaluations[0].density.euclidean_rmse.values.size(), 1u);
    EXPECT_TRUE(together.sets[0].wgplvm && together.sets[0].gplvm);
  });
  EXPECT_GT(made_elsewhere, 0);
  options.store += "0";
  EXPECT_EQ(reproduce(experiments, options).taken, 6);
  // An earlier run's are the first rank's to know.
  test::ThreadRanks::run(2, [&](Ranks& ranks) {
    ReproduceOptions own = options;
    own.ranks = &ranks;
    if (ranks.rank() != 0) own.store += "empty";
    const Reproduction again = reproduce(experiments, own);
    EXPECT_EQ(again.made, 0);
    EXPECT_EQ(again.taken, ranks.rank() == 0 ? 6 : 0);
  });
}

// gplvm and gplvmproj come from one fit; each alone gives the same.
TEST(Trials, OneFitServesBothModelsOfTheAmbientSpace) {
  const auto groups = fit_groups({"gplvmproj", "nearest", "wgplvm", "gplvm"});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0], (FitGroup{"gplvmproj", "gplvm"}));
  const ExperimentPlan& plan = experiment_plans()[2];
  const Experiment experiment = load_experiment(plan, "");
  const Matrix P = experiment.points.leftCols(30);
  EvaluateOptions options;
  options.fit = experiment.fit();
  options.fit.effort = Effort::quick;
  options.fit.prior = Prior::automatic;
  const auto going = [] { return true; };
  const auto both = run_trials(experiment.manifold, P, {"gplvm", "gplvmproj"}, 0, options, going);
  const auto alone = run_trials(experiment.manifold, P, {"gplvmproj"}, 0, options, going);
  EXPECT_EQ(both[1].density.intrinsic_rmse, alone[0].density.intrinsic_rmse);
  EXPECT_EQ(both[1].projection.intrinsic_rmse, alone[0].projection.intrinsic_rmse);
  EXPECT_EQ(both[1].fractions, alone[0].fractions);
  EXPECT_NE(both[0].fractions, both[1].fractions);  // distances of the one are Euclidean
}

}  // namespace
}  // namespace wgp
