// BVH motion, against rotations computed elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bvh_by_hand.h"
#include "io/motion/bvh.h"

namespace wgp {
namespace {

const std::string hierarchy = test::bvh_skeleton("1 Xrotation", "3 Zrotation Xrotation Yrotation", "0 0 0");
const std::string motion =
    "MOTION\n"
    "Frames: 2\n"
    "Frame Time: 0.0083333\n"
    "10 20 30 15 -25 35 40 50 -60 70 1 2 3\n"
    "0 0 0 0 0 0 0 0 0 0 0 0 0\n";

MotionOptions options_of(const std::string& bone) {
  MotionOptions options;
  options.bone = bone;
  return options;
}
Matrix values(const std::string& bytes, const MotionOptions& options) {
  const auto table = open_bvh(memory_bytes(bytes, "t.bvh"), options);
  return read_rest(*table).values.transpose();
}
std::string error_of(const std::string& bytes, const MotionOptions& options = options_of("LeftUpLeg")) {
  try {
    values(bytes, options);
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

// Products of NumPy matrices: hips = Rz(15) Ry(-25) Rx(35), leg = Ry(40) Rx(50) Rz(-60), shin = Rx(70) degrees;
// hips leg d, leg d and hips leg shin with d = (2, -7, 1) / sqrt(54).
TEST(Bvh, TurnsBonesInTheOrderOfTheChannels) {
  MotionOptions options = options_of("LeftUpLeg");
  expect_rows(values(hierarchy + motion, options),
              Matrix{{-0.4860698225219686, -0.6613917987898045, -0.5712241382566466},
                     {0.2721655269759087, -0.9525793444156804, 0.13608276348795434}});
  options.frame = MotionOptions::Frame::root;
  expect_rows(values(hierarchy + motion, options).topRows(1),
              Matrix{{-0.8220704469055335, -0.5619050372484324, 0.09199407284914612}});
  expect_rows(values(hierarchy + motion, options_of("LeftLeg")).topRows(1),
              Matrix{{-0.815069701101337, 0.5201415762674672, -0.2551746911129158}});
  options = options_of("LeftLeg");
  options.quantity = MotionOptions::Quantity::rotation;
  expect_rows(
      values(hierarchy + motion, options),
      Matrix{{0.3646135124000133, 0.815069701101337, -0.4502425667591887, 0.11823817218234461, -0.5201415762674672,
              -0.8458560606137271, -0.9236215248760193, 0.2551746911129158, -0.2860229987275925},
             {1, 0, 0, 0, 1, 0, 0, 0, 1}});
}

TEST(Bvh, DeliversColumnsAndBlocks) {
  MotionOptions options = options_of("LeftUpLeg");
  const auto table = open_bvh(memory_bytes(hierarchy + motion, "t.bvh"), options);
  EXPECT_EQ(table->names(), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(*table->rows(), 2);
  EXPECT_EQ(table->format(), "bvh");
  TableBlock block;
  ASSERT_TRUE(table->read(1, block));
  ASSERT_TRUE(table->read(1, block));
  EXPECT_EQ(block.first_row, 1);
  EXPECT_FALSE(table->read(1, block));
  options.table.columns = "frame,time_s";
  options.table.text_columns = {"frame"};
  EXPECT_EQ(values(hierarchy + motion, options), (Matrix{{1, 0}, {2, 0.0083333}}));
}

TEST(Bvh, TakesLineEndsAndBracesAsTheyCome) {
  const Matrix expected = values(hierarchy + motion, options_of("LeftUpLeg"));
  std::string crlf = "\xef\xbb\xbf", braces;
  for (const char c : hierarchy + motion) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(values(crlf, options_of("LeftUpLeg")), expected);
  std::string cr = hierarchy + motion;
  std::replace(cr.begin(), cr.end(), '\n', '\r');
  EXPECT_EQ(values(cr, options_of("LeftUpLeg")), expected);
  braces = hierarchy + motion;
  for (auto at = braces.find("\n{"); at != std::string::npos; at = braces.find("\n{")) braces.replace(at, 2, " {");
  EXPECT_EQ(values(braces, options_of("LeftUpLeg")), expected);
  EXPECT_EQ(values((hierarchy + motion).substr(0, (hierarchy + motion).size() - 1), options_of("LeftUpLeg")), expected);
}

TEST(Bvh, NamesBonesThatAreMeant) {
  const std::string all = hierarchy + motion;
  const auto refused = [&](const std::string& bone, const std::string& why) {
    EXPECT_NE(error_of(all, options_of(bone)).find(why), std::string::npos) << error_of(all, options_of(bone));
  };
  refused("", "which bone?");
  refused("leftupleg", "no bone 'leftupleg'; did you mean LeftUpLeg? there are Hips, LeftUpLeg, LeftLeg, Chest");
  refused("Hips", "several bones start at Hips: choose one of Hips:LeftUpLeg, Hips:Chest");
  refused("Chest", "Chest has no length");
  refused("Hips:Tail", "Hips:Tail has no length");
  expect_rows(values(all, options_of("Hips:Chest")).bottomRows(1), Matrix{{0, 1, 0}});
}

TEST(Bvh, RefusesWhatIsDamaged) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string bytes = hierarchy + motion;
    return bytes.replace(bytes.find(from), from.size(), to);
  };
  const auto refused = [](const std::string& bytes, const std::string& why) {
    EXPECT_EQ(error_of(bytes).rfind("t.bvh: ", 0), 0u) << error_of(bytes);
    EXPECT_NE(error_of(bytes).find(why), std::string::npos) << error_of(bytes);
  };
  refused("", "is empty");
  refused("x,y\n1,2\n", "line 1: 'x,y', but a BVH file starts with HIERARCHY");
  refused(std::string("H\0I\0", 4), "but a BVH file starts with HIERARCHY");
  refused(hierarchy, "no MOTION");
  refused(with("Frames: 2", "Frames: 3"), "truncated: 2 frames of 3");
  refused(with("Frames: 2", "Frames: 1"), "after the last of 1 frames");
  refused(with("Frames: 2", "Frames: 1000000000000000000"), "frames; it must be");
  refused(with("Frames: 2", "Frames: -1"), "-1 frames");
  refused(with("Frame Time: 0.0083333", "Frame Time: nan"), "'nan' is not a time");
  refused(with("10 20 30", "10 20"), "line 33: 12 numbers in frame 1, but the joints have 13 channels");
  refused(with("10 20 30", "10 x 30"), "'x' is not a finite number");
  refused(with("Zrotation Yrotation Xrotation", "Zrotation Yrotation Wrotation"), "unknown channel 'Wrotation'");
  refused(with("CHANNELS 1", "CHANNELS 2"), "CHANNELS 2 with 1 names");
  refused(with("OFFSET 2 -7 1", "OFFSET 2 -7"), "three numbers");
  refused(with("JOINT Chest", "ROOT Chest"), "a ROOT inside");
  refused(with("JOINT Chest\n  {", "JOINT Chest\n"), "expected { for Chest");
  refused(with("OFFSET 0 -3 0\n", "\n"), "without an OFFSET");
}

TEST(Bvh, SurvivesTruncationAndDamageAnywhere) {
  const std::string whole = hierarchy + motion;
  // A cut in the last number or behind it cannot be seen.
  for (std::size_t size = 0; size < whole.size() - 3; ++size)
    EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = whole;
    char& byte = damaged[random() % damaged.size()];
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    error_of(damaged);
  }
  std::string deep = "HIERARCHY\nROOT a\n{\n";
  for (int i = 0; i < 70000; ++i) deep += "JOINT a\n{\n";
  EXPECT_NE(error_of(deep).find("more than 65536 joints"), std::string::npos) << error_of(deep);
}

}  // namespace
}  // namespace wgp
