// Files exchanged with numpy itself, where it is installed.
#include "run_command.h"

namespace wgp::test {
namespace {

class Numpy : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (shell("/usr/bin/python3 -c 'import numpy'").exit_code != 0) GTEST_SKIP() << "python3 has no numpy here";
  }
};

TEST_F(Numpy, ReadsWhatNumpyWrites) {
  ASSERT_EQ(shell("/usr/bin/python3 -c \"\n"
                  "import numpy as n\n"
                  "a = n.array([[[2., 1.], [1., 3.]], [[1., 0.], [0., 1.]], [[4., 0.], [0., 9.]]])\n"
                  "n.save('c.npy', a); n.save('f.npy', n.asfortranarray(a)); n.save('big.npy', a.astype('>f4'))\n"
                  "n.save('int.npy', a.astype('i2')); n.save('long.npy', a.astype(n.longdouble))\n"
                  "\"")
                .exit_code,
            0);
  const std::string expected = wgp("mean c.npy --manifold spd:2").out;
  EXPECT_NE(expected, "");
  for (const char* name : {"f.npy", "big.npy", "int.npy", "long.npy"})
    EXPECT_EQ(wgp(std::string("mean ") + name + " --manifold spd:2").out, expected) << name;
}

TEST_F(Numpy, NpzRoundTrips) {
  ASSERT_EQ(shell("/usr/bin/python3 -c \"\n"
                  "import numpy as n\n"
                  "a = n.arange(12.).reshape(3, 2, 2) / 7; names = n.array(['cat', 'd\u00f6g', 'a longer name'])\n"
                  "n.savez('stored.npz', shapes=a, names=names)\n"
                  "n.savez_compressed('deflated.npz', shapes=n.asfortranarray(a), names=names.astype('>U13'))\n"
                  "n.savez('two.npz', a=a, b=a.astype('f4')[0])\n"
                  "\"")
                .exit_code,
            0);
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    ASSERT_EQ(wgp(std::string("convert ") + name + " --labels names -o back.npz").exit_code, 0) << name;
    const Outcome outcome = shell(
        "/usr/bin/python3 -c \"\n"
        "import numpy as n\n"
        "z = n.load('back.npz'); a = z['points']\n"
        "print(z.files, a.shape, a.dtype, (a == n.arange(12.).reshape(3, 2, 2) / 7).all(), "
        "ascii(z['names'].tolist()))\n"
        "\"");
    EXPECT_EQ(outcome.out, "['points', 'names'] (3, 2, 2) float64 True ['cat', 'd\\xf6g', 'a longer name']\n")
        << outcome.err;
  }
  EXPECT_TRUE(fails(wgp("convert two.npz"), 3, {"two.npz: holds several arrays: a (3, 2, 2), b (2, 2)", "--array"}));
  expect_rows(wgp("convert two.npz --array b").out, {{0, 1 / 7.0}, {2 / 7.0, 3 / 7.0}}, 1e-7);
}

TEST_F(Numpy, WritesWhatNumpyReads) {
  write("q.csv", "2,1,1,3\n1,0,0,1\n");
  write("p.csv", "1,0,0,1\n");
  ASSERT_EQ(wgp("geom project --manifold spd:2 q.csv -o q.npy").exit_code, 0);
  ASSERT_EQ(wgp("geom dist --manifold spd:2 --base p.csv q.csv -o d.npy").exit_code, 0);
  const Outcome outcome = shell(
      "/usr/bin/python3 -c \"\n"
      "import numpy as n\n"
      "q = n.load('q.npy'); d = n.load('d.npy'); print(q.shape, q.dtype, d.shape, q.tolist()[0])\n"
      "\"");
  EXPECT_EQ(outcome.out, "(2, 4) float64 (2,) [2.0, 1.0, 1.0, 3.0]\n") << outcome.err;
}

}  // namespace
}  // namespace wgp::test
