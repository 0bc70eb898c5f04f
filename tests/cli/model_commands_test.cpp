// wgp fit, encode, decode, sample, score, regress and info, as one works with them.
#include <cmath>

#include "run_command.h"
#include "wgp/row_form.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class ModelCommands : public CommandTest {
 protected:
  // Directions along a bent arc, a little off it.
  void write_arc(const std::string& name, int count) const {
    std::ostringstream text;
    text.precision(17);
    text << "x,y,z,kind\n";
    for (int i = 0; i < count; ++i) {
      const double t = 2.4 * i / count, u = 0.5 + 0.2 * std::sin(3 * t) + 0.02 * std::cos(17.0 * i);
      text << std::sin(u) * std::cos(t) << ',' << std::sin(u) * std::sin(t) << ',' << std::cos(u) << ",k" << i << '\n';
    }
    write(name, text.str());
  }
  // A small model in m.wgp.
  void fit_arc(const std::string& flags = "--latent 1", int count = 24) const {
    write_arc("arc.csv", count);
    const Outcome outcome =
        wgp("fit arc.csv --manifold sphere:2 --columns x,y,z --effort quick --quiet -o m.wgp " + flags);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  static double on_sphere(const std::vector<double>& row, std::size_t at) {
    return std::hypot(row[at], row[at + 1], row[at + 2]);
  }
};

TEST_F(ModelCommands, FitSaysWhatItFound) {
  write_arc("arc.csv", 24);
  const Outcome outcome =
      wgp("fit arc.csv --manifold sphere:2 --columns x,y,z --latent 1 --inference point --effort quick --starts 3 "
          "--json -o m.wgp");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json object = json::parse(outcome.out);
  for (const char* key : {"log_likelihood", "log_posterior", "iterations", "evaluations", "seconds", "stop", "starts",
                          "noise_variance", "kernel", "jitter", "cut_locus_points", "model"})
    EXPECT_TRUE(object.contains(key)) << key;
  EXPECT_EQ(object["model"], "m.wgp");
  EXPECT_EQ(object["kernel"]["spec"], "rbf");
  EXPECT_TRUE(object["kernel"]["rbf.log_variance"].is_number());
  bool random = false, chosen = false;
  for (const auto& start : object["starts"]) {
    random = random || start["kind"] == "random";
    chosen = chosen || start["chosen"].get<bool>();
    for (const char* key : {"log_posterior", "iterations", "leave_one_out"}) EXPECT_TRUE(start[key].is_number()) << key;
  }
  EXPECT_TRUE(random && chosen);
  EXPECT_EQ(object["starts"].size(), 3u);
  for (const char* piece : {"wgplvm of 24 points on sphere:2", "log posterior", "leave-one-out", "chosen", "noise sd"})
    EXPECT_NE(outcome.err.find(piece), std::string::npos) << piece << "\n" << outcome.err;
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos);  // no progress where nobody watches
  EXPECT_EQ(files(), (std::vector<std::string>{"arc.csv", "m.wgp"}));
}

