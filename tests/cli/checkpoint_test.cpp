// fit --checkpoint and --resume, with the process killed in between.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "run_command.h"
#include "wgp/model_file.h"

namespace wgp::test {
namespace {

class CheckpointCommand : public CommandTest {
 protected:
  static std::string fit(const std::string& flags) {
    return "wgp fit p.csv --manifold euclidean:5 --quiet --threads 2 --seed 3 " + flags;
  }
};

// kill -9 at ten moments or more, spread over the time that a fit takes: what is there is whole, and leads to the same
// model.
class KilledFits : public CheckpointCommand, public testing::WithParamInterface<const char*> {
 protected:
  // Few starts: sanitizers make every step take a hundred times as long.
  static std::string fit(const std::string& flags) { return CheckpointCommand::fit(GetParam() + (" " + flags)); }
};
INSTANTIATE_TEST_SUITE_P(CurvesAndSurfaces, KilledFits, testing::Values("--latent 1", "--latent 2 --effort quick"));

TEST_P(KilledFits, AndResumedEndAtTheSameBytes) {
  write_bent_sheet(40);
  double duration = HUGE_VAL;
  for (int k = 0; k < 3; ++k) {  // the first is often slower than the rest
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(shell(fit("--checkpoint all.wgpc -o whole.wgp")).exit_code, 0);
    duration = std::min(duration, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  const std::size_t all_steps = load_checkpoint(path("all.wgpc")).steps.size();
  const std::string whole = read("whole.wgp");
  std::mt19937 random(17);
  int in_the_middle = 0;
  // On a busy machine a fit may take longer than those that were timed: more moments, later ones too, until one hits.
  for (int k = 0; k < 10 || (in_the_middle == 0 && k < 60); ++k) {
    const double late = 1 + 0.2 * (k / 10);
    const double moment = late * duration * (k % 10 + std::uniform_real_distribution<>(0, 1)(random)) / 10;
    shell("rm -f c.wgpc");
    write("part.wgp", "old\n");
    const int code =
        shell("timeout -s KILL " + std::to_string(moment) + " " + fit("--checkpoint c.wgpc -o part.wgp")).exit_code;
    const std::string part = read("part.wgp");  // whole already if the kill came between the last byte and the exit
    EXPECT_TRUE(part == whole || (code != 0 && part == "old\n")) << "killed after " << moment << " s";
    if (!std::filesystem::exists(path("c.wgpc"))) continue;  // killed before the first step was over
    in_the_middle += code != 0 && load_checkpoint(path("c.wgpc")).steps.size() < all_steps;
    const Outcome resumed = shell(fit("--resume c.wgpc -o part.wgp"));
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_TRUE(read("part.wgp") == whole) << "killed after " << moment << " s";
    EXPECT_EQ(files(), (std::vector<std::string>{"all.wgpc", "c.wgpc", "p.csv", "part.wgp", "whole.wgp"}));
  }
  EXPECT_GE(in_the_middle, 1) << "of " << all_steps << " steps in " << duration << " s";
}

TEST_F(CheckpointCommand, AFinishedOneGivesTheModelAtOnce) {
  write_bent_sheet(60);
  ASSERT_EQ(shell(fit("--effort quick --checkpoint c.wgpc -o a.wgp")).exit_code, 0);
  ASSERT_EQ(shell(fit("--effort quick --resume c.wgpc -o b.wgp")).exit_code, 0);
  EXPECT_EQ(read("a.wgp"), read("b.wgp"));
}

TEST_F(CheckpointCommand, BadCheckpointsAreRefused) {
  write_bent_sheet(60);
  EXPECT_TRUE(fails(shell(fit("--resume none.wgpc -o m.wgp")), 3, {"none.wgpc"}));
  write("text.wgpc", "hello\n");
  EXPECT_TRUE(fails(shell(fit("--resume text.wgpc -o m.wgp")), 3, {"text.wgpc"}));
  ASSERT_EQ(shell(fit("--effort quick --checkpoint c.wgpc -o a.wgp")).exit_code, 0);
  EXPECT_TRUE(fails(shell(fit("--effort quick --resume c.wgpc -o m.wgp --outliers none")), 3, {"another fit"}));
  EXPECT_TRUE(fails(shell(fit("--resume a.wgp -o m.wgp")), 3, {"not a checkpoint"}));
  const std::string whole = read("c.wgpc");
  write("head.wgpc", whole.substr(0, 12));
  EXPECT_TRUE(fails(shell(fit("--effort quick --resume head.wgpc -o m.wgp")), 3, {"head.wgpc", "damaged"}));
  std::string damaged = whole;
  damaged[whole.size() / 2] ^= 1;
  write("damaged.wgpc", damaged);
  EXPECT_TRUE(fails(shell(fit("--effort quick --resume damaged.wgpc -o m.wgp")), 3, {"damaged.wgpc", "damaged:"}));
  std::string other = whole;
  other[7] = '1';
  write("other.wgpc", other);
  EXPECT_TRUE(fails(shell(fit("--effort quick --resume other.wgpc -o m.wgp")), 3, {"another version"}));
  EXPECT_FALSE(std::filesystem::exists(path("m.wgp")));
}

// A file that was cut lacks its last steps, which are made again.
TEST_F(CheckpointCommand, OneThatWasCutEndsAtTheSameBytes) {
  write_bent_sheet(60);
  ASSERT_EQ(shell(fit("--effort quick --checkpoint c.wgpc -o a.wgp")).exit_code, 0);
  const std::string whole = read("c.wgpc");
  for (const std::size_t size : {whole.size() / 3, whole.size() - 1}) {
    write("cut.wgpc", whole.substr(0, size));
    const Outcome resumed = shell(fit("--effort quick --resume cut.wgpc -o m.wgp"));
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_TRUE(read("m.wgp") == read("a.wgp")) << size;
    EXPECT_EQ(load_checkpoint(path("cut.wgpc")).steps, load_checkpoint(path("c.wgpc")).steps) << size;
  }
}

TEST_F(CheckpointCommand, NeedsAFileToGrowIn) {
  write_bent_sheet(30);
  EXPECT_TRUE(fails(shell(fit("--effort quick --checkpoint - -o m.wgp")), 2, {"--checkpoint -"}));
  ASSERT_EQ(shell(fit("--effort quick --checkpoint c.wgpc -o a.wgp")).exit_code, 0);
  const Outcome piped = shell("cat c.wgpc | " + fit("--effort quick --resume - -o b.wgp"));
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_TRUE(piped.out.empty());
  EXPECT_TRUE(read("a.wgp") == read("b.wgp"));
}

}  // namespace
}  // namespace wgp::test
