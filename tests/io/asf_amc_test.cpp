// Acclaim motion, against rotations computed elsewhere.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "io/motion/asf_amc.h"

namespace wgp {
namespace {

const std::string skeleton = R"(# a leg
:version 1.10
:name leg
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  begin with the "left" leg,
  then stop
:root
  order TX TY TZ RZ RX RY
  axis ZXY
  position 0 0 0
  orientation 10 20 30
:bonedata
  begin
    id 3
    name ltibia
    direction 1 -2 0.5
    length 7.3
    axis 25 35 -45 YZX
    dof rz rx
    limits (-10.0 170.0)
           (-10 10)
  end
  begin
    id 1
    name lhipjoint
    direction 0.6 -0.7 0.2
    length 2.4
    axis 0 0 0 XYZ
  end
  begin
    id 2
    name lfemur
    direction 0.342 -0.9397 0
    length 7.1
    axis 5 -15 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
:hierarchy
  begin
    root lhipjoint
    lhipjoint lfemur
    lfemur ltibia
  end
)";
const std::string motion = R"(#!OML:ASF
:FULLY-SPECIFIED
:DEGREES
1
root 1.5 17 -3 12 -7 33
lfemur -31 8 -6
ltibia 9 44
2
root 0 0 0 0 0 0
lfemur 0 0 0
ltibia 0 0
)";

MotionOptions options_of(const std::string& bone) {
  MotionOptions options;
  options.bone = bone;
  return options;
}
Matrix values(const std::string& amc, const std::string& asf, const MotionOptions& options) {
  const auto table = open_amc(memory_bytes(amc, "t.amc"), memory_bytes(asf, "t.asf"), options);
  return read_rest(*table).values.transpose();
}
std::string error_of(const std::string& amc, const std::string& asf,
                     const MotionOptions& options = options_of("ltibia")) {
  try {
    values(amc, asf, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
void expect_rows(const Matrix& actual, const Matrix& expected) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), 1e-14) << actual;
}
const Matrix femur_world{{0.6849120435382958, -0.5662673871710364, 0.4585157999924128},
                         {0.34199998461000114, -0.939699957713503, 0}};

// Products of NumPy matrices, W = W(parent) C M C', in degrees:
//   root   C = Ry(20) Rx(10) Rz(30)     M = Ry(33) Rx(-7) Rz(12)
//   femur  C = Rz(20) Ry(-15) Rx(5)     M = Rz(-6) Ry(8) Rx(-31)
//   tibia  C = Rx(25) Rz(-45) Ry(35)    M = Rx(44) Rz(9)
TEST(AsfAmc, TurnsBonesAboutTheirAxes) {
  MotionOptions options = options_of("lfemur");
  expect_rows(values(motion, skeleton, options), femur_world);
  expect_rows(values(motion, skeleton, options_of("ltibia")),
              Matrix{{0.29720421844673756, -0.798017856911015, 0.5242491321772637},
                     {0.4364357804719848, -0.8728715609439696, 0.2182178902359924}});
  options.frame = MotionOptions::Frame::root;
  expect_rows(values(motion, skeleton, options).topRows(1),
              Matrix{{0.1676776861379939, -0.85497980590887, 0.4908092552707599}});
  options = options_of("ltibia");
  options.quantity = MotionOptions::Quantity::rotation;
  expect_rows(values(motion, skeleton, options), Matrix{{0.9798936463371021, 0.10742340461781619, -0.16813284631057385,
                                                         -0.056192859459444966, 0.9571608493170867, 0.284051880966072,
                                                         0.19144399811419818, -0.26889276798551054, 0.9439522630467814},
                                                        {1, 0, 0, 0, 1, 0, 0, 0, 1}});
  options.bone = "root";
  expect_rows(
      values(motion, skeleton, options).topRows(1),
      Matrix{{0.8270140989994279, -0.4332058826741073, 0.35830202800530053, 0.34437969072730074, 0.8941463463083622,
              0.28619039116988954, -0.44435381023541615, -0.11329154690423014, 0.8886589428623974}});
}

TEST(AsfAmc, ReadsRadians) {
  const auto radians = [](double degrees) { return format_number(degrees * std::numbers::pi / 180); };
  std::string amc = ":FULLY-SPECIFIED\n:RADIANS\n1\nroot 0 0 0 " + radians(12) + " " + radians(-7) + " " + radians(33) +
                    "\nlfemur " + radians(-31) + " " + radians(8) + " " + radians(-6) + "\nltibia 0 0\n";
  expect_rows(values(amc, skeleton, options_of("lfemur")), femur_world.topRows(1));
  // A skeleton in radians: without a word of its own the motion is in radians too.
  std::string asf = skeleton;
  const auto replace = [&](const std::string& from, const std::string& to) {
    asf.replace(asf.find(from), from.size(), to);
  };
  replace("angle deg", "angle rad");
  replace("orientation 10 20 30", "orientation " + radians(10) + " " + radians(20) + " " + radians(30));
  replace("axis 5 -15 20", "axis " + radians(5) + " " + radians(-15) + " " + radians(20));
  amc.replace(amc.find(":RADIANS\n"), 9, "");
  expect_rows(values(amc, asf, options_of("lfemur")), femur_world.topRows(1));
}

