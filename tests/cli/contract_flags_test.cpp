// Every flag of fit, the common flags, the exit codes and every field of JSON that is promised.
#include "contract.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class Flags : public Contract {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("d.csv", csv(directions(24), "x,y,z"));
  }
  static std::string fit(const std::string& flags) {
    return "fit d.csv --manifold sphere:2 " +
           std::string(flags.find("--latent") == std::string::npos ? "--latent 1 " : "") +
           "--effort quick -o m.wgp --quiet " + flags;
  }
};

TEST_F(Flags, OfFit) {
  for (const std::string flags : {"--model wgplvm",
                                  "--model gplvm",
                                  "--model gplvmproj",
                                  "--kernel rbf",
                                  "--kernel matern32",
                                  "--kernel matern52",
                                  "--kernel periodic",
                                  "--kernel linear",
                                  "--kernel rbf+linear",
                                  "--kernel rbf*linear",
                                  "--init pga",
                                  "--init pca",
                                  "--init curve",
                                  "--init random",
                                  "--basepoint mean",
                                  "--inference point --prior map",
                                  "--inference point --prior none",
                                  "--inference point --prior auto",
                                  "--inference variational",
                                  "--inference point --variance dof",
                                  "--noise-law normal",
                                  "--noise-law auto",
                                  "--choose bound",
                                  "--choose density",
                                  "--candidate 1",
                                  "--outliers none",
                                  "--init isomap",
                                  "--init tour",
                                  "--latent auto",
                                  "--kernel linear --prior none",
                                  "--inference point --init mds",
                                  "--starts 2",
                                  "--encoder density",
                                  "--encoder projection",
                                  "--seed 7",
                                  "--threads 1",
                                  "--max-iterations 3",
                                  "--time-limit 60",
                                  "--checkpoint c.wgpc",
                                  "--resume c.wgpc"}) {
    std::filesystem::remove(path("m.wgp"));
    expect_done(fit(flags));
    EXPECT_TRUE(std::filesystem::exists(path("m.wgp"))) << flags;
  }
  for (const std::string effort : {"quick", "normal", "thorough"})
    EXPECT_NE(wgp("fit d.csv --manifold sphere:2 --dry-run --effort " + effort).out.find("effort " + effort),
              std::string::npos);
  for (const std::string wrong : {"--model wgplm",
                                  "--kernel rbff",
                                  "--init pgaa",
                                  "--basepoint men",
                                  "--prior mp",
                                  "--encoder densty",
                                  "--prior map",
                                  "--variance dof",
                                  "--init mds",
                                  "--inference point --candidate 1",
                                  "--inference point --noise-law normal",
                                  "--kernel linear --choose density",
                                  "--candidate 0",
                                  "--noise-law heavy",
                                  "--inference points",
                                  "--latent few",
                                  "--starts -1",
                                  "--seed x",
                                  "--threads 0",
                                  "--time-limit soon",
                                  "--max-iterations 1.5",
                                  "--labels"})
    EXPECT_EQ(wgp(fit(wrong)).exit_code, 2) << wrong;
}

TEST_F(Flags, EncoderOfTheFitIsThatOfTheModel) {
  expect_done(fit("--encoder projection"));
  EXPECT_EQ(object_of("info m.wgp --json")["encoder"], "projection");
  EXPECT_NE(wgp("encode m.wgp d.csv").err.find("by projection"), std::string::npos);
  EXPECT_NE(wgp("encode m.wgp d.csv --encoder density").err.find("by density"), std::string::npos);
  EXPECT_EQ(wgp("score m.wgp d.csv --quiet").out, wgp("score m.wgp d.csv --encoder projection --quiet").out);
}

TEST_F(Flags, LabelsOfTheFitAreKept) {
  write("l.csv", "x,y,z,kind\n1,0,0,a\n0,1,0,\"b,c\"\n0,0,1,\xC3\xA9\n0.6,0.8,0,a\n0,0.6,0.8,b\n");
  expect_done("fit l.csv --manifold sphere:2 --latent 1 --effort quick --labels kind -o l.wgp");
  EXPECT_EQ(object_of("info l.wgp --json")["label_column"], "kind");
  const Outcome table = wgp("convert l.wgp --array points --labels labels --quiet");
  EXPECT_NE(table.out.find(",\"b,c\"\n0,0,1,\xC3\xA9\n"), std::string::npos) << table.out << table.err;
  EXPECT_TRUE(fails(wgp("fit l.csv --manifold sphere:2 --latent 1 --labels kid -o n.wgp"), 3, {"no column 'kid'"}));
}

