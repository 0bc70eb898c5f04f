// fit --checkpoint and --resume, with the process killed in between.
#include <cmath>

#include "run_command.h"

namespace wgp::test {
namespace {

class CheckpointCommand : public CommandTest {
 protected:
  void write_points() const {
    std::ostringstream text;
    for (int i = 0; i < 60; ++i) {
      const double a = std::sin(1.7 * i), b = std::cos(2.9 * i * i);
      text << a << ',' << b << ',' << a * a << ',' << a * b << ',' << std::sin(2 * b) << '\n';
    }
    write("p.csv", text.str());
  }
  static std::string fit(const std::string& flags) {
    return "wgp fit p.csv --manifold euclidean:5 --quiet --threads 2 --seed 3 " + flags;
  }
};

TEST_F(CheckpointCommand, KilledAndResumedEndsAtTheSameBytes) {
  write_points();
  ASSERT_EQ(shell(fit("-o whole.wgp")).exit_code, 0);
  int resumed_fits = 0;
  for (const char* moment : {"0.05", "0.1", "0.2", "0.4", "60"}) {
    shell("rm -f c.wgpc; timeout -s KILL " + std::string(moment) + " " + fit("--checkpoint c.wgpc -o part.wgp"));
    if (!std::filesystem::exists(path("c.wgpc"))) continue;  // killed before the first step was over
    const Outcome resumed = shell(fit("--resume c.wgpc -o rest.wgp"));
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(read("rest.wgp"), read("whole.wgp")) << moment;
    ++resumed_fits;
    shell("rm -f part.wgp rest.wgp");
  }
  EXPECT_GE(resumed_fits, 1);
}

TEST_F(CheckpointCommand, AFinishedOneGivesTheModelAtOnce) {
  write_points();
  ASSERT_EQ(shell(fit("--effort quick --checkpoint c.wgpc -o a.wgp")).exit_code, 0);
  ASSERT_EQ(shell(fit("--effort quick --resume c.wgpc -o b.wgp")).exit_code, 0);
  EXPECT_EQ(read("a.wgp"), read("b.wgp"));
}

TEST_F(CheckpointCommand, BadCheckpointsAreRefused) {
  write_points();
  EXPECT_TRUE(fails(shell(fit("--resume none.wgpc -o m.wgp")), 3, {"none.wgpc"}));
  write("text.wgpc", "hello\n");
  EXPECT_TRUE(fails(shell(fit("--resume text.wgpc -o m.wgp")), 3, {"text.wgpc"}));
  ASSERT_EQ(shell(fit("--effort quick --checkpoint c.wgpc -o a.wgp")).exit_code, 0);
  EXPECT_TRUE(fails(shell(fit("--effort quick --resume c.wgpc -o m.wgp --prior none")), 3, {"another fit"}));
  EXPECT_TRUE(fails(shell(fit("--resume a.wgp -o m.wgp")), 3, {"not a checkpoint"}));
  const std::string whole = read("c.wgpc");
  write("half.wgpc", whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(fails(shell(fit("--effort quick --resume half.wgpc -o m.wgp")), 3, {"half.wgpc"}));
  EXPECT_FALSE(std::filesystem::exists(path("m.wgp")));
}

}  // namespace
}  // namespace wgp::test
