// BVH motion written here, as other readers take it: the numbers of its channels by bvh, and how bones are turned in
// the world by bvhio, which keeps rotations in single precision.
#include <cmath>
#include <random>

#include "bvh_by_hand.h"
#include "io/motion/bvh.h"
#include "io/motion/bvh_writer.h"
#include "io/sample_files.h"
#include "python_peer.h"

namespace wgp {
namespace {

using MotionReaders = test::PythonPeer;

const std::string still =
    test::bvh_skeleton("3 Zrotation Xrotation Yrotation", "3 Xrotation Yrotation Zrotation", "0 1 0") +
    "MOTION\nFrames: 1\nFrame Time: 0.0125\n1 90.5 3 15 -25 35 40 50 -60 70 20 3 8 -9 10\n";

Matrix random_rotations(Index bones, Index frames) {
  std::mt19937 engine(6);
  std::normal_distribution<double> normal;
  Matrix rows(9 * bones, frames);
  for (Index i = 0; i < frames; ++i)
    for (Index b = 0; b < bones; ++b) {
      const Eigen::Vector4d q =
          Eigen::Vector4d(normal(engine), normal(engine), normal(engine), normal(engine)).normalized();
      const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
      rows.col(i).segment(9 * b, 9) << R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2);
    }
  return rows;
}

// The rotations in the world of three joints, by bvhio.
const std::string world = R"(
import bvhio
motion = bvhio.readAsBvh('ours.bvh')
def walk(joint, before, rows):
    now = [b * k.Rotation for b, k in zip(before, joint.Keyframes)]
    rows[joint.Name] = np.array([[[glm.mat3_cast(q)[c][r] for c in range(3)] for r in range(3)] for q in now])
    for child in joint.Children: walk(child, now, rows)
import glm
rows = {}
walk(motion.Root, [glm.quat(1, 0, 0, 0)] * motion.FrameCount, rows)
assert abs(motion.FrameTime - 0.0125) < 1e-9
np.save('world.npy', np.concatenate([rows[n].reshape(-1, 9) for n in ('LeftUpLeg', 'LeftLeg', 'Chest')], 1))
)";

TEST_F(MotionReaders, BonesAreTurnedAsBvhioTurnsThem) {
  if (!has("bvhio", "bvhio PyGLM==2.8.2 spatial-transform"))
    GTEST_SKIP() << "python3 has no bvhio, and PyPI is not reached";
  BvhWriter writer(read_bvh_pose(memory_bytes(still, "still.bvh")), "LeftUpLeg,LeftLeg,Chest",
                   MotionOptions::Frame::world);
  const Matrix rows = random_rotations(3, 40);
  for (Index i = 0; i < rows.cols(); ++i) writer.add(rows.col(i));
  std::string bytes;
  MemorySink sink(bytes);
  writer.write(sink);
  std::ofstream(path("ours.bvh")) << bytes;
  run(world);
  const Matrix found = read_table(path("world.npy")).values;
  ASSERT_EQ(found.cols(), 40);
  EXPECT_LT((found - rows).cwiseAbs().maxCoeff(), 1e-5);
}

TEST_F(MotionReaders, ChannelsAreThoseThatBvhFinds) {
  if (!has("bvh", "bvh")) GTEST_SKIP() << "python3 has no bvh, and PyPI is not reached";
  BvhWriter writer(read_bvh_pose(memory_bytes(still, "still.bvh")), "LeftLeg", MotionOptions::Frame::world);
  const Matrix rows = random_rotations(1, 20);
  for (Index i = 0; i < rows.cols(); ++i) writer.add(rows.col(i));
  std::string bytes;
  MemorySink sink(bytes);
  writer.write(sink);
  std::ofstream(path("ours.bvh")) << bytes;
  run(R"(
from bvh import Bvh
motion = Bvh(open('ours.bvh').read())
assert motion.nframes == 20 and motion.frame_time == 0.0125
assert motion.get_joints_names() == ['Hips', 'LeftUpLeg', 'LeftLeg', 'Chest']
turn = {'X': lambda c, s: [[1, 0, 0], [0, c, -s], [0, s, c]], 'Y': lambda c, s: [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        'Z': lambda c, s: [[c, -s, 0], [s, c, 0], [0, 0, 1]]}
def rotation(joint, frame):
    R = np.eye(3)
    for channel in motion.joint_channels(joint):
        if channel.endswith('rotation'):
            a = np.radians(motion.frame_joint_channel(frame, joint, channel))
            R = R @ np.array(turn[channel[0]](np.cos(a), np.sin(a)))
    return R
np.save('world.npy', [(rotation('Hips', i) @ rotation('LeftUpLeg', i) @ rotation('LeftLeg', i)).ravel() for i in range(20)])
assert motion.frame_joint_channels(7, 'Hips', motion.joint_channels('Hips')) == [1, 90.5, 3, 15, -25, 35]
assert motion.frame_joint_channels(7, 'Chest', motion.joint_channels('Chest')) == [8, -9, 10]
)");
  EXPECT_LT((read_table(path("world.npy")).values - rows).cwiseAbs().maxCoeff(), 1e-13);
}

}  // namespace
}  // namespace wgp
