// What fit, encode and score must say: data as wide as their manifold, units, what was left undone, progress in a log.
#include <regex>

#include "run_command.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class FitNotices : public CommandTest {
 protected:
  // Unit quaternions of turns about an axis that wanders, as far as `angle` to either side.
  std::string turns(double angle, int count = 40) const {
    std::ostringstream text;
    text.precision(15);
    for (int i = 0; i < count; ++i) {
      const double a = angle * (2.0 * i / (count - 1) - 1), b = 0.3 * std::sin(3.0 * i);
      const double s = std::sin(a / 2);
      text << std::cos(a / 2) << ',' << s * std::sin(b) << ',' << 0 << ',' << s * std::cos(b) << '\n';
    }
    return text.str();
  }
  std::string tensors(double unit, int count = 40) const {
    std::ostringstream text;
    text.precision(15);
    for (int i = 0; i < count; ++i) {
      const double t = 0.1 * i, a = 2 + std::sin(t), b = 0.3 * std::cos(2 * t), c = 1 + 0.05 * std::sin(13 * t);
      text << unit * a << ',' << unit * b << ',' << unit * b << ',' << unit * c << '\n';
    }
    return text.str();
  }
};

TEST_F(FitNotices, WideDataAreToldAboutBasePoints) {
  const std::string fit = " --manifold so:3 --latent 1 --effort quick -o m.wgp";
  write("wide.csv", turns(3.1));
  const Outcome wide = wgp("fit wide.csv" + fit);
  EXPECT_NE(wide.err.find("the cut locus"), std::string::npos) << wide.err;
  EXPECT_NE(wide.err.find("--basepoint auto"), std::string::npos) << wide.err;
  write("half.csv", turns(2));
  const Outcome half = wgp("fit half.csv" + fit);
  EXPECT_NE(half.err.find("not certified to be unique"), std::string::npos) << half.err;
  EXPECT_NE(half.err.find("--basepoint auto"), std::string::npos) << half.err;
  write("narrow.csv", turns(0.5));
  EXPECT_EQ(wgp("fit narrow.csv" + fit).err.find("warning"), std::string::npos);
  EXPECT_EQ(wgp("fit half.csv --basepoint optimised" + fit).err.find("warning"), std::string::npos);
}

TEST_F(FitNotices, OtherUnitsAreSuspected) {
  write("t.csv", tensors(1));
  write("scaled.csv", tensors(1000));
  ASSERT_EQ(wgp("fit t.csv --manifold spd:2 --latent 1 --effort quick -o m.wgp").exit_code, 0);
  for (const std::string command : {"encode", "score"}) {
    const Outcome scaled = wgp(command + " m.wgp scaled.csv -o out.csv");
    EXPECT_NE(scaled.err.find("are they in other units?"), std::string::npos) << scaled.err;
    EXPECT_EQ(wgp(command + " m.wgp t.csv -o out.csv").err.find("other units"), std::string::npos) << command;
  }
}

