// Files of landmarks hold landmarks: predictions are written as such, and numbers that are no points are not.
#include <cmath>

#include "core/format.h"
#include "run_command.h"
#include "wgp/io.h"

namespace wgp::test {
namespace {

class LandmarkOutput : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::string flat, space;
    for (int i = 0; i < 12; ++i) {
      const double t = 0.3 * i;
      flat += "LM=4\n0 0\n" + std::to_string(3 + std::sin(t)) + " 0\n3 " + std::to_string(1 + 0.2 * std::cos(t)) +
              "\n0 1\nID=f" + std::to_string(i) + "\n";
      space += "LM3=4\n0 0 0\n" + std::to_string(3 + std::sin(t)) + " 0 0\n0 " + std::to_string(2 + std::cos(2 * t)) +
               " 0\n0 0 1\nID=s" + std::to_string(i) + "\n";
    }
    write("flat.tps", flat);
    write("space.tps", space);
    write("at.csv", "0\n0.5\n");
    for (const std::string name : {"flat", "space"})
      ASSERT_EQ(wgp("fit " + name + ".tps --latent 1 --effort quick --quiet -o " + name + ".wgp").exit_code, 0);
  }
};

TEST_F(LandmarkOutput, DecodedPointsAndDraws) {
  for (const std::string name : {"flat", "space"}) {
    const Outcome decoded = wgp("decode " + name + ".wgp at.csv -o d.tps");
    ASSERT_EQ(decoded.exit_code, 0) << decoded.err;
    EXPECT_NE(decoded.err.find("write .csv for their sd"), std::string::npos) << decoded.err;
    const Index dimension = name == "flat" ? 2 : 3;
    const auto reader = open_table(path("d.tps"));
    EXPECT_EQ(reader->shape(), (std::vector<Index>{4, dimension}));
    const Matrix points = read_rest(*reader).values;
    const auto rows = numbers(wgp("decode " + name + ".wgp at.csv").out);
    ASSERT_EQ(points.cols(), 2);
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 4 * dimension; ++j)
        EXPECT_EQ(points(j, i), rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    ASSERT_EQ(wgp("sample " + name + ".wgp --at at.csv --count 3 -o s.tps").exit_code, 0);
    EXPECT_EQ(open_table(path("s.tps"))->shape(), (std::vector<Index>{4, dimension}));
    EXPECT_NE(read("s.tps").find("ID=2_3\n"), std::string::npos);
    // The JSON object has all of it.
    const auto object = nlohmann::json::parse(wgp("decode " + name + ".wgp at.csv -o d.tps --json").out);
    EXPECT_EQ(object["columns"].back(), "sd");
    EXPECT_EQ(object["rows"][0].size(), static_cast<std::size_t>(4 * dimension + 1));
  }
}

TEST_F(LandmarkOutput, MorphsBetweenSpecimens) {
  for (const std::string name : {"flat", "space"}) {
    const Outcome morphed = wgp("morph " + name + ".wgp " + name[0] + "1 " + name[0] + "9 --steps 7");
    ASSERT_EQ(morphed.exit_code, 0) << morphed.err;
    const auto rows = numbers(morphed.out);
    ASSERT_EQ(rows.size(), 7u);
    // It begins and ends where the two specimens are decoded, and is the same by their rows.
    std::string latents;
    for (const auto& row : {rows.front(), rows.back()}) latents += fmt::format("{:.17g}\n", row.back());
    write("ends.csv", latents);
    const auto ends = numbers(wgp("decode " + name + ".wgp ends.csv").out);
    for (std::size_t j = 0; j < ends[0].size(); ++j) {
      EXPECT_NEAR(rows.front()[j], ends[0][j], 1e-9);
      EXPECT_NEAR(rows.back()[j], ends[1][j], 1e-9);
    }
    EXPECT_EQ(wgp("morph " + name + ".wgp 2 10 --steps 7").out, morphed.out);
    EXPECT_LE(nlohmann::json::parse(wgp("morph " + name + ".wgp 2 10 --json").out)["length"].get<double>(),
              nlohmann::json::parse(wgp("morph " + name + ".wgp 2 10 --straight --json").out)["length"].get<double>() *
                  1.001);
    ASSERT_EQ(wgp("morph " + name + ".wgp 2 10 --steps 5 -o m.tps").exit_code, 0);
    EXPECT_EQ(read_rest(*open_table(path("m.tps"))).values.cols(), 5);
    EXPECT_TRUE(fails(wgp("morph " + name + ".wgp 2 13"), 3, {"no point '13'", "1 to 12"}));
    EXPECT_TRUE(fails(wgp("morph " + name + ".wgp 2 " + name[0] + "33"), 3, {"did you mean"}));
    EXPECT_TRUE(fails(wgp("morph " + name + ".wgp 2 2"), 3, {"the same point"}));
  }
}

