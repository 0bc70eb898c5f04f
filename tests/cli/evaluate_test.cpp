// wgp evaluate, synth, completion and manual.
#include <cmath>

#include "run_command.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class EvaluateCommand : public CommandTest {
 protected:
  void write_helix() const {
    std::ostringstream text;
    for (int i = 0; i < 40; ++i) {
      const double t = i / 6.0;
      text << std::cos(t) << ',' << std::sin(t) << ',' << t / 3 + 0.02 * std::sin(31.0 * i) << '\n';
    }
    write("h.csv", text.str());
  }
};

TEST_F(EvaluateCommand, JsonHasTheFieldsOfTheReference) {
  write_helix();
  const Outcome outcome =
      wgp("evaluate h.csv --manifold euclidean:3 --latent 1 --inference point --prior map --effort quick --repeats 2 "
          "--calibrate 0.3 "
          "--json -o "
          "splits.csv");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  for (const char* model : {"wgplvm", "gplvm", "gplvmproj", "nearest", "pga"}) {
    const json& one = all.at(model);
    for (const char* field : {"intrinsic_rmse", "euclidean_rmse", "intrinsic_median", "projection", "calibration",
                              "log_likelihood", "seconds"})
      EXPECT_TRUE(one.contains(field)) << model << ' ' << field;
    EXPECT_EQ(one["euclidean_rmse"]["values"].size(), 2u);
    EXPECT_TRUE(one["projection"].contains("intrinsic_rmse"));
  }
  EXPECT_TRUE(all["gplvm"]["intrinsic_rmse"].is_null());
  EXPECT_TRUE(all["gplvm"]["projection"]["intrinsic_rmse"].is_null());
  const json& calibration = all["wgplvm"]["calibration"];
  for (const char* field : {"ecdf", "area", "ks", "null_area", "reference_area"})
    EXPECT_TRUE(calibration.contains(field)) << field;
  EXPECT_EQ(calibration["ecdf"].back()[1], 1.0);
  EXPECT_EQ(all["wgplvm"]["conformal"].size(), 4u);
  // On plain vectors the two Gaussian process models are the same.
  EXPECT_NEAR(all["wgplvm"]["projection"]["euclidean_rmse"]["mean"].get<double>(),
              all["gplvm"]["projection"]["euclidean_rmse"]["mean"].get<double>(), 1e-5);
  const std::string table = read("splits.csv");
  EXPECT_EQ(header(table),
            "split,intrinsic_rmse,intrinsic_median,euclidean_rmse,projection_intrinsic_rmse,"
            "projection_intrinsic_median,projection_euclidean_rmse,model");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 11);
}

TEST_F(EvaluateCommand, TextNamesEveryModel) {
  write_helix();
  const Outcome outcome = wgp("evaluate h.csv --manifold euclidean:3 --latent 1 --effort quick --repeats 1");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* piece : {"1 split;", "wgplvm", "gplvmproj", "nearest", "pga", "by projection", "calibration"})
    EXPECT_NE(outcome.out.find(piece), std::string::npos) << piece;
}

TEST_F(EvaluateCommand, BadRequestsAreRefused) {
  write_helix();
  EXPECT_TRUE(fails(wgp("evaluate h.csv --manifold euclidean:3 --models wgplm"), 2, {"wgplm", "wgplvm"}));
  EXPECT_TRUE(fails(wgp("evaluate h.csv --manifold euclidean:3 --repeats 0"), 2, {"--repeats"}));
  write("two.csv", "1,2\n3,4\n");
  EXPECT_TRUE(fails(wgp("evaluate two.csv --manifold euclidean:2"), 3, {"two.csv", "2 points"}));
}

TEST_F(EvaluateCommand, SynthGivesPointsThatCheckOut) {
  for (const auto& [name, manifold] : {std::pair{"femur", "sphere:2"},
                                       {"dti", "spd:3"},
                                       {"crypto", "spd:10"},
                                       {"diatoms", "kendall:90"},
                                       {"circle", "euclidean:2"},
                                       {"loop", "sphere:2"},
                                       {"turn", "so:3"},
                                       {"arc", "sphere:2"},
                                       {"sheet", "spd:3"},
                                       {"outliers", "euclidean:2"}}) {
    const Outcome made = wgp(std::string("synth ") + name + " --seed 4 -o s.csv --json");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const json said = json::parse(made.out);
    EXPECT_EQ(said["manifold"], manifold);
    const Outcome check =
        wgp("check s.csv --manifold " + std::string(manifold) + " --columns " + said["columns"].get<std::string>());
    EXPECT_EQ(check.exit_code, 0) << name << check.out << check.err;
  }
  EXPECT_EQ(wgp("synth femur --seed 1").out, wgp("synth femur --seed 1").out);
  EXPECT_TRUE(fails(wgp("synth tibia"), 2, {"tibia", "femur, diatoms, dti, crypto"}));
}

TEST_F(EvaluateCommand, SynthMakesAsManyPointsAsAreWanted) {
  // Larger than the blocks it is written in; a smaller set is the beginning of a larger one.
  const Outcome made = wgp("synth loop --count 10003 --seed 2 -o large.csv --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(json::parse(made.out)["n"], 10003);
  EXPECT_EQ(shell("wc -l < large.csv").out, "10004\n");
  ASSERT_EQ(wgp("synth loop --count 500 --seed 2 -o small.csv --quiet").exit_code, 0);
  EXPECT_EQ(shell("head -501 large.csv | cmp - small.csv").exit_code, 0);
  EXPECT_EQ(shell("head -1 small.csv").out, "x1,x2,x3,t,true_x1,true_x2,true_x3\n");
  EXPECT_EQ(shell("wgp synth outliers --quiet | cut -d, -f6 | sort | uniq -c | tr -s ' '").out,
            " 180 0\n 20 1\n 1 outlier\n");
  EXPECT_TRUE(fails(wgp("synth femur --count 10"), 2, {"--count", "338"}));
  EXPECT_TRUE(fails(wgp("synth circle --count 0"), 2, {"--count"}));
}

TEST_F(EvaluateCommand, CompletionScriptsKnowEveryCommandAndFlag) {
  for (const char* shell_name : {"bash", "zsh", "fish"}) {
    const Outcome script = wgp(std::string("completion ") + shell_name);
    ASSERT_EQ(script.exit_code, 0);
    for (const char* word : {"evaluate", "encode", "manifold", "drop-invalid"})
      EXPECT_NE(script.out.find(word), std::string::npos) << shell_name << ' ' << word;
  }
  write("c.bash", wgp("completion bash").out);
  EXPECT_EQ(shell("bash -c '. ./c.bash; COMP_WORDS=(wgp evaluate --mani); COMP_CWORD=2; _wgp; echo $COMPREPLY'").out,
            "--manifold\n");
  EXPECT_EQ(shell("bash -c '. ./c.bash; COMP_WORDS=(wgp enc); COMP_CWORD=1; _wgp; echo $COMPREPLY'").out, "encode\n");
  EXPECT_TRUE(fails(wgp("completion tcsh"), 2, {"bash, zsh and fish"}));
}

TEST_F(EvaluateCommand, ManualIsAManPageOrMarkdown) {
  const Outcome page = wgp("manual");
  EXPECT_EQ(page.out.rfind(".TH WGP 1", 0), 0u);
  EXPECT_NE(page.out.find(".SH EXIT STATUS"), std::string::npos);
  const Outcome markdown = wgp("manual --markdown");
  EXPECT_NE(markdown.out.find("## wgp evaluate INPUT"), std::string::npos);
}

}  // namespace
}  // namespace wgp::test
