// Rotations of models written as BVH motion.
#include <cmath>

#include "run_command.h"

namespace wgp::test {
namespace {

class MotionOutput : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::ostringstream frames;
    for (int i = 0; i < 24; ++i) {
      const double t = i * 0.26;
      frames << i << " 90 0 10 " << 20 * std::cos(t) << " 5 " << 30 * std::sin(t) << ' ' << 10 * std::cos(t) << " 4 "
             << "1 " << 25 + 25 * std::cos(t) << " 2\n";
    }
    write("walk.bvh",
          "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
          "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
          "JOINT Leg\n{\nOFFSET 1 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
          "JOINT Shin\n{\nOFFSET 0 -4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
          "End Site\n{\nOFFSET 0 -3 0\n}\n}\n}\n}\nMOTION\nFrames: 24\nFrame Time: 0.04\n" +
              frames.str());
  }
  void fit(const std::string& flags) const {
    const Outcome outcome =
        wgp("fit walk.bvh " + flags + " --latent 1 --inference point --effort quick --prior none --quiet -o m.wgp");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  std::vector<std::vector<double>> rotations_in(const std::string& file, const std::string& flags) const {
    return numbers(wgp("convert " + file + " --as rotation --quiet " + flags).out);
  }
};

TEST_F(MotionOutput, HasTheRotationsThatAreDecoded) {
  for (const std::string frame : {"world", "root"}) {
    fit("--bone Leg,Shin --as rotation --manifold so:3^2 --frame " + frame);
    write("x.csv", "-1\n0\n0.5\n");
    const Outcome outcome = wgp("decode m.wgp x.csv -o out.bvh --skeleton walk.bvh");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("out.bvh: 3 frames of motion, 2 joints turned; all other joints, and the place of the "
                               "root, stay as in the first frame of walk.bvh"),
              std::string::npos)
        << outcome.err;
    auto expected = numbers(wgp("decode m.wgp x.csv --quiet").out);
    const auto found = rotations_in("out.bvh", "--bone Leg,Shin --frame " + frame);
    ASSERT_EQ(found.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 18; ++j) EXPECT_NEAR(found[i][j], expected[i][j], 1e-14);
    // The hips stay as in the first frame.
    const auto hips = rotations_in("out.bvh", "--bone Hips"), before = rotations_in("walk.bvh", "--bone Hips");
    for (const auto& row : hips) EXPECT_EQ(row, before[0]);
  }
  const nlohmann::json info = nlohmann::json::parse(wgp("info m.wgp --json").out);
  EXPECT_EQ(info["motion"], (nlohmann::json{{"bones", "Leg,Shin"}, {"frame", "root"}, {"rows", "rotation"}}));
  EXPECT_NE(wgp("info m.wgp").out.find("rotations of Leg, Shin as seen from the root"), std::string::npos);
}

TEST_F(MotionOutput, OfMorphsAndJointDraws) {
  fit("--bone Shin --as rotation --manifold so:3");
  const Outcome morph = wgp("morph m.wgp 2 9 --steps 5 --skeleton walk.bvh -o morph.bvh --json");
  ASSERT_EQ(morph.exit_code, 0) << morph.err;
  EXPECT_EQ(nlohmann::json::parse(morph.out)["n"], 5);
  const auto expected = numbers(wgp("morph m.wgp 2 9 --steps 5 --quiet").out);
  const auto found = rotations_in("morph.bvh", "--bone Shin");
  ASSERT_EQ(found.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 9; ++j) EXPECT_NEAR(found[i][j], expected[i][j], 1e-14);
  write("x.csv", "-1\n0\n1\n2\n");
  ASSERT_EQ(wgp("sample m.wgp --at x.csv --joint --skeleton walk.bvh -o draw.bvh --seed 4").exit_code, 0);
  const auto drawn = numbers(wgp("sample m.wgp --at x.csv --joint --seed 4 --quiet").out);
  const auto again = rotations_in("draw.bvh", "--bone Shin");
  ASSERT_EQ(again.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 9; ++j) EXPECT_NEAR(again[i][j], drawn[i][j + 2], 1e-14);
  for (const std::string flags : {"", "--joint --count 2"})
    EXPECT_TRUE(fails(wgp("sample m.wgp --at x.csv --skeleton walk.bvh -o draws.bvh " + flags), 2, {"one draw"}));
}