TEST_F(FitNotices, WhatIsLeftUndoneIsNamed) {
  write("t.csv", tensors(1));
  const std::string fit = "fit t.csv --manifold spd:2/affine-invariant --latent 1 --basepoint auto -o m.wgp";
  const Outcome ended = wgp(fit + " --time-limit 0");
  EXPECT_NE(ended.err.find("ended early (cancelled)"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("no points were left out"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("base points not tried: optimised"), std::string::npos) << ended.err;
  EXPECT_NE(wgp("info m.wgp").out.find("base points not tried: optimised"), std::string::npos);
  EXPECT_NE(wgp("report m.wgp").out.find("The fit was ended before it was done"), std::string::npos);
  const Outcome whole = wgp("fit t.csv --manifold spd:2 --latent 1 --effort quick -o m.wgp");
  EXPECT_EQ(whole.err.find("not done"), std::string::npos) << whole.err;
  EXPECT_NE(whole.err.find("converged"), std::string::npos) << whole.err;
  EXPECT_TRUE(json::parse(wgp("info m.wgp --json").out)["fit"]["left_undone"].is_null());
  EXPECT_EQ(wgp("report m.wgp").out.find("The fit was ended"), std::string::npos);
}

TEST_F(FitNotices, BasePointsAreComparedByErrorsToo) {
  write("narrow.csv", turns(0.5));
  const Outcome outcome =
      wgp("fit narrow.csv --manifold so:3 --latent 1 --effort quick --basepoint auto -o m.wgp --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("rms error"), std::string::npos) << outcome.err;
  const json object = json::parse(outcome.out);
  double chosen = 0;
  for (const json& one : object["basepoints"])
    if (one["chosen"].get<bool>()) chosen = one["held_out"].get<double>();
  bool before = true;
  for (const json& one : object["basepoints"]) {
    EXPECT_GT(one["reconstruction_error"].get<double>(), 0) << one;
    EXPECT_EQ(one["standard_error"].is_null(), one["chosen"].get<bool>()) << one;
    before = before && !one["chosen"].get<bool>();
    // One that bends more and is denser was passed over for a reason, which is said.
    if (!before && !one["chosen"].get<bool>() && one["held_out"].get<double>() > chosen) {
      EXPECT_NE(outcome.err.find("was kept"), std::string::npos) << outcome.err;
    }
  }
  EXPECT_EQ(wgp("fit narrow.csv --manifold so:3 --latent 1 --effort quick -o m.wgp").err.find("rms error"),
            std::string::npos);
}

TEST_F(FitNotices, ProgressInALog) {
  write("t.csv", tensors(1));
  const std::string fit = "fit t.csv --manifold spd:2 --latent 1 --effort quick -o m.wgp";
  EXPECT_NE(wgp(fit + " --progress 0.000001").err.find("\nfit: "), std::string::npos);
  EXPECT_EQ(wgp(fit + " --progress 0").err.find("fit: "), std::string::npos);
  EXPECT_EQ(wgp(fit + " --progress 0.000001 --quiet").err, "");
}

// Where there is no terminal a line is written every half minute: of a fit that takes several, of a clock that goes
// faster than time does.
TEST_F(FitNotices, ALineEveryHalfMinute) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers are to be loaded before all else";
#endif
  write_bent_sheet(400);
  const std::string fit = "wgp fit p.csv --manifold euclidean:5 --latent 2 --effort thorough -o m.wgp --time-limit 200";
  const auto lines_of = [&](const std::string& flags) {
    const Outcome outcome = shell("LD_PRELOAD='" WGP_FAST_CLOCK "' WGP_TEST_CLOCK=40 " + fit + flags);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<double> seconds;
    const std::regex line("\\nfit: [^\\n]*?, ([0-9]+) s");
    for (std::sregex_iterator one(outcome.err.begin(), outcome.err.end(), line), end; one != end; ++one)
      seconds.push_back(std::stod((*one)[1]));
    return seconds;
  };
  const std::vector<double> seconds = lines_of("");
  ASSERT_GE(seconds.size(), 2u);
  EXPECT_LE(seconds.size(), 7u);
  for (std::size_t i = 0; i < seconds.size(); ++i) EXPECT_GE(seconds[i] - (i > 0 ? seconds[i - 1] : 0), 29) << i;
  EXPECT_TRUE(lines_of(" --quiet").empty());
  EXPECT_EQ(wgp("fit p.csv --manifold euclidean:5 --latent 1 --effort quick -o m.wgp").err.find("\nfit: "),
            std::string::npos);
}

// Time and memory are said before a fit that takes a while, and in --dry-run always.
TEST_F(FitNotices, WhatItTakesIsSaidOfSlowFits) {
  write_bent_sheet(2000);
  const std::string fit = "fit p.csv --manifold euclidean:5 -o m.wgp";
  const Outcome slow = wgp(fit + " --effort thorough --inference point --time-limit 0.2");
  ASSERT_EQ(slow.exit_code, 0) << slow.err;
  const std::regex takes("this takes about [0-9.e+]+ (s|minutes|hours), [0-9.]+ (MB|GB) of memory");
  EXPECT_TRUE(std::regex_search(slow.err, takes)) << slow.err;
  EXPECT_LT(slow.err.find("this takes"), slow.err.find("time limit")) << slow.err;
  EXPECT_EQ(wgp(fit + " --effort thorough --inference point --time-limit 0.2 --quiet").err, "");
  write_bent_sheet(30);
  for (const std::string inference : {"point", "variational"}) {
    const Outcome quick = wgp(fit + " --latent 1 --effort quick --inference " + inference);
    ASSERT_EQ(quick.exit_code, 0) << quick.err;
    EXPECT_EQ(quick.err.find("this takes"), std::string::npos) << quick.err;
    const Outcome dry = wgp(fit + " --latent 1 --effort quick --dry-run --inference " + inference);
    EXPECT_NE(dry.out.find("takes      about "), std::string::npos) << dry.out;
    EXPECT_NE(dry.out.find("MB of memory"), std::string::npos) << dry.out;
  }
}

TEST_F(FitNotices, TheLimitOfIterationsIsExplained) {
  write("t.csv", tensors(1));
  const std::string fit = "fit t.csv --manifold spd:2 --latent 1 --effort quick --inference point -o m.wgp";
  const Outcome cut = wgp(fit + " --max-iterations 1");
  EXPECT_NE(cut.err.find("reached its limit of iterations (max_iterations)"), std::string::npos) << cut.err;
  EXPECT_NE(cut.err.find("--max-iterations K allows more"), std::string::npos) << cut.err;
}

}  // namespace
}  // namespace wgp::test
