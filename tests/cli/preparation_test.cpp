// What was done to the rows of a fit is kept in its model, and said where other rows come to it otherwise.
#include <cmath>

#include "core/format.h"
#include "run_command.h"

namespace wgp::test {
namespace {

class Preparation : public CommandTest {
 protected:
  // Matrices of rank 2 of 3.
  std::string deficient(int count) const {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const double a = 1 + 0.3 * std::sin(0.4 * i), b = 0.5 * std::cos(0.4 * i);
      const double u[3] = {a, b, 1}, v[3] = {b, 1, -a};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) text += fmt::format("{}{}", u[r] * u[c] + v[r] * v[c], r + c == 4 ? "\n" : ",");
    }
    return text;
  }
  static constexpr const char* quick = " --latent 1 --inference point --effort quick --quiet -o m.wgp ";
};

TEST_F(Preparation, ShrinkageIsKeptAndSaid) {
  write("d.csv", deficient(20));
  ASSERT_EQ(wgp(std::string("fit d.csv --manifold spd:3 --shrink oas --samples 64") + quick).exit_code, 0);
  const nlohmann::json info = nlohmann::json::parse(wgp("info m.wgp --json").out);
  EXPECT_EQ(info["shrink"], "oas");
  EXPECT_EQ(info["samples"], 64);
  EXPECT_EQ(info["reflected"], false);
  EXPECT_NE(wgp("info m.wgp").out.find("covariance matrices were shrunk: oas, 64 samples\n"), std::string::npos);
  for (const std::string command : {"encode", "score"}) {
    const Outcome bare = wgp(command + " m.wgp d.csv");
    EXPECT_EQ(bare.exit_code, 3);  // singular as they are
    EXPECT_NE(bare.err.find("the model was fitted to matrices shrunk by --shrink oas --samples 64"), std::string::npos)
        << bare.err;
    const Outcome same = wgp(command + " m.wgp d.csv --shrink oas --samples 64");
    EXPECT_EQ(same.exit_code, 0) << same.err;
    EXPECT_EQ(same.err.find("the model was fitted to"), std::string::npos) << same.err;
    const Outcome other = wgp(command + " m.wgp d.csv --shrink 0.1");
    EXPECT_NE(other.err.find("by --shrink oas --samples 64, these are shrunk by --shrink 0.1"), std::string::npos)
        << other.err;
  }
  // The table of the fit is read as the fit has read it.
  write("labelled.csv", [&] {
    std::istringstream rows(deficient(20));
    std::string text = "p11,p12,p13,p21,p22,p23,p31,p32,p33,kind\n";
    int i = 0;
    for (std::string row; std::getline(rows, row);) text += row + (i++ % 2 == 0 ? ",a\n" : ",b\n");
    return text;
  }());
  const Outcome report = wgp("report m.wgp --data labelled.csv --labels kind --columns 1:9 -o page.html");
  EXPECT_EQ(report.exit_code, 0) << report.err;
}

TEST_F(Preparation, NothingIsSaidWhereNothingWasDone) {
  write("p.csv", "2,0,0,1\n1,0.1,0.1,1\n1.5,0.2,0.2,2\n1,0,0,3\n");
  ASSERT_EQ(wgp(std::string("fit p.csv --manifold spd:2") + quick).exit_code, 0);
  const nlohmann::json info = nlohmann::json::parse(wgp("info m.wgp --json").out);
  for (const char* key : {"shrink", "samples", "channels", "motion"}) EXPECT_TRUE(info[key].is_null()) << key;
  EXPECT_EQ(wgp("encode m.wgp p.csv").err.find("the model was fitted"), std::string::npos);
  EXPECT_EQ(wgp("info m.wgp").out.find("shrunk"), std::string::npos);
}

TEST_F(Preparation, ReflectionIsKeptAndSaid) {
  std::string text;
  for (int i = 0; i < 16; ++i) {
    const double s = i % 8 == 3 ? -1 : 1, t = 0.05 * i;
    text += fmt::format("0,0,{},{},{},{},{},{}\n", 3 * s, 0.1 + t, 3.5 * s, 1 + t, 0.4 * s, 2.0);
  }
  write("k.csv", text);
  ASSERT_EQ(wgp(std::string("fit k.csv --manifold kendall:4 --reflect") + quick).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(wgp("info m.wgp --json").out)["reflected"], true);
  EXPECT_NE(wgp("encode m.wgp k.csv").err.find("fitted with --reflect; mirror images among these rows are taken as"),
            std::string::npos);
  const Outcome same = wgp("encode m.wgp k.csv --reflect");
  EXPECT_EQ(same.err.find("the model was fitted"), std::string::npos) << same.err;
}

// A model file that was changed by hand.
TEST_F(Preparation, OfDamagedModelsIsRefused) {
  write("p.csv", "2,0,0,1\n1,0.1,0.1,1\n1.5,0.2,0.2,2\n1,0,0,3\n");
  ASSERT_EQ(wgp(std::string("fit p.csv --manifold spd:2 --shrink 0.1 --channels a,b") + quick).exit_code, 0);
  const auto changed = [&](const std::string& from, const std::string& to) {
    const Outcome made = shell(
        "/usr/bin/python3 - <<'END'\nimport zipfile\na = zipfile.ZipFile('m.wgp'); b = zipfile.ZipFile('n.wgp', 'w')\n"
        "for n in a.namelist():\n    t = a.read(n)\n    if n == 'model.json':\n        assert b'''" +
        from +
        "''' in t\n"
        "        t = t.replace(b'''" +
        from + "''', b'''" + to + "''')\n    b.writestr(n, t)\nb.close()\nEND");
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return wgp("info n.wgp");
  };
  EXPECT_TRUE(fails(changed("\"shrink\": \"0.1\"", "\"shrink\": \"7\""), 3, {"'shrink' is '7'"}));
  EXPECT_TRUE(fails(changed("\"shrink\": \"0.1\"", "\"shrink\": \"oas\""), 3, {"'shrink' is 'oas'", "with 'samples'"}));
  EXPECT_TRUE(fails(changed("\"shrink\": \"0.1\"", "\"samples\": 1"), 3, {"samples"}));
  EXPECT_TRUE(fails(changed("\"a\",", "\"a\", \"c\","), 3, {"'channels' has 3 names"}));
  EXPECT_TRUE(fails(changed("\"a\",", "5,"), 3, {"'channels'", "a list of texts"}));
}

}  // namespace
}  // namespace wgp::test