TEST_F(ModelCommands, FitBeginsAtGivenLatents) {
  fit_arc();
  ASSERT_EQ(wgp("encode m.wgp arc.csv --columns x,y,z -o codes.csv").exit_code, 0);
  const std::string fit = "fit arc.csv --manifold sphere:2 --columns x,y,z --latent 1 --effort quick -o again.wgp ";
  const Outcome outcome = wgp(fit + "--init given --at codes.csv --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json object = json::parse(outcome.out);
  ASSERT_EQ(object["starts"].size(), 1u);
  EXPECT_EQ(object["starts"][0]["kind"], "given");
  const double before = json::parse(wgp("info m.wgp --json").out)["fit"]["bound"];
  EXPECT_GT(object["bound"].get<double>(), before - 1);
  for (const std::string wrong : {"--init given", "--at codes.csv", "--init pga --at codes.csv"}) {
    const Outcome refused = wgp(fit + wrong);
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_NE(refused.err.find("--at"), std::string::npos) << refused.err;
  }
  write("few.csv", "1\n2\n");
  const Outcome few = wgp(fit + "--init given --at few.csv");
  EXPECT_EQ(few.exit_code, 3);
  EXPECT_NE(few.err.find("few.csv has 2 rows, but arc.csv has 24 rows"), std::string::npos) << few.err;
}

TEST_F(ModelCommands, FoldsAreAPolicy) {
  write_arc("arc.csv", 24);
  const auto left_out = [&](const std::string& flags) {
    const Outcome outcome =
        wgp("fit arc.csv --manifold sphere:2 --columns x,y,z --latent 1 --effort quick --json "
            "-o m.wgp " +
            flags);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["held_out_log_density"].get<double>();
  };
  EXPECT_EQ(left_out(""), left_out("--folds random"));
  EXPECT_NE(left_out(""), left_out("--folds blocks"));
  EXPECT_NE(left_out(""), left_out("--seed 7"));
  EXPECT_EQ(wgp("fit arc.csv --manifold sphere:2 -o m.wgp --folds odd").exit_code, 2);
}

TEST_F(ModelCommands, ThreadsDoNotChangeTheBytes) {
  write_arc("arc.csv", 30);
  const std::string fit = "fit arc.csv --manifold sphere:2 --columns x,y,z --quiet --seed 5 --starts 2 ";
  ASSERT_EQ(wgp(fit + "--threads 1 -o one.wgp").exit_code, 0);
  ASSERT_EQ(wgp(fit + "--threads 2 -o two.wgp").exit_code, 0);
  ASSERT_EQ(wgp(fit + "--threads 2 -o - >three.wgp").exit_code, 0);
  EXPECT_GT(read("one.wgp").size(), 1000u);
  EXPECT_TRUE(read("one.wgp") == read("two.wgp"));
  EXPECT_TRUE(read("one.wgp") == read("three.wgp"));
}

TEST_F(ModelCommands, EveryKindAndKernel) {
  write_arc("arc.csv", 20);
  // An angle beside a coordinate that 20 points of a curve leave idle: from components alone it is all noise as soon.
  for (const char* flags :
       {"--effort normal --periodic 1 --latent 2", "--model gplvm", "--model gplvmproj", "--kernel matern52 --ard",
        "--kernel rbf+linear --latent 1", "--kernel periodic --latent 1", "--inference point --periodic 1 --prior none",
        "--inference point --init pca,mds", "--init pca,isomap", "--init curve --latent 1", "--init tour --latent 1",
        "--init random --starts 1 --basepoint mean --latent 2"}) {
    const std::string effort = std::string_view(flags).starts_with("--effort") ? "" : "--effort quick ";
    const Outcome outcome = wgp("fit arc.csv --manifold sphere:2 --columns x,y,z -o m.wgp " + effort + flags);
    EXPECT_EQ(outcome.exit_code, 0) << flags << "\n" << outcome.err;
    const Outcome score = wgp("score m.wgp arc.csv --columns x,y,z --json");
    EXPECT_EQ(score.exit_code, 0) << flags << "\n" << score.err;
    EXPECT_LT(json::parse(score.out)["euclidean_rmse"].get<double>(), 0.3) << flags;
  }
  const json angles = json::parse(wgp("info m.wgp --json").out)["latent"];
  EXPECT_EQ(angles, (json{{"angles", 0}, {"plain", 2}}));
}

TEST_F(ModelCommands, EncodeAndDecode) {
  fit_arc();
  const Outcome encoded = wgp("encode m.wgp arc.csv --columns x,y,z --labels kind");
  ASSERT_EQ(encoded.exit_code, 0) << encoded.err;
  EXPECT_EQ(header(encoded.out), "x1,sd1,log_density,weight,modes,status,label");
  EXPECT_NE(encoded.out.find(",ok,k0\n"), std::string::npos) << encoded.out;
  EXPECT_NE(encoded.err.find("24 points encoded by density"), std::string::npos) << encoded.err;
  write("z.csv", encoded.out);

  const Outcome decoded = wgp("decode m.wgp z.csv");  // finds x1 among the columns
  ASSERT_EQ(decoded.exit_code, 0) << decoded.err;
  EXPECT_EQ(header(decoded.out), "x1,x2,x3,sd");
  const auto points = numbers(decoded.out);
  ASSERT_EQ(points.size(), 24u);
  for (const auto& row : points) {
    EXPECT_NEAR(on_sphere(row, 0), 1, 1e-14);
    EXPECT_GT(row[3], 0);
  }
  EXPECT_EQ(shell("wgp encode m.wgp arc.csv --columns x,y,z --quiet | wgp decode m.wgp - --quiet").out, decoded.out);
  EXPECT_EQ(wgp("decode m.wgp z.csv --columns x1 --quiet").out, decoded.out);
  EXPECT_EQ(wgp("decode m.wgp z.csv -o p.npy --quiet").exit_code, 0);

  const json object = json::parse(wgp("encode m.wgp arc.csv --columns x,y,z --json --encoder projection").out);
  EXPECT_EQ(object["columns"], (json{"x1", "sd1", "log_density", "weight", "modes", "status"}));
  EXPECT_EQ(object["rows"].size(), 24u);
  EXPECT_EQ(object["n"], 24);
  EXPECT_EQ(json::parse(wgp("decode m.wgp z.csv --json").out)["rows"].size(), 24u);
}

// Where a curve crosses itself a point has two codes; --modes has a row for each.
TEST_F(ModelCommands, CodesOfAFigureOfEight) {
  ASSERT_EQ(wgp("synth eight --count 150 -o eight.csv --quiet").exit_code, 0);
  ASSERT_EQ(wgp("fit eight.csv --columns x1:x3 --manifold sphere:2 --latent 1 --kernel periodic -o e.wgp").exit_code,
            0);
  const Outcome outcome = wgp("encode e.wgp eight.csv --columns x1:x3 --json");
  const json all = json::parse(outcome.out);
  ASSERT_GT(all["ambiguous"].get<int>(), 0) << outcome.err;
  EXPECT_LT(all["ambiguous"].get<int>(), 75);
  EXPECT_NE(outcome.err.find("--modes"), std::string::npos);
  const json modes = json::parse(wgp("encode e.wgp eight.csv --columns x1:x3 --modes --json").out);
  EXPECT_EQ(modes["columns"], (json{"x1", "sd1", "log_density", "weight", "modes", "input", "probability", "status"}));
  std::vector<double> sums(151, 0);
  std::vector<int> counts(151, 0);
  for (const json& row : modes["rows"]) {
    sums[row[5].get<std::size_t>()] += row[6].get<double>();
    ++counts[row[5].get<std::size_t>()];
  }
  for (std::size_t i = 1; i <= 150; ++i) {
    EXPECT_NEAR(sums[i], 1, 0.01) << i;
    EXPECT_EQ(counts[i], all["rows"][i - 1][4].get<int>()) << i;
  }
  // Decoded with their spread, codes are less certain.
  ASSERT_EQ(wgp("encode e.wgp eight.csv --columns x1:x3 -o codes.csv").exit_code, 0);
  const auto sharp = numbers(wgp("decode e.wgp codes.csv").out),
             wide = numbers(wgp("decode e.wgp codes.csv --with-sd").out);
  ASSERT_EQ(wide.size(), sharp.size());
  for (std::size_t i = 0; i < sharp.size(); ++i) EXPECT_GT(wide[i][3], sharp[i][3]) << i;
}

TEST_F(ModelCommands, DecodeKeepsTheRowForm) {
  std::ostringstream text;
  for (int i = 0; i < 12; ++i) text << std::cos(0.1 * i) << ",0," << std::sin(0.1 * i) << ",0\n";
  write("q.csv", text.str());
  ASSERT_EQ(wgp("fit q.csv --manifold so:3 --tolerance 1e-4 --latent 1 --effort quick -o q.wgp").exit_code, 0);
  write("z.csv", "0\n0.5\n");
  EXPECT_EQ(header(wgp("decode q.wgp z.csv").out), "w,x,y,z,sd");
  EXPECT_EQ(header(wgp("sample q.wgp --at z.csv").out), "latent,draw,w,x,y,z");
}

TEST_F(ModelCommands, CalibratedRadii) {
  fit_arc("--latent 1 --calibrate 0.3", 40);
  write("z.csv", "0\n");
  const Outcome decoded = wgp("decode m.wgp z.csv");
  EXPECT_EQ(header(decoded.out), "x1,x2,x3,sd,radius50,radius80,radius90,radius95");
  const auto row = numbers(decoded.out)[0];
  EXPECT_GT(row[4], 0);
  EXPECT_LE(row[4], row[5]);
  EXPECT_TRUE(std::isinf(row[7])) << "12 points cannot vouch for 95 %";
  EXPECT_NE(wgp("info m.wgp").out.find("calibrated with 12 points held out"), std::string::npos);
  EXPECT_TRUE(fails(wgp("fit arc.csv --manifold sphere:2 --columns x,y,z --model gplvm --calibrate 0.3 -o n.wgp"), 2,
                    {"--calibrate", "gplvmproj"}));
}

TEST_F(ModelCommands, Sample) {
  fit_arc();
  write("z.csv", "0\n1\n");
  const Outcome drawn = wgp("sample m.wgp --at z.csv --count 3 --seed 4");
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_EQ(header(drawn.out), "latent,draw,x1,x2,x3");
  const auto rows = numbers(drawn.out);
  ASSERT_EQ(rows.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(rows[k][0], k < 3 ? 1 : 2);
    EXPECT_EQ(rows[k][1], static_cast<double>(k % 3 + 1));
    EXPECT_NEAR(on_sphere(rows[k], 2), 1, 1e-14);
  }
  EXPECT_EQ(wgp("sample m.wgp --at z.csv --count 3 --seed 4").out, drawn.out);
  EXPECT_NE(wgp("sample m.wgp --at z.csv --count 3 --seed 5").out, drawn.out);
  const auto joint = numbers(wgp("sample m.wgp --at z.csv --count 3 --joint --no-noise").out);
  ASSERT_EQ(joint.size(), 6u);
  EXPECT_EQ(joint[1][0], 2);
  EXPECT_EQ(joint[1][1], 1);
  EXPECT_TRUE(fails(wgp("sample m.wgp"), 2, {"--at LATENTS is needed"}));
  EXPECT_TRUE(fails(wgp("sample m.wgp --at z.csv --count 0"), 2, {"--count '0'"}));
}

TEST_F(ModelCommands, Score) {
  fit_arc();
  const Outcome outcome = wgp("score m.wgp arc.csv --columns x,y,z --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json object = json::parse(outcome.out);
  for (const char* key : {"intrinsic_rmse", "intrinsic_median", "euclidean_rmse", "log_density_mean"})
    EXPECT_TRUE(object[key].is_number()) << key;
  EXPECT_LT(object["intrinsic_rmse"].get<double>(), 0.05);
  EXPECT_EQ(object["n"], 24);
  EXPECT_EQ(object["outside_support"], 0);
  const Outcome table = wgp("score m.wgp arc.csv --columns x,y,z --labels kind --encoder projection");
  EXPECT_EQ(header(table.out), "intrinsic,euclidean,label");
  // At the latents that encode finds, the score is the same.
  ASSERT_EQ(wgp("encode m.wgp arc.csv --columns x,y,z -o z.csv").exit_code, 0);
  const json at = json::parse(wgp("score m.wgp arc.csv --columns x,y,z --at z.csv --json").out);
  for (const char* key : {"intrinsic_rmse", "intrinsic_median", "euclidean_rmse", "log_density_mean"})
    EXPECT_NEAR(at[key].get<double>(), object[key].get<double>(), 1e-7) << key;

  fit_arc("--model gplvm");
  const json flat = json::parse(wgp("score m.wgp arc.csv --columns x,y,z --json").out);
  EXPECT_TRUE(flat["intrinsic_rmse"].is_null() && flat["intrinsic_median"].is_null());
  EXPECT_TRUE(flat["euclidean_rmse"].is_number());
  EXPECT_EQ(header(wgp("score m.wgp arc.csv --columns x,y,z").out), "euclidean");
}

TEST_F(ModelCommands, Regress) {
  std::ostringstream x, y;
  x << "t,other\n";
  for (int i = 0; i < 15; ++i) {
    x << 0.2 * i << "," << (i == 3 ? "" : "7") << "\n";
    y << std::cos(0.1 * i) << ",0," << std::sin(0.1 * i) << "\n";
  }
  write("x.csv", x.str());
  write("y.csv", y.str());
  const std::string regress = "regress x.csv y.csv --manifold sphere:2 --tolerance 1e-4 ";
  const Outcome outcome = wgp(regress + "--x-columns t --json -o r.wgp");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(json::parse(outcome.out)["log_likelihood"].is_number());
  write("z.csv", "1\n");
  const auto row = numbers(wgp("decode r.wgp z.csv").out)[0];
  EXPECT_NEAR(row[0], std::cos(0.5), 1e-3);
  EXPECT_NEAR(row[2], std::sin(0.5), 1e-3);
  write("t.csv", "0.2\n0.4\n");
  write("at.csv", "0.995004165,0,0.099833416\n0.980066577,0,0.198669330\n");
  EXPECT_LT(json::parse(wgp("score r.wgp at.csv --at t.csv --json").out)["intrinsic_rmse"].get<double>(), 1e-3);
  EXPECT_EQ(wgp("sample r.wgp --at z.csv --count 2").exit_code, 0);

  EXPECT_TRUE(fails(wgp(regress + "-o n.wgp"), 3, {"x.csv: row 4"}));
  const Outcome dropped = wgp(regress + "--drop-invalid -o n.wgp");
  EXPECT_EQ(dropped.exit_code, 0) << dropped.err;
  EXPECT_NE(dropped.err.find("(row 4)"), std::string::npos) << dropped.err;
  EXPECT_TRUE(fails(wgp("regress z.csv y.csv --manifold sphere:2 --tolerance 1e-4 -o n.wgp"), 3,
                    {"z.csv has 1 row, but y.csv has 15 rows"}));
  EXPECT_TRUE(fails(wgp("regress x.csv y.csv --manifold sphere:2"), 2, {"--output FILE is needed"}));
}

// A curve whose inputs are known to within a quarter of its length-scale.
TEST_F(ModelCommands, RegressOnUncertainInputs) {
  Random random(4);
  std::ostringstream x, y;
  x << "t,s\n";
  for (int i = 0; i < 150; ++i) {
    const double t = 100 * random.uniform();
    x << t + 3 * random.normal() << ",3\n";
    y << std::cos(t / 8) + 0.05 * random.normal() << "," << std::sin(t / 12) + 0.05 * random.normal() << "\n";
  }
  write("x.csv", x.str());
  write("y.csv", y.str());
  const std::string regress = "regress x.csv y.csv --manifold euclidean:2 --x-columns t --json ";
  const json exact = json::parse(wgp(regress + "-o exact.wgp").out);
  const Outcome outcome = wgp(regress + "--input-sd 3 -o r.wgp");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json uncertain = json::parse(outcome.out);
  EXPECT_TRUE(exact["bound"].is_null() && exact["log_likelihood"].is_number());
  EXPECT_TRUE(uncertain["bound"].is_number() && uncertain["log_likelihood"].is_null());
  EXPECT_EQ(exact["noise_law"]["kind"], "normal");
  EXPECT_TRUE(exact["noise_law"].contains("nu") && exact["noise_law"]["nu"].is_null());
  EXPECT_GT(std::sqrt(exact["noise_variance"].get<double>()), 0.15);
  EXPECT_NEAR(std::sqrt(uncertain["noise_variance"].get<double>()), 0.05, 0.015);
  double errors[2] = {0, 0};
  std::ostringstream grid;
  for (int t = 5; t <= 95; ++t) grid << t << "\n";
  write("grid.csv", grid.str());
  for (const int which : {0, 1}) {
    const auto rows = numbers(wgp(std::string("decode ") + (which == 0 ? "exact.wgp" : "r.wgp") + " grid.csv").out);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double t = 5 + static_cast<double>(k);
      errors[which] += std::pow(rows[k][0] - std::cos(t / 8), 2) + std::pow(rows[k][1] - std::sin(t / 12), 2);
    }
  }
  EXPECT_LT(errors[1], errors[0]);
  // The same by a column, from a checkpoint too, and for a model that is read again.
  const json by_column = json::parse(wgp(regress + "--input-sd s --checkpoint c.wgpc -o s.wgp").out);
  EXPECT_EQ(by_column["bound"], uncertain["bound"]);
  EXPECT_EQ(json::parse(wgp(regress + "--input-sd s --resume c.wgpc -o s.wgp").out)["bound"], uncertain["bound"]);
  EXPECT_EQ(wgp("score s.wgp y.csv --at x.csv --columns 1:2 --json").exit_code, 3);  // x.csv has two columns
  EXPECT_EQ(wgp("info s.wgp").exit_code, 0);
  EXPECT_EQ(wgp("encode s.wgp y.csv").exit_code, 0);
  EXPECT_EQ(wgp("sample s.wgp --at grid.csv").exit_code, 0);
  EXPECT_EQ(wgp("report s.wgp -o r.html").exit_code, 0);

  EXPECT_TRUE(fails(wgp("regress x.csv y.csv --manifold euclidean:2 --input-sd s -o n.wgp"), 2, {"--x-columns"}));
  EXPECT_TRUE(fails(wgp(regress + "--input-sd 1,2 -o n.wgp"), 2, {"2 numbers for 1 input"}));
  EXPECT_TRUE(fails(wgp(regress + "--input-sd=-1 -o n.wgp"), 3, {"x.csv: row 1", "at least 0"}));
  EXPECT_TRUE(fails(wgp(regress + "--input-sd 1 --kernel linear -o n.wgp"), 3, {"linear"}));
  EXPECT_TRUE(fails(wgp(regress + "--input-sd 1 --basepoint geodesic -o n.wgp"), 3, {"base point"}));
}

TEST_F(ModelCommands, InfoAndDryRun) {
  fit_arc();
  const Outcome text = wgp("info m.wgp");
  for (const char* piece :
       {"m.wgp: wgplvm of 24 points on sphere:2", "rbf.log_length", "noise sd", "format 2, written"})
    EXPECT_NE(text.out.find(piece), std::string::npos) << piece << "\n" << text.out;
  const json object = json::parse(wgp("info m.wgp --json").out);
  EXPECT_EQ(object["kind"], "wgplvm");
  EXPECT_EQ(object["n"], 24);
  EXPECT_EQ(object["fit"]["starts"][0]["chosen"].is_boolean(), true);

  const Outcome dry = wgp("fit arc.csv --manifold sphere:2 --columns x,y,z --kernel rbf+linear --dry-run --starts 3");
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  for (const char* piece : {"24 points on sphere:2", "rbf+linear", "3 in all", "nothing was fitted"})
    EXPECT_NE(dry.out.find(piece), std::string::npos) << piece << "\n" << dry.out;
  EXPECT_EQ(json::parse(wgp("fit arc.csv --manifold sphere:2 --columns x,y,z --dry-run --json").out)["n"], 24);
  EXPECT_EQ(files(), (std::vector<std::string>{"arc.csv", "m.wgp"}));
}

TEST_F(ModelCommands, TimeLimitStrictAndInterruption) {
  write_arc("arc.csv", 40);
  const std::string fit = "fit arc.csv --manifold sphere:2 --columns x,y,z -o m.wgp ";
  const Outcome limited = wgp(fit + "--time-limit 0");
  EXPECT_EQ(limited.exit_code, 0) << limited.err;
  EXPECT_NE(limited.err.find("the time limit of 0 s is over"), std::string::npos) << limited.err;
  EXPECT_EQ(wgp(fit + "--time-limit 0 --strict").exit_code, 4);
  EXPECT_EQ(wgp(fit + "--inference point --effort quick --max-iterations 1 --strict").exit_code, 4);

  const Outcome stopped =
      shell("rm m.wgp; wgp " + fit + "--effort thorough --starts 120 & sleep 0.4; kill -INT $!; wait $!");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("interrupted: the best model so far is in m.wgp"), std::string::npos) << stopped.err;
  EXPECT_EQ(wgp("info m.wgp").exit_code, 0);
}

