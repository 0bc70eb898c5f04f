// --manifold may be left out where the data says it.
#include "run_command.h"

namespace wgp::test {
namespace {

class AssumeManifold : public CommandTest {
 protected:
  // What wgp mean says it took the file for.
  std::string taken(const std::string& content, const std::string& name = "d.csv") const {
    write(name, content);
    const Outcome outcome = wgp("mean " + name);
    if (outcome.exit_code != 0) return outcome.err;
    const auto from = outcome.err.find("taken as "), to = outcome.err.find(" (");
    return outcome.err.substr(from + 9, to - from - 9);
  }
};

TEST_F(AssumeManifold, FromNumbersThatSayOneThing) {
  EXPECT_EQ(taken("1,0,0\n0,0.6,0.8\n"), "sphere:2");
  EXPECT_EQ(taken("2,0.5,0.5,1\n3,-1,-1,4\n"), "spd:2");
  EXPECT_EQ(taken("1,0,0,0,1,0,0,0,1\n0,-1,0,1,0,0,0,0,1\n"), "so:3");
}

TEST_F(AssumeManifold, FromLandmarks) {
  EXPECT_EQ(taken("x1,y1,x2,y2,x3,y3\n0,0,1,0,0,1\n0,0,2,0,0,1\n"), "kendall:3");
  EXPECT_EQ(taken("LM=4\n0 0\n1 0\n1 1\n0 1\nID=1\nLM=4\n0 0\n2 0\n2 1\n0 1\nID=2\n", "s.tps"), "kendall:4");
  EXPECT_EQ(taken("x1,y1,z1,x2,y2,z2,x3,y3,z3,x4,y4,z4\n0,0,0,1,0,0,0,1,0,0,0,1\n0,0,0,2,0,0,0,1,0,0,0,1\n"),
            "kendall3d:4");
}

TEST_F(AssumeManifold, AsksWhereTwoReadingsFit) {
  write("q.csv", "1,0,0,0\n0,0.6,0.8,0\n");
  EXPECT_TRUE(fails(wgp("mean q.csv"), 2, {"fit more than one", "--manifold so:3", "--manifold sphere:3"}));
  write("c.csv", "1,0.5,0.5,1\n1,-0.2,-0.2,1\n");
  EXPECT_TRUE(fails(wgp("mean c.csv"), 2, {"--manifold correlation:2", "--manifold spd:2"}));
}

TEST_F(AssumeManifold, AsksWhereNothingFits) {
  write("d.csv", "1,2,3\n4,5,6\n");
  EXPECT_TRUE(fails(wgp("mean d.csv"), 2, {"--manifold M is needed", "wgp check d.csv"}));
}

TEST_F(AssumeManifold, AFlagOverrules) {
  write("d.csv", "1,0,0\n0,0.6,0.8\n");
  const Outcome outcome = wgp("mean d.csv --manifold euclidean:3");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("taken as"), std::string::npos);
}

}  // namespace
}  // namespace wgp::test