TEST_F(Flags, DryRunDoesNothing) {
  expect_done("fit d.csv --manifold sphere:2 -o m.wgp --dry-run");
  const auto dry = object_of("fit d.csv --manifold sphere:2 --subsample 60 --dry-run --json");
  EXPECT_EQ(dry["latent"]["plain"], 1);  // two would leave nothing of a sphere
  EXPECT_EQ(object_of("fit d.csv --manifold sphere:2 --latent 2 --dry-run --json")["latent"]["plain"], 2);
  EXPECT_EQ(object_of("fit d.csv --manifold euclidean:3 --dry-run --json")["latent"]["plain"], 2);
  EXPECT_EQ(object_of("fit d.csv --manifold sphere:2 --kernel periodic --dry-run --json")["latent"]["angles"], 1);
  EXPECT_EQ(dry["dry_run"], true);
  EXPECT_GT(dry["estimated_seconds"].get<double>(), 0);
  EXPECT_EQ(dry["estimated_file_bytes"], 0);
  EXPECT_EQ(wgp("fit d.csv --manifold sphere:2 --subsample 10 --dry-run").exit_code, 2);
  EXPECT_EQ(wgp("fit d.csv --manifold sphere:2 --subsample 100 --inference point --dry-run").exit_code, 2);
  EXPECT_EQ(files(), std::vector<std::string>{"d.csv"});
}

TEST_F(Flags, Common) {
  write("t.csv", "id,a,x,y,z,kind\n1,9,1,0,0,u\n2,9,0,1,0,v\n3,9,0,0,1,w\n");
  const std::string expected = wgp("mean t.csv --manifold sphere:2 --columns 3:5").out;
  EXPECT_EQ(wgp("mean t.csv --manifold sphere:2 --columns 3,4,5").out, expected);
  EXPECT_EQ(wgp("mean t.csv --manifold sphere:2 --columns x,y,z").out, expected);
  EXPECT_EQ(wgp("mean t.csv --manifold sphere:2 --columns x:z").out, expected);
  expect_done("mean t.csv --manifold sphere:2 --columns x:z -o o.csv");
  EXPECT_EQ(read("o.csv"), expected);
  EXPECT_EQ(wgp("mean t.csv --manifold sphere:2 --columns x:z --quiet --seed 3").err, "");
  EXPECT_EQ(header(wgp("pga t.csv --manifold sphere:2 --columns x:z --labels kind").out), "pc1,pc2,label");
  const Outcome both = wgp("mean t.csv --manifold sphere:2 --columns x:z --json");
  EXPECT_EQ(std::count(both.out.begin(), both.out.end(), '\n'), 1) << "one object on one line";
  EXPECT_FALSE(both.err.empty()) << "messages go to standard error";
  EXPECT_EQ(both.err.find('\r'), std::string::npos) << "no progress where there is no terminal";
}

TEST_F(Flags, EveryCommandTakesJsonAndQuiet) {
  expect_done(fit(""));
  write("z.csv", "0\n");
  for (const std::string command :
       {"manifolds", "check d.csv", "check d.csv --manifold sphere:2", "geom project --manifold sphere:2 d.csv",
        "mean d.csv", "pga d.csv", "curve d.csv", "fit d.csv --effort quick -o n.wgp", "encode m.wgp d.csv",
        "decode m.wgp z.csv", "sample m.wgp --at z.csv", "score m.wgp d.csv",
        "regress d.csv d.csv --manifold sphere:2 -o r.wgp", "evaluate d.csv --models nearest --repeats 1",
        "report m.wgp -o r.html", "convert d.csv -o e.csv", "synth femur -o f.csv", "info m.wgp"}) {
    object_of(command + " --json");
    EXPECT_EQ(wgp(command + " --quiet").err, "") << command;
  }
}

