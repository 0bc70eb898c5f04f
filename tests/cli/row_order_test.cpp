// Files that say themselves in which order their numbers stand are not read in another one.
#include <cmath>

#include "run_command.h"

namespace wgp::test {
namespace {

class RowOrder : public CommandTest {
 protected:
  // Refused by every command that reads points, with these pieces in the message.
  void expect_refused(const std::string& input, const std::string& manifold,
                      const std::vector<std::string>& pieces) const {
    for (const std::string command : {"check ", "mean ", "pga ", "fit -o m.wgp ", "geom project "})
      EXPECT_TRUE(fails(wgp(command + input + " --manifold " + manifold), 3, pieces)) << command << input;
  }
  void expect_taken(const std::string& input, const std::string& manifold) const {
    const Outcome outcome = wgp("mean " + input + " --manifold " + manifold);
    EXPECT_EQ(outcome.exit_code, 0) << input << '\n' << outcome.err;
  }
};

TEST_F(RowOrder, OfQuaternions) {
  const std::string rows = "1,0,0,0\n0.8,0.6,0,0\n0.8,0,0.6,0\n", last = "0,0,0,1\n0.6,0,0,0.8\n0,0.6,0,0.8\n";
  write("q.csv", "w,x,y,z\n" + rows);
  const std::string expected = wgp("mean q.csv --manifold so:3 --quiet").out;
  for (const std::string names :
       {"w,x,y,z", "qw,qx,qy,qz", "q_W,q_X,q_Y,q_Z", "real,i,j,k", "q0,q1,q2,q3", "a,b,c,d"}) {
    write("q.csv", names + "\n" + rows);
    EXPECT_EQ(wgp("mean q.csv --manifold so:3").out, expected) << names;
  }
  // Another order is put right where the names are those of a quaternion, and said.
  for (const std::string names : {"x,y,z,w", "rot.x,rot.y,rot.z,rot.w", "qx,qy,qz,qw"}) {
    write("q.csv", names + "\n" + last);
    const Outcome outcome = wgp("mean q.csv --manifold so:3");
    EXPECT_EQ(outcome.out, expected) << names;
    EXPECT_NE(outcome.err.find("quaternions w, x, y, z taken from its columns"), std::string::npos) << outcome.err;
    EXPECT_EQ(wgp("mean q.csv --manifold so:3 --quaternion xyzw").out, expected);
    EXPECT_TRUE(fails(wgp("mean q.csv --manifold so:3 --quaternion wxyz"), 2, {"--quaternion contradicts q.csv"}));
  }
  write("q.csv", "i,j,k,real\n" + last);
  expect_refused("q.csv", "so:3", {"its columns are", "--columns"});
  // Without names --quaternion says it.
  write("q.csv", last);
  EXPECT_EQ(wgp("mean q.csv --manifold so:3 --quaternion xyzw").out, expected);
  EXPECT_NE(wgp("mean q.csv --manifold so:3 --quaternion wxyz").out, expected);
  EXPECT_TRUE(fails(wgp("mean q.csv --manifold sphere:3 --quaternion xyzw"), 2, {"so:3 and se:3"}));
  EXPECT_TRUE(fails(wgp("mean q.csv --manifold so:3 --quaternion xwyz"), 2, {"wxyz or xyzw"}));
  // Positions and orientations as trajectories have them.
  write("tum.csv", "tx,ty,tz,qx,qy,qz,qw\n1,2,3,0,0,0,1\n1,1,1,0.6,0,0,0.8\n0,0,1,0,0.6,0,0.8\n");
  EXPECT_EQ(wgp("mean tum.csv --manifold se:3").out,
            wgp("mean tum.csv --columns qw,qx,qy,qz,tx,ty,tz --manifold se:3").out);
}

TEST_F(RowOrder, OfMatrices) {
  const std::string upper = "2,0.1,0.2,3,0.3,4\n3,0.2,0.1,2,0.1,5\n2,0,0.3,2,0.2,3\n";
  write("upper.csv", "Dxx,Dxy,Dxz,Dyy,Dyz,Dzz\n" + upper);
  expect_refused("upper.csv", "spd:3", {"Dxx, Dxy, Dxz", "--columns Dxx,Dxy,Dyy,Dxz,Dyz,Dzz"});
  expect_taken("upper.csv --columns Dxx,Dxy,Dyy,Dxz,Dyz,Dzz", "spd:3");
  write("upper.csv", "p11,p12,p13,p22,p23,p33\n" + upper);
  expect_refused("upper.csv", "spd:3/affine-invariant", {"--columns p11,p12,p22,p13,p23,p33"});
  write("lower.csv", "p11,p21,p22,p31,p32,p33\n2,0.1,3,0.2,0.3,4\n3,0.2,2,0.1,0.1,5\n");
  expect_taken("lower.csv", "spd:3");
  write("mixed.csv", "xx,xy,yy,xz,yz,zz\n2,0.1,3,0.2,0.3,4\n3,0.2,2,0.1,0.1,5\n");
  expect_taken("mixed.csv", "spd:3");
  // A symmetric matrix may stand column by column; a rotation may not.
  write("s.csv", "p11,p21,p12,p22\n2,0.1,0.1,3\n3,0.2,0.2,2\n");
  expect_taken("s.csv", "spd:2");
  write("r.csv", "r11,r21,r12,r22\n0.8,0.6,-0.6,0.8\n1,0,0,1\n0.6,0.8,-0.8,0.6\n");
  expect_refused("r.csv", "so:2", {"--columns r11,r12,r21,r22"});
  expect_taken("r.csv --columns r11,r12,r21,r22", "so:2");
}

TEST_F(RowOrder, OfLandmarks) {
  write("blocks.csv", "x1,x2,x3,y1,y2,y3\n0,1,0,0,0,1\n0,2,0,0,0,1\n0,1,0,0,0,3\n");
  expect_refused("blocks.csv", "kendall:3", {"x1, x2, x3, y1, y2, y3", "--columns x1,y1,x2,y2,x3,y3"});
  expect_taken("blocks.csv --columns x1,y1,x2,y2,x3,y3", "kendall:3");
  for (const std::string names : {"lm1_x,lm1_y,lm2_x,lm2_y,lm3_x,lm3_y", "X0,Y0,X1,Y1,X2,Y2", "v1,v2,v3,v4,v5,v6"}) {
    write("l.csv", names + "\n0,0,1,0,0,1\n0,0,2,0,0,1\n0,0,1,0,0,3\n");
    expect_taken("l.csv", "kendall:3");
  }
  // Four landmarks in space are no six in the plane.
  const std::string space =
      "LM3=4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nID=a\nLM3=4\n0 0 0\n2 0 0\n0 1 0\n0 0 1\nID=b\n"
      "LM3=4\n0 0 0\n1 0 0\n0 3 0\n0 0 1\nID=c\n";
  write("space.tps", space);
  expect_taken("space.tps", "kendall3d:4");
  expect_refused("space.tps", "kendall:6", {"4 x 3", "6 x 2"});
  ASSERT_EQ(wgp("convert space.tps -o space.csv").exit_code, 0);
  expect_refused("space.csv", "kendall:6", {"x1, y1, z1"});
  EXPECT_TRUE(fails(wgp("convert space.tps --dim 2 -o flat.tps"), 2, {"--dim 2", "have 3 coordinates"}));
  EXPECT_TRUE(fails(wgp("convert space.csv --dim 2 -o flat.tps"), 2, {"--dim 2", "have 3 coordinates"}));
  EXPECT_EQ(wgp("convert space.csv --dim 3 -o again.tps").exit_code, 0);
}

TEST_F(RowOrder, OfArrays) {
  if (shell(std::string(WGP_PYTHON) + " -c 'import numpy'").exit_code != 0) GTEST_SKIP() << "python3 has no numpy here";
  const auto save = [&](const std::string& name, const std::string& expression) {
    const Outcome made =
        shell(std::string(WGP_PYTHON) + " -c \"import numpy as np; r = np.random.default_rng(1); np.save('" + name +
              "', " + expression + ")\"");
    ASSERT_EQ(made.exit_code, 0) << made.err;
  };
  save("kx2.npy", "r.normal(size=(5, 4, 2))");
  save("2xk.npy", "r.normal(size=(5, 2, 4))");
  expect_taken("kx2.npy", "kendall:4");
  expect_refused("2xk.npy", "kendall:4", {"2 x 4", "4 x 2", "swap the last two axes"});
  save("bases.npy", "np.stack([np.linalg.qr(r.normal(size=(5, 2)))[0] for _ in range(4)])");
  save("turned.npy", "np.stack([np.linalg.qr(r.normal(size=(5, 2)))[0].T for _ in range(4)])");
  for (const std::string manifold : {"grassmann:5x2", "stiefel:5x2"}) {
    expect_taken("bases.npy", manifold);
    expect_refused("turned.npy", manifold, {"2 x 5", "5 x 2"});
  }
}

}  // namespace
}  // namespace wgp::test
