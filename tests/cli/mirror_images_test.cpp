// Mirror images among landmark configurations are named, and turned back on request.
#include "run_command.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class MirrorImages : public CommandTest {
 protected:
  // Five landmarks, each somewhere else, turned and shifted; reflected in the rows that are asked for.
  static std::string wings(const std::vector<std::vector<double>>& shape, const std::vector<int>& reflected, int count,
                           double noise = 0.02) {
    std::ostringstream text;
    text.precision(15);
    for (int i = 1; i <= count; ++i) {
      const double angle = 0.9 * i, c = std::cos(angle), s = std::sin(angle);
      const double side = std::find(reflected.begin(), reflected.end(), i) != reflected.end() ? -1 : 1;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        const double seed = 12.9898 * i + 78.233 * static_cast<double>(k);
        const double x = shape[k][0] + noise * std::sin(37 * seed * seed);
        const double y = side * (shape[k][1] + noise * std::sin(53 * seed * seed + 1));
        text << (k > 0 ? "," : "") << c * x - s * y + i << ',' << s * x + c * y;
        if (shape[k].size() == 3) text << ',' << shape[k][2] + noise * std::sin(71 * seed * seed + 2);
      }
      text << '\n';
    }
    return text.str();
  }
  const std::vector<std::vector<double>> wing = {{0, 0}, {2, 0.1}, {3, 1}, {1, 1.2}, {0.2, 0.5}};
  const std::vector<std::vector<double>> spine = {{0, 0}, {1, 0}, {3, 0}, {4, 0}};
  const std::vector<std::vector<double>> bone = {{0, 0, 0}, {2, 0.1, 0.3}, {3, 1, -0.5}, {1, 1.2, 1}, {0.2, 0.5, 1.5}};

  std::vector<int> named(const std::string& spec) const {
    const Outcome outcome = wgp("check s.csv --json --manifold " + spec);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<int> rows;
    const json object = json::parse(outcome.out);
    for (const json& one : object["mirror_images"]) rows.push_back(one["row"]);
    return rows;
  }
};

TEST_F(MirrorImages, CheckNamesThem) {
  write("s.csv", wings(wing, {4, 17}, 30));
  EXPECT_EQ(named("kendall:5"), (std::vector<int>{4, 17}));
  const std::string text = wgp("check s.csv --manifold kendall:5").out;
  EXPECT_NE(text.find("row 4: a mirror image"), std::string::npos) << text;
  EXPECT_NE(text.find("2 configurations lie closer to the mean when reflected; --reflect"), std::string::npos) << text;
  write("s.csv", wings(bone, {3}, 12));
  EXPECT_EQ(named("kendall3d:5"), std::vector<int>{3});
}

// The first row may be one of them; and of two sides the larger one is right.
TEST_F(MirrorImages, TheMajorityIsRight) {
  write("s.csv", wings(wing, {1, 2, 5, 6, 7, 11, 12, 13}, 20));
  EXPECT_EQ(named("kendall:5"), (std::vector<int>{1, 2, 5, 6, 7, 11, 12, 13}));
  write("s.csv", wings(wing, {1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13}, 16));
  EXPECT_EQ(named("kendall:5"), (std::vector<int>{4, 10, 14, 15, 16}));
}

TEST_F(MirrorImages, NothingIsSaidWhereThereAreNone) {
  write("s.csv", wings(wing, {}, 30));
  EXPECT_EQ(named("kendall:5"), std::vector<int>{});
  // Landmarks on a line are their own mirror image: some are nearer to the mean that way by chance.
  write("s.csv", wings(spine, {}, 60, 0.1));
  EXPECT_EQ(named("kendall:4"), std::vector<int>{});
  write("s.csv", wings(spine, {3}, 60, 0.01));
  EXPECT_EQ(named("kendall:4"), std::vector<int>{});
  EXPECT_EQ(wgp("check s.csv --manifold kendall:4").out.find("mirror"), std::string::npos);
}

TEST_F(MirrorImages, ReflectTurnsThemBack) {
  write("s.csv", wings(wing, {4, 17}, 30));
  write("right.csv", wings(wing, {}, 30));
  const auto variance = [&](const std::string& file) {
    return json::parse(wgp("mean " + file + " --manifold kendall:5 --json").out)["variance"].get<double>();
  };
  EXPECT_GT(variance("s.csv"), 3 * variance("right.csv"));
  EXPECT_NEAR(variance("s.csv --reflect"), variance("right.csv"), 1e-10);
  const Outcome plain = wgp("mean s.csv --manifold kendall:5"),
                turned = wgp("mean s.csv --manifold kendall:5 --reflect");
  EXPECT_NE(plain.err.find("2 of 30 configurations lie closer to the mean when reflected (rows 4, 17)"),
            std::string::npos)
      << plain.err;
  EXPECT_NE(turned.err.find("2 of 30 configurations reflected"), std::string::npos) << turned.err;
  EXPECT_EQ(wgp("mean right.csv --manifold kendall:5").err.find("reflected"), std::string::npos);
}

TEST_F(MirrorImages, FitSaysSo) {
  write("s.csv", wings(wing, {4}, 16));
  const std::string fit = "fit s.csv --manifold kendall:5 --latent 1 --effort quick -o m.wgp ";
  EXPECT_NE(wgp(fit).err.find("1 of 16 configurations lies closer to the mean when reflected (row 4)"),
            std::string::npos);
  EXPECT_NE(wgp(fit + "--reflect").err.find("1 of 16 configurations reflected"), std::string::npos);
  EXPECT_NE(wgp("encode m.wgp s.csv --reflect -o x.csv").err.find("1 row reflected"), std::string::npos);
  EXPECT_NE(wgp("score m.wgp s.csv --reflect -o x.csv").err.find("1 row reflected"), std::string::npos);
  EXPECT_EQ(wgp("encode m.wgp s.csv -o x.csv").err.find("reflected"), std::string::npos);
  write("p.csv", "1,0,0\n0,1,0\n0.6,0.8,0\n");
  EXPECT_TRUE(
      fails(wgp("fit p.csv --manifold sphere:2 --latent 1 -o m.wgp --reflect"), 2, {"--reflect is for landmarks"}));
}

}  // namespace
}  // namespace wgp::test