TEST_F(Flags, ExitCodes) {
  EXPECT_EQ(wgp("mean d.csv --manifold sphere:2").exit_code, 0);
  EXPECT_EQ(wgp("mean d.csv --manifold circle").exit_code, 2);
  EXPECT_EQ(wgp("mean none.csv --manifold sphere:2").exit_code, 3);
  EXPECT_EQ(wgp("mean d.csv --manifold sphere:2 --max-iterations 0 --strict").exit_code, 4);
  // Ctrl-C stops a fit, keeps the best model so far and exits with 130.
  const Outcome stopped = shell(
      "wgp synth dti -o s.csv --quiet; timeout -s INT 0.7 wgp fit s.csv --columns 1:9 --manifold spd:3 "
      "--effort thorough -o kept.wgp; echo $? >code");
  EXPECT_EQ(read("code"), "124\n") << "timeout's own code; the command's is asked for below" << stopped.err;
  const Outcome code = shell(
      "wgp fit s.csv --columns 1:9 --manifold spd:3 --effort thorough -o kept.wgp & job=$!\n"
      "sleep 0.7; kill -INT $job; wait $job");
  EXPECT_EQ(code.exit_code, 130) << code.err;
  EXPECT_NE(code.err.find("interrupted: the best model so far is in kept.wgp"), std::string::npos) << code.err;
  EXPECT_EQ(wgp("info kept.wgp").exit_code, 0);
}

TEST_F(Flags, FieldsOfFitScoreMeanAndPga) {
  const json fitted = object_of("fit d.csv --manifold sphere:2 --latent 1 --effort quick -o m.wgp --json");
  expect_keys(fitted,
              {"log_likelihood", "log_posterior", "iterations", "evaluations", "seconds", "stop", "starts",
               "noise_variance", "kernel", "jitter", "cut_locus_points", "model"},
              "fit --json");
  ASSERT_FALSE(fitted["starts"].empty());
  for (const auto& start : fitted["starts"]) expect_keys(start, {"kind", "log_posterior", "iterations"}, "a start");
  EXPECT_TRUE(fitted["kernel"].is_object());
  EXPECT_TRUE(fitted["log_posterior"].is_null() && fitted["log_likelihood"].is_null()) << "latents are integrated out";
  EXPECT_EQ(fitted["inference"], "variational");
  EXPECT_TRUE(fitted["bound"].is_number());
  expect_keys(fitted, {"held_out_log_density", "noise_law", "candidates", "mean_unique", "outliers"}, "fit --json");
  for (const auto& one : fitted["candidates"])
    expect_keys(one, {"kind", "inference", "bound", "held_out_log_density", "noise_sd", "chosen"}, "a candidate");
  const json point =
      object_of("fit d.csv --manifold sphere:2 --latent 1 --inference point --effort quick -o p.wgp --json");
  EXPECT_NE(point["log_posterior"], point["log_likelihood"]) << "the one has the priors, the other has not";
  EXPECT_TRUE(point["bound"].is_null());
  expect_keys(object_of("score m.wgp d.csv --json"),
              {"intrinsic_rmse", "intrinsic_median", "euclidean_rmse", "log_density_mean", "outside_support", "n"},
              "score --json");
  const json mean = object_of("mean d.csv --manifold sphere:2 --json");
  expect_keys(mean, {"mean", "variance", "radius", "gradient_norm", "iterations", "status", "unique"}, "mean --json");
  EXPECT_EQ(mean["mean"].size(), 3u);
  const json pga = object_of("pga d.csv --manifold sphere:2 --json");
  expect_keys(pga, {"mean", "eigenvalues", "explained", "directions"}, "pga --json");
  EXPECT_EQ(pga["directions"].size(), pga["eigenvalues"].size());
}

TEST_F(Flags, FieldsOfEvaluate) {
  const json all = object_of("evaluate d.csv --manifold sphere:2 --latent 1 --effort quick --repeats 2 --json");
  for (const std::string model : {"wgplvm", "gplvm", "gplvmproj", "nearest", "pga"}) {
    ASSERT_TRUE(all.contains(model)) << model;
    const json& one = all[model];
    expect_keys(one,
                {"intrinsic_rmse", "euclidean_rmse", "intrinsic_median", "projection", "calibration", "log_likelihood",
                 "seconds"},
                model);
    expect_keys(one["euclidean_rmse"], {"mean", "sem", "values"}, model);
    expect_keys(one["projection"], {"intrinsic_rmse", "euclidean_rmse"}, model);
    EXPECT_EQ(one["intrinsic_rmse"].is_null(), model == "gplvm") << model;
  }
  expect_keys(all["wgplvm"]["calibration"], {"ecdf", "area", "ks", "null_area", "reference_area"}, "calibration");
  EXPECT_EQ(all["wgplvm"]["calibration"]["ecdf"][0].size(), 2u);
}

}  // namespace
}  // namespace wgp::test
