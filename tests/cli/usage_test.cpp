// Parsing, help and exit codes. The examples in the help texts are run as they stand.
#include <algorithm>
#include <sstream>

#include "run_command.h"

namespace wgp::test {
namespace {

class Usage : public CommandTest {
 protected:
  std::vector<std::string> commands() const {
    std::vector<std::string> names;
    for (const auto& line : lines(wgp("--help").out))
      if (line.starts_with("  ") && line.size() > 13 && line[2] != ' ')
        names.push_back(line.substr(2, line.find(' ', 2) - 2));
    return names;
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
  }
};

TEST_F(Usage, HelpFitsOneScreen) {
  const Outcome help = wgp("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_TRUE(help.err.empty());
  EXPECT_LE(lines(help.out).size(), 24u);
  EXPECT_EQ(wgp("-h").out, help.out);
  EXPECT_EQ(wgp("help").out, help.out);
  const auto names = commands();
  EXPECT_EQ(names,
            (std::vector<std::string>{"manifolds", "check",   "geom",      "mean",    "pga",   "curve",   "fit",
                                      "encode",    "decode",  "sample",    "morph",   "score", "regress", "evaluate",
                                      "report",    "explore", "reproduce", "convert", "synth", "info"}));
  for (const auto& name : names) {
    const Outcome one = wgp(name + " --help");
    EXPECT_EQ(one.exit_code, 0) << name;
    EXPECT_EQ(wgp("help " + name).out, one.out);
    EXPECT_EQ(wgp(name + " -h").out, one.out);
    for (const auto& line : lines(one.out)) EXPECT_LE(line.size(), 100u) << line;
  }
  for (const auto& line : lines(help.out)) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(Usage, EveryExampleInTheHelpWorks) {
  const bool serves = std::filesystem::exists(std::filesystem::path(WGP_COMMAND).parent_path() / "wgp_http.so");
  for (const auto& name : commands()) {
    if (name == "explore" && !serves) continue;  // as wgp is built
    const std::string help = wgp("help " + name).out;
    const std::string examples = help.substr(help.find("\nexamples:\n") + 11);
    std::string example;
    int count = 0;
    for (const auto& line : lines(examples)) {
      example += line + "\n";
      if (line.ends_with("|")) continue;
      const Outcome outcome = shell(example);
      EXPECT_EQ(outcome.exit_code, 0) << example << outcome.err;
      EXPECT_FALSE(outcome.out.empty()) << example;
      example.clear();
      ++count;
    }
    EXPECT_EQ(count, 2) << name;
  }
}

TEST_F(Usage, Version) {
  const Outcome version = wgp("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.rfind("wgp ", 0), 0u);
}

TEST_F(Usage, WrongUsageExitsWith2) {
  write("d.csv", "1,0,0\n0,1,0\n");
  const Outcome nothing = wgp("");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_TRUE(nothing.out.empty());
  EXPECT_TRUE(fails(wgp("meen d.csv"), 2, {"unknown command 'meen'; did you mean mean?", "see wgp --help"}));
  EXPECT_TRUE(fails(wgp("help nonsense"), 2, {"unknown command"}));
  EXPECT_TRUE(fails(wgp("--json mean d.csv"), 2, {"'--json' before the command", "wgp COMMAND [INPUT] [flags]"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifld sphere:2"), 2,
                    {"unknown flag '--manifld'; did you mean --manifold?", "see wgp mean --help"}));
  EXPECT_TRUE(fails(wgp("mean d.csv -x"), 2, {"unknown flag '-x'"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold sphere:2 --manifold sphere:2"), 2, {"--manifold is given twice"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold"), 2, {"--manifold needs a value"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold --json"), 2, {"--manifold needs a value"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold="), 2, {"empty value"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold sphere:2 --json=yes"), 2, {"--json takes no value"}));
  EXPECT_TRUE(fails(wgp("mean --manifold sphere:2"), 2, {"INPUT is missing"}));
  EXPECT_TRUE(fails(wgp("info a b"), 2, {"one operand too many: 'b'"}));
  EXPECT_TRUE(fails(shell("wgp mean - <d.csv"), 2, {"--manifold M is needed", "wgp manifolds"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold circle:2"), 2, {"circle"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold sphere:2 --tolerance -1"), 2, {"--tolerance '-1'"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold sphere:2 --tolerance tiny"), 2, {"--tolerance 'tiny'"}));
  EXPECT_TRUE(fails(wgp("mean d.csv --manifold sphere:2 --seed -3"), 2, {"--seed"}));
  EXPECT_TRUE(fails(wgp("pga d.csv --manifold sphere:2 --components 3"), 2, {"--components '3'", "from 1 to 2"}));
  EXPECT_TRUE(fails(wgp("pga d.csv --manifold sphere:2 --components 1.5"), 2, {"--components"}));
  EXPECT_TRUE(fails(wgp("curve d.csv --manifold sphere:2 --bandwidth 2"), 2, {"--bandwidth"}));
  EXPECT_EQ(files(), std::vector<std::string>{"d.csv"});
}

TEST_F(Usage, FlagsInEveryPlaceAndSpelling) {
  write("d.csv", "1,0,0\n0,1,0\n");
  write("-odd.csv", "1,0,0\n0,1,0\n");
  const std::string expected = wgp("mean d.csv --manifold sphere:2").out;
  EXPECT_NE(expected, "");
  EXPECT_EQ(wgp("mean --manifold=sphere:2 d.csv --quiet").out, expected);
  EXPECT_EQ(wgp("mean --manifold sphere:2 -- -odd.csv").out, expected);
  EXPECT_EQ(shell("wgp mean --manifold sphere:2 - <d.csv").out, expected);
  EXPECT_EQ(wgp("mean d.csv --manifold sphere:2 -o o.csv").out, "");
  EXPECT_EQ(read("o.csv"), expected);
  EXPECT_TRUE(fails(wgp("mean -5 --manifold sphere:2"), 3, {"-5: no such file"}));
}

TEST_F(Usage, Manifolds) {
  const Outcome table = wgp("manifolds");
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_NE(table.out.find("spd:n/affine-invariant"), std::string::npos);
  const auto list = nlohmann::json::parse(wgp("manifolds --json").out)["manifolds"];
  EXPECT_TRUE(list.size() > 10);
  for (const auto& entry : list) {
    EXPECT_NE(entry["metric"], "") << entry["spec"];
    EXPECT_NE(table.out.find(entry["metric"].get<std::string>()), std::string::npos);
    if (entry["spec"] == "grassmann:nxp") {
      EXPECT_EQ(entry["geomstats"], "Grassmannian: 1/sqrt 2");
    }
    if (entry["spec"] == "so:n") {
      EXPECT_EQ(entry["pymanopt"], "SpecialOrthogonalGroup: 1/sqrt 2");
    }
  }
}

}  // namespace
}  // namespace wgp::test
