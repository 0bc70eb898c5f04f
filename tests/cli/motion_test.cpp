// Motion files into the command.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "run_command.h"

namespace wgp::test {
namespace {

class Motion : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    // One bone that swings about x by 0, 10, ... 50 degrees, with a pelvis that turns about y by twice as much.
    std::string frames, amc = ":FULLY-SPECIFIED\n:DEGREES\n";
    for (int i = 0; i < 6; ++i) {
      const std::string swing = std::to_string(10 * i), turn = std::to_string(20 * i);
      frames += "0 1 0 0 " + turn + " 0 " + swing + " 0 0\n";
      amc += std::to_string(i + 1) + "\nroot 0 1 0 0 " + turn + " 0\nlfemur " + swing + "\n";
    }
    write("walk.bvh",
          "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
          "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
          "JOINT LeftUpLeg\n{\nOFFSET 1 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
          "End Site\n{\nOFFSET 0 -3 0\n}\n}\n}\nMOTION\nFrames: 6\nFrame Time: 0.1\n" +
              frames);
    write("07_01.amc", amc);
    write("07.asf",
          ":version 1.10\n:units\nangle deg\n:root\norder TX TY TZ RX RY RZ\naxis XYZ\nposition 0 0 0\n"
          "orientation 0 0 0\n:bonedata\nbegin\nid 1\nname lfemur\ndirection 0 -1 0\nlength 3\naxis 0 0 0 XYZ\n"
          "dof rx\nend\n:hierarchy\nbegin\nroot lfemur\nend\n");
  }
};

TEST_F(Motion, GivesDirectionsInBothFrames) {
  // Rx(a) takes (0, -1, 0) to (0, -cos a, -sin a), Ry(b) takes that to (-sin a sin b, -cos a, -sin a cos b).
  std::vector<std::vector<double>> world, root;
  for (int i = 0; i < 6; ++i) {
    const double a = i * std::numbers::pi / 18, b = 2 * a;
    world.push_back({-std::sin(a) * std::sin(b), -std::cos(a), -std::sin(a) * std::cos(b)});
    root.push_back({0, -std::cos(a), -std::sin(a)});
  }
  for (const std::string file : {"walk.bvh --bone LeftUpLeg", "07_01.amc --bone lfemur"}) {
    expect_rows(wgp("geom project --manifold sphere:2 " + file).out, world);
    expect_rows(wgp("geom project --manifold sphere:2 --frame root " + file).out, root);
    // Rotations where the manifold takes them, or where asked for.
    const auto rotations = numbers(wgp("geom project --manifold so:3 --frame root " + file).out);
    ASSERT_EQ(rotations.size(), 6u);
    EXPECT_NEAR(rotations[3][7], 0.5, 1e-14);  // the sine of 30 degrees
    EXPECT_EQ(numbers(wgp("geom project --manifold euclidean:9 --as rotation " + file).out)[0].size(), 9u);
  }
}

TEST_F(Motion, SeveralBonesAreAProduct) {
  const auto rotations = [&](const std::string& bones, const std::string& manifold) {
    return numbers(wgp("geom project walk.bvh --bone " + bones + " --manifold " + manifold).out);
  };
  const auto hips = rotations("Hips", "so:3"), leg = rotations("LeftUpLeg", "so:3");
  const auto both = rotations("Hips,LeftUpLeg", "so:3^2"), turned = rotations("LeftUpLeg,Hips", "so:3,so:3");
  ASSERT_EQ(both.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<double> expected = hips[i];
    expected.insert(expected.end(), leg[i].begin(), leg[i].end());
    EXPECT_EQ(both[i], expected);
    std::rotate(expected.begin(), expected.begin() + 9, expected.end());
    EXPECT_EQ(turned[i], expected);
  }
  EXPECT_EQ(header(wgp("convert walk.bvh --bone LeftUpLeg,Hips").out),
            "LeftUpLeg.x,LeftUpLeg.y,LeftUpLeg.z,Hips.x,Hips.y,Hips.z");
  const Outcome mean = wgp("mean walk.bvh --bone LeftUpLeg,Hips");
  EXPECT_NE(mean.err.find("taken as sphere:2^2 (directions of 2 bones)"), std::string::npos) << mean.err;
  EXPECT_EQ(mean.out, wgp("mean walk.bvh --bone LeftUpLeg,Hips --manifold sphere:2^2").out);
  EXPECT_TRUE(fails(wgp("mean walk.bvh --bone LeftUpLeg,LeftArm --manifold sphere:2^2"), 3, {"no bone 'LeftArm'"}));
  EXPECT_TRUE(fails(wgp("mean walk.bvh --bone LeftUpLeg, --manifold sphere:2^2"), 3, {"which bone?"}));
}

TEST_F(Motion, SaysWhatIsWrong) {
  EXPECT_TRUE(fails(wgp("mean walk.bvh --manifold sphere:2"), 3, {"walk.bvh: which bone?", "Hips, LeftUpLeg"}));
  EXPECT_TRUE(fails(wgp("mean 07_01.amc --manifold sphere:2 --bone lfemr"), 3, {"did you mean lfemur?"}));
  EXPECT_TRUE(fails(wgp("mean walk.bvh --manifold sphere:2 --bone LeftUpLeg --frame rot"), 2, {"did you mean root?"}));
  EXPECT_TRUE(fails(wgp("mean walk.bvh --manifold sphere:2 --bone LeftUpLeg --skeleton 07.asf"), 2, {"of its own"}));
  write("points.csv", "1,0,0\n");
  EXPECT_TRUE(fails(wgp("mean points.csv --manifold sphere:2 --bone a"), 2, {"--bone is for motion"}));
  for (const char* order : {"xyzw", "wxyz"})
    EXPECT_TRUE(fails(wgp(std::string("mean walk.bvh --manifold so:3 --bone LeftUpLeg --quaternion ") + order), 2,
                      {"--quaternion is for tables of quaternions; walk.bvh is none"}));
  write("08.asf", "");
  ASSERT_EQ(shell("mv 07.asf 09.asf").exit_code, 0);
  EXPECT_TRUE(fails(wgp("mean 07_01.amc --manifold sphere:2 --bone lfemur"), 3, {"2 skeletons", "--skeleton FILE"}));
  EXPECT_EQ(wgp("mean 07_01.amc --manifold sphere:2 --bone lfemur --skeleton 09.asf").exit_code, 0);
}

TEST_F(Motion, PassesLabelsOn) {
  EXPECT_EQ(header(wgp("pga walk.bvh --bone LeftUpLeg --manifold sphere:2 --labels frame").out), "pc1,pc2,label");
}

}  // namespace
}  // namespace wgp::test