TEST(AsfAmc, DeliversFrameNumbers) {
  MotionOptions options = options_of("lfemur");
  options.table.columns = "frame,y";
  std::string amc = motion;
  amc.replace(amc.find("\n2\n"), 3, "\n5\n");
  EXPECT_EQ(values(amc, skeleton, options).col(0), (Vector{{1, 5}}));
}

TEST(AsfAmc, RefusesWhatIsDamaged) {
  const auto amc_with = [](const std::string& from, const std::string& to) {
    std::string bytes = motion;
    return bytes.replace(bytes.find(from), from.size(), to);
  };
  const auto asf_with = [](const std::string& from, const std::string& to) {
    std::string bytes = skeleton;
    return bytes.replace(bytes.find(from), from.size(), to);
  };
  const auto refused = [](const std::string& amc, const std::string& asf, const std::string& why) {
    EXPECT_NE(error_of(amc, asf).find(why), std::string::npos) << error_of(amc, asf);
  };
  refused("", skeleton, "t.amc: is empty");
  refused(motion, "", "t.asf: is empty");
  refused(":DEGREES\n", skeleton, "t.amc: no frames of motion");
  refused("x,y\n1,2\n", skeleton, "t.amc: line 1: 'x,y', expected the number of the first frame");
  refused(motion, "x,y\n1,2\n", "t.asf: line 1: 'x,y', but an ASF file starts with :version");
  refused(amc_with("ltibia 9 44", "ltibia 9"), skeleton, "line 7: 1 numbers for ltibia, which has 2");
  refused(amc_with("ltibia 9 44", "ltibia 9 inf"), skeleton, "'inf' is not a finite number");
  refused(amc_with("ltibia 9 44", "rtibia 9 44"), skeleton, "the skeleton has no bone 'rtibia'");
  refused(amc_with("ltibia 9 44", "lfemur 9 44 1"), skeleton, "lfemur a second time in frame 1");
  refused(amc_with("ltibia 0 0\n", ""), skeleton, "frame 2 has no numbers for ltibia; is the file truncated?");
  refused(amc_with("\n2\n", "\n1\n"), skeleton, "frame 1 after frame 1");
  refused(motion, asf_with("dof rz rx", "dof rz rw"), "'rw' is not one of");
  refused(motion, asf_with("45 YZX", "45 YZZ"), "'YZZ' is not an order of axes");
  refused(motion, asf_with("lhipjoint lfemur", "lhipjoint rfemur"), "no bone 'rfemur' in :bonedata");
  refused(motion, asf_with("lfemur ltibia", "ltibia lfemur"), "lfemur' gets a second parent");
  refused(motion, asf_with("    root lhipjoint\n", ""), "3 of 3 bones do not hang on the root");
  refused(motion, asf_with("name lhipjoint", "name lfemur"), "a second bone 'lfemur'");
  refused(motion, asf_with("angle deg", "angle turns"), "the unit of angles is deg or rad");
  const std::string unknown = error_of(motion, skeleton, options_of("lfemr"));
  EXPECT_NE(unknown.find("no bone 'lfemr'; did you mean lfemur? there are root, lhipjoint, lfemur, ltibia"),
            std::string::npos)
      << unknown;
  EXPECT_NE(error_of(motion, skeleton, options_of("root")).find("has no length"), std::string::npos);
}

TEST(AsfAmc, SurvivesTruncationAndDamageAnywhere) {
  // A cut behind a whole frame, or in its last number, cannot be seen.
  const std::size_t first_end = motion.find("\n2\n");
  for (std::size_t size = 0; size < motion.size() - 2; ++size)
    if (size < first_end - 1 || size > first_end + 1) {
      EXPECT_NE(error_of(motion.substr(0, size), skeleton), "no error") << size;
    }
  for (std::size_t size = 0; size < skeleton.size() - 1; ++size)
    EXPECT_NE(error_of(motion, skeleton.substr(0, size)), "no error") << size;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string amc = motion, asf = skeleton;
    char& byte = i % 2 == 0 ? amc[random() % amc.size()] : asf[random() % asf.size()];
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    error_of(amc, asf);
  }
}

TEST(AsfAmc, FindsTheSkeletonBesideTheMotion) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "wgp-asf-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  const std::string amc = (folder / "16_15.amc").string();
  EXPECT_THROW(find_asf(amc), Error);
  std::ofstream(folder / "someone.ASF") << skeleton;
  EXPECT_EQ(find_asf(amc), folder / "someone.ASF");
  std::ofstream(folder / "17.asf") << skeleton;
  EXPECT_THROW(find_asf(amc), Error);
  std::ofstream(folder / "16.asf") << skeleton;
  EXPECT_EQ(find_asf(amc), folder / "16.asf");
  std::ofstream(folder / "16_15.asf") << skeleton;
  EXPECT_EQ(find_asf(amc), folder / "16_15.asf");
  fs::remove_all(folder);
}

TEST(AsfAmc, IsKnownByItsMarks) {
  EXPECT_TRUE(is_amc(motion));
  EXPECT_FALSE(is_amc(skeleton));
  EXPECT_TRUE(is_asf(skeleton));
  EXPECT_FALSE(is_asf("a,:version\n"));
}

}  // namespace
}  // namespace wgp
