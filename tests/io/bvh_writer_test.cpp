// Rotations written as BVH motion: read again by the reader, and turned back by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <sstream>

#include "bvh_by_hand.h"
#include "io/motion/bvh_writer.h"

namespace wgp {
namespace {

constexpr double degree = std::numbers::pi / 180;
using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

const std::string walk = test::bvh_skeleton("3 Zrotation Xrotation Zrotation", "1 Xrotation", "0 1 0") + R"(MOTION
Frames: 2
Frame Time: 0.0083333
1 90.50 3 15 -25 35 40 50 -60 70 20 3 8
0 0 0 0 0 0 0 0 0 0 0 0 0
)";

BvhPose pose() { return read_bvh_pose(memory_bytes(walk, "walk.bvh")); }
BvhWriter writer_of(const std::string& bones, MotionOptions::Frame frame = MotionOptions::Frame::world) {
  return {pose(), bones, frame};
}
std::string text_of(const BvhWriter& writer) {
  std::string bytes;
  MemorySink sink(bytes);
  writer.write(sink);
  return bytes;
}
Matrix read_again(const std::string& bytes, const std::string& bones,
                  MotionOptions::Frame frame = MotionOptions::Frame::world) {
  MotionOptions options;
  options.bone = bones;
  options.frame = frame;
  options.quantity = MotionOptions::Quantity::rotation;
  return read_rest(*open_bvh(memory_bytes(bytes, "out.bvh"), options)).values;
}
// A rotation by Rodrigues' formula, independent of how the library turns.
Eigen::Matrix3d turn(int axis, double degrees) {
  Eigen::Vector3d u = Eigen::Vector3d::Unit(axis);
  Eigen::Matrix3d K{{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
  return Eigen::Matrix3d::Identity() + std::sin(degrees * degree) * K + (1 - std::cos(degrees * degree)) * K * K;
}
Vector rotation_row(const Eigen::Matrix3d& R) {
  const Rows rows = R;
  return Eigen::Map<const Vector>(rows.data(), 9);
}
Eigen::Matrix3d random_rotation(std::mt19937& engine) {
  std::uniform_real_distribution<double> angle(-180, 180);
  return turn(0, angle(engine)) * turn(1, angle(engine)) * turn(2, angle(engine));
}
// The numbers of a frame of the file, from 0 on.
std::vector<double> frame_of(const std::string& bytes, int frame) {
  std::istringstream lines(bytes.substr(bytes.find("Frame Time")));
  std::string line;
  for (int i = 0; i <= frame + 1; ++i) std::getline(lines, line);
  std::istringstream words(line);
  std::vector<double> numbers;
  for (double number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

TEST(BvhWriter, IsReadAgainByTheReader) {
  std::mt19937 engine(1);
  for (const auto frame : {MotionOptions::Frame::world, MotionOptions::Frame::root})
    for (const std::string bones : {"LeftUpLeg", "LeftLeg", "LeftUpLeg,LeftLeg", "LeftLeg,LeftUpLeg"}) {
      BvhWriter writer = writer_of(bones, frame);
      Matrix rows(9 * static_cast<Index>(writer.bones()), 50);
      for (Index i = 0; i < rows.cols(); ++i) {
        for (Index b = 0; b < rows.rows(); b += 9) rows.col(i).segment(b, 9) = rotation_row(random_rotation(engine));
        writer.add(rows.col(i));
      }
      const Matrix again = read_again(text_of(writer), bones, frame);
      ASSERT_EQ(again.cols(), rows.cols());
      EXPECT_LT((again - rows).cwiseAbs().maxCoeff(), 1e-14) << bones;
    }
  BvhWriter writer = writer_of("Hips,LeftLeg");
  Vector row(18);
  row << rotation_row(random_rotation(engine)), rotation_row(random_rotation(engine));
  writer.add(row);
  EXPECT_LT((read_again(text_of(writer), "Hips,LeftLeg") - row).cwiseAbs().maxCoeff(), 1e-14);
}

// By hand: with the hips of the first frame, Rz(15) Ry(-25) Rx(35), the leg is at Ry(10) Rx(20) Rz(30) below them, and
// the shin, as Rz Rx Rz, at (40, 50, 60) below the leg.
TEST(BvhWriter, TurnsTheChannelsThatAreMeant) {
  const Eigen::Matrix3d hips = turn(2, 15) * turn(1, -25) * turn(0, 35);
  const Eigen::Matrix3d leg = hips * turn(1, 10) * turn(0, 20) * turn(2, 30);
  const Eigen::Matrix3d shin = leg * turn(2, 40) * turn(0, 50) * turn(2, 60);
  BvhWriter writer = writer_of("LeftUpLeg,LeftLeg");
  Vector row(18);
  row << rotation_row(leg), rotation_row(shin);
  writer.add(row);
  const std::vector<double> numbers = frame_of(text_of(writer), 0),
                            expected = {1, 90.5, 3, 15, -25, 35, 10, 20, 30, 40, 50, 60, 8};
  ASSERT_EQ(numbers.size(), expected.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], 1e-12) << i;
  // The shin alone: the leg stays as in the first frame, Ry(40) Rx(50) Rz(-60), and what is below it turns instead.
  BvhWriter alone = writer_of("LeftLeg");
  alone.add(rotation_row(shin));
  const std::vector<double> other = frame_of(text_of(alone), 0);
  EXPECT_EQ((std::vector<double>{other[6], other[7], other[8]}), (std::vector<double>{40, 50, -60}));
  const Eigen::Matrix3d below = turn(2, other[9]) * turn(0, other[10]) * turn(2, other[11]);
  EXPECT_LT((hips * turn(1, 40) * turn(0, 50) * turn(2, -60) * below - shin).norm(), 1e-13);
}

TEST(BvhWriter, KeepsTheSkeletonAndAllOtherNumbers) {
  BvhWriter writer = writer_of("LeftUpLeg");
  writer.add(rotation_row(turn(1, 33)));
  writer.add(rotation_row(turn(1, 34)));
  const std::string text = text_of(writer);
  for (const char* piece :
       {"HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n", "\t\t\tCHANNELS 3 Zrotation Xrotation Zrotation\n",
        "}\nMOTION\nFrames: 2\nFrame Time: 0.0083333\n1 90.50 3 15 -25 35 "})
    EXPECT_NE(text.find(piece), std::string::npos) << piece << text;
  EXPECT_LT((read_again(text, "Chest") - read_again(walk, "Chest").col(0).replicate(1, 2)).norm(), 1e-14);
}

// An angle goes on from the one before it, through half turns and through the pole, and never jumps.
TEST(BvhWriter, AnglesGoOnFromFrameToFrame) {
  for (const bool pole : {false, true}) {
    BvhWriter writer = writer_of("Hips");
    for (int i = 0; i <= 200; ++i) {
      const double t = 4.0 * i;
      const Eigen::Matrix3d R = pole ? turn(2, 15) * turn(1, -25 - t / 4) * turn(0, 35)
                                     : Eigen::Matrix3d(turn(2, 15 + t) * turn(1, -25) * turn(0, 35 - t / 2));
      writer.add(rotation_row(R));
    }
    const std::string text = text_of(writer);
    std::vector<double> last = frame_of(text, 0);
    for (int i = 1; i <= 200; ++i) {
      const std::vector<double> now = frame_of(text, i);
      for (const std::size_t c : {3u, 4u, 5u}) EXPECT_NEAR(now[c], last[c], 4.001) << i << ' ' << c;
      last = now;
    }
    EXPECT_NEAR(last[3], pole ? 15 : 815, 1e-9);
    EXPECT_NEAR(last[4], pole ? -225 : -25, 1e-9);
  }
}

// At the poles and everywhere near them the product of the turns is the rotation.
TEST(BvhWriter, HasAllDigitsAtThePoles) {
  for (const auto& axes : {std::array{0, 1, 2}, std::array{2, 0, 1}, std::array{0, 2, 1}, std::array{2, 1, 0},
                           std::array{2, 0, 2}, std::array{0, 1, 0}, std::array{1, 0, 1}, std::array{0, 2, 0}}) {
    const std::vector<SkeletonJoint::Turn> turns = {{axes[0], 0}, {axes[1], 1}, {axes[2], 2}};
    ASSERT_TRUE(has_all_rotations(turns));
    for (const double from : {0.0, 90.0, 180.0, -90.0})
      for (const double off : {0.0, 1e-13, 1e-9, 1e-6, 1e-3, 1.0, 44.0}) {
        const Eigen::Matrix3d R = turn(axes[0], 70) * turn(axes[1], from + off) * turn(axes[2], -130);
        const Eigen::Vector3d angles = turn_angles(turns, R, Eigen::Vector3d(0.1, 0.2, 0.3));
        Eigen::Matrix3d again = Eigen::Matrix3d::Identity();
        for (std::size_t n = 0; n < 3; ++n) again *= turn(axes[n], angles[static_cast<Index>(n)] / degree);
        EXPECT_LT((again - R).norm(), 1e-14) << axes[0] << axes[1] << axes[2] << ' ' << from << ' ' << off;
      }
  }
}

TEST(BvhWriter, SaysWhatIsWrong) {
  const auto error_of = [](const auto& job) -> std::string {
    try {
      job();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of([] { writer_of("Chest"); }).find("walk.bvh: Chest cannot take every rotation: it has one"),
            std::string::npos);
  EXPECT_NE(error_of([] { writer_of("LeftLg"); }).find("no bone 'LeftLg'; did you mean LeftLeg?"), std::string::npos);
  EXPECT_NE(error_of([] { writer_of("Hips,Hips"); }).find("Hips is named twice"), std::string::npos);
  for (const Eigen::Matrix3d& wrong :
       {Eigen::Matrix3d(Eigen::Matrix3d::Constant(std::nan(""))), Eigen::Matrix3d(-Eigen::Matrix3d::Identity()),
        Eigen::Matrix3d(2 * Eigen::Matrix3d::Identity())}) {
    BvhWriter writer = writer_of("Hips");
    EXPECT_EQ(error_of([&] { writer.add(rotation_row(wrong)); }), "frame 1: Hips has no rotation");
    EXPECT_EQ(writer.frames(), 0);
  }
}

}  // namespace
}  // namespace wgp