TEST_F(ModelCommands, WrongUsage) {
  write_arc("arc.csv", 10);
  const auto usage = [&](const std::string& flags, const std::vector<std::string>& pieces) {
    EXPECT_TRUE(fails(wgp("fit arc.csv --manifold sphere:2 --columns x,y,z " + flags), 2, pieces)) << flags;
  };
  usage("", {"--output FILE is needed", "-o model.wgp"});
  usage("-o m.wgp --kernel rbf+matern53", {"--kernel 'rbf+matern53'", "did you mean 'matern52'?"});
  usage("-o m.wgp --model wgpvlm", {"--model 'wgpvlm'", "did you mean wgplvm?"});
  usage("-o m.wgp --init pga,isomap --starts 1", {"--starts 1", "the 2 that --init names"});
  usage("-o m.wgp --effort lots", {"--effort 'lots'", "quick or normal or thorough"});
  usage("-o m.wgp --init pga,best", {"--init 'best'", "isomap"});
  usage("-o m.wgp --prior none", {"--prior", "--inference point"});
  usage("-o m.wgp --variance dof", {"--variance", "--inference point"});
  usage("-o m.wgp --init mds", {"--inference point", "isomap"});
  usage("-o m.wgp --inference point --noise-law student", {"--noise-law", "--inference point"});
  usage("-o m.wgp --init tour --latent 2", {"--init tour", "--latent 1"});
  usage("-o m.wgp --init curve --latent 2", {"--latent 1"});
  usage("-o m.wgp --basepoint banana", {"--basepoint 'banana'", "spline"});
  usage("-o m.wgp --latent 2 --periodic 3", {"--periodic '3'", "from 0 to 2"});
  usage("-o m.wgp --latent 0", {"--latent '0'"});
  usage("-o m.wgp --calibrate 1", {"--calibrate '1'"});
  usage("-o - --json", {"standard output"});
  EXPECT_TRUE(fails(wgp("encode m.wgp"), 2, {"MODEL INPUT"}));
  EXPECT_TRUE(fails(wgp("encode - -"), 2, {"once only"}));
  EXPECT_TRUE(fails(wgp("encode m.wgp arc.csv --encoder best"), 2, {"density or projection"}));
  EXPECT_EQ(files(), std::vector<std::string>{"arc.csv"});
}

}  // namespace
}  // namespace wgp::test