// From one side of a hill to the other: the straight line between the latents leads over it, the shortest way about it.
TEST_F(LandmarkOutput, MorphsAlongTheShortestWay) {
  std::string hill;
  for (int i = -6; i <= 6; ++i)
    for (int j = -6; j <= 6; ++j) {
      const double x = i / 4.0, y = j / 4.0;
      hill += fmt::format("{},{},{}\n", x, y, 2.5 * std::exp(-2 * (x * x + y * y)));
    }
  write("hill.csv", hill);
  ASSERT_EQ(wgp("fit hill.csv --manifold euclidean:3 --latent 2 --effort quick --quiet -o hill.wgp").exit_code, 0);
  const std::string west = std::to_string(2 * 13 + 7), east = std::to_string(10 * 13 + 7);  // (-1, 0) and (1, 0)
  const auto morphed = [&](const std::string& how) {
    return nlohmann::json::parse(wgp("morph hill.wgp " + west + " " + east + " --steps 41 --json " + how).out);
  };
  const auto shortest = morphed(""), straight = morphed("--straight");
  const auto highest = [](const nlohmann::json& object) {
    double height = 0;
    for (const auto& row : object["rows"]) height = std::max(height, row[2].get<double>());
    return height;
  };
  EXPECT_GT(highest(straight), 2);
  EXPECT_LT(highest(shortest), 1.2);
  EXPECT_LT(shortest["length"].get<double>(), 0.8 * straight["length"].get<double>());
}

TEST_F(LandmarkOutput, OtherNumbersAreRefused) {
  for (const std::string line :
       {"encode flat.wgp flat.tps", "score flat.wgp flat.tps", "pga flat.tps", "curve flat.tps", "synth diatoms",
        "synth circle", "geom dist --manifold kendall:4 --base flat.tps flat.tps",
        "evaluate flat.tps --models nearest"})
    EXPECT_TRUE(fails(wgp(line + " -o x.tps"), 2, {"TPS holds landmarks"})) << line;
  EXPECT_FALSE(std::filesystem::exists(path("x.tps")));
  EXPECT_EQ(wgp("mean flat.tps -o mean.tps").exit_code, 0);
  EXPECT_EQ(wgp("curve flat.tps -o curve.csv --nodes-out nodes.tps").exit_code, 0);
}

TEST_F(LandmarkOutput, HelpNamesWhatIsWritten) {
  EXPECT_NE(wgp("encode --help").out.find(".nii.gz"), std::string::npos);
  EXPECT_NE(wgp("decode --help").out.find(".nii.gz"), std::string::npos);
  EXPECT_NE(wgp("decode --help").out.find("--tensor-order"), std::string::npos);
  EXPECT_EQ(wgp("fit --help").out.find(".html"), std::string::npos);
  EXPECT_EQ(wgp("report --help").out.find(".npy"), std::string::npos);
}

// The table of starts ends with the one that was chosen, and why.
TEST_F(LandmarkOutput, FitsSayWhichStartWasChosenAndWhy) {
  const Outcome fit = wgp("fit flat.tps --latent 1 --inference point --effort quick --starts 8 -o m.wgp");
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  for (const char* piece : {"... and ", " was chosen of ", " starts", ": "})
    EXPECT_NE(fit.err.find(piece), std::string::npos) << piece << '\n' << fit.err;
  const std::string info = wgp("info m.wgp").out;
  EXPECT_NE(info.find(" was chosen of "), std::string::npos) << info;
  const auto json = nlohmann::json::parse(wgp("info m.wgp --json").out);
  for (const auto& start : json["fit"]["starts"])
    if (start["chosen"]) {
      EXPECT_NE(info.find("\n" + start["kind"].get<std::string>() + " was chosen of "), std::string::npos) << info;
    }
}

}  // namespace
}  // namespace wgp::test