// A table does not say whose rotations it holds; quaternions are written as well.
TEST_F(MotionOutput, OfTablesNeedsTheBone) {
  ASSERT_EQ(wgp("convert walk.bvh --bone Leg --as rotation -o leg.csv").exit_code, 0);
  ASSERT_EQ(wgp("fit leg.csv --manifold so:3 --latent 1 --inference point --effort quick --quiet -o m.wgp").exit_code,
            0);
  write("x.csv", "0\n");
  const std::string decode = "decode m.wgp x.csv -o out.bvh --skeleton walk.bvh";
  EXPECT_TRUE(fails(wgp(decode), 2, {"does not know whose rotations", "--bone NAME"}));
  EXPECT_EQ(wgp(decode + " --bone Leg --frame world").exit_code, 0);
  EXPECT_TRUE(fails(wgp(decode + " --bone Leg,Shin"), 2, {"2 bones for 1 rotation of so:3"}));
  EXPECT_TRUE(fails(wgp(decode + " --bone Lg"), 3, {"no bone 'Lg'; did you mean Leg?"}));
}

TEST_F(MotionOutput, SaysWhatIsWrong) {
  fit("--bone Leg --as rotation --manifold so:3");
  write("x.csv", "0\n");
  EXPECT_TRUE(fails(wgp("decode m.wgp x.csv -o out.bvh"), 2, {"--skeleton FILE is needed", "its first frame"}));
  EXPECT_TRUE(fails(wgp("decode m.wgp x.csv -o out.csv --skeleton walk.bvh"), 2, {"add -o FILE.bvh"}));
  EXPECT_TRUE(fails(wgp("decode m.wgp x.csv -o walk.bvh --skeleton walk.bvh"), 2, {"would replace what is read"}));
  EXPECT_TRUE(fails(wgp("decode m.wgp x.csv -o out.bvh --skeleton x.csv"), 3, {"x.csv: is no BVH file (CSV)"}));
  EXPECT_TRUE(fails(wgp("decode m.wgp x.csv -o out.bvh --skeleton none.bvh"), 3, {"none.bvh: no such file"}));
  write("cut.bvh", read("walk.bvh").substr(0, read("walk.bvh").find("CHANNELS 3 Z")));
  EXPECT_TRUE(fails(wgp("decode m.wgp x.csv -o out.bvh --skeleton cut.bvh"), 3, {"cut.bvh: truncated"}));
  EXPECT_EQ(shell("gzip -k walk.bvh && wgp decode m.wgp x.csv -o out.bvh --skeleton walk.bvh.gz").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(path("out.bvh")));
  // Directions leave the turn about the bone open.
  fit("--bone Leg --as direction --manifold sphere:2");
  EXPECT_TRUE(fails(wgp("decode m.wgp x.csv -o no.bvh --skeleton walk.bvh"), 2,
                    {"motion is made of rotations", "points of this model are on sphere:2", "--as rotation"}));
  EXPECT_FALSE(std::filesystem::exists(path("no.bvh")));
  // No place on the disk: nothing is left there.
  fit("--bone Leg --as rotation --manifold so:3");
  ASSERT_EQ(shell("ln -s /dev/full full.bvh").exit_code, 0);
  EXPECT_TRUE(fails(wgp("decode m.wgp x.csv -o full.bvh --skeleton walk.bvh"), 3, {"No space left"}));
}

}  // namespace
}  // namespace wgp::test
